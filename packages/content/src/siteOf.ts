/**
 * The site that answers for a URL: hosts of one domain take turns together, since one owner may have any number of
 * them. A domain has two labels, or three under a country whose second labels are short (`co.uk`).
 */
export function siteOf({ host, hostname }: Pick<URL, 'host' | 'hostname'>): string {
  const labels = hostname.split('.')
  const isAddress = hostname.startsWith('[') || /^\d+$/.test(labels.at(-1) ?? '')
  if (isAddress || labels.length < 3) return host
  const [second = '', top = ''] = labels.slice(-2)
  return labels.slice(top.length === 2 && second.length <= 3 ? -3 : -2).join('.')
}
