/** The source of a name, in words that follow the name. */
export function nameSource(source: string): string {
  if (source === 'ens') return 'in ENS'
  return source === 'configuration' ? "by the operator's labels" : `by ${source}`
}
