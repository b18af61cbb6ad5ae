/** The path of a value in the configuration: `['chains', 0, 'rpc']`. */
export type KeyPath = readonly (string | number)[]

/** The path as text: `chains[0].rpc[1]`; `the file` for the empty path. */
export function formatKeyPath(path: KeyPath): string {
  if (path.length === 0) return 'the file'
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`))
    .join('')
}

/**
 * The value as a message may show it. `raw` is the value in the file, before environment variables are substituted, so
 * that no message shows a variable. Of endpoint URLs and database URLs only the host is shown: all other parts may hold
 * keys and passwords.
 */
export function describeValue(path: KeyPath, raw: unknown): string {
  if (raw === null || raw === undefined) return 'empty'
  if (Array.isArray(raw)) return raw.length === 0 ? 'an empty list' : 'a list'
  if (typeof raw === 'object') return 'a block of keys'
  if (typeof raw !== 'string') return JSON.stringify(raw)
  if (raw.includes('-----BEGIN ')) return 'a key that is not shown'
  if (isSecretPlace(path) || raw.includes('://')) return describeUrl(raw)
  return quoteText(raw)
}

/** Scheme and host of a URL. Text that is not a URL is not shown, since it may be a key. */
export function describeUrl(text: string): string {
  if (text === '') return '""'
  if (/^sqlite:/i.test(text)) return quoteText(text)
  if (/^(?:\$\{[A-Za-z_][A-Za-z0-9_]*\})+$/.test(text)) return quoteText(text)
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(?:[^/?#\\]*@)?([^/?#\\]*)([^]*)$/.exec(text)
  if (match === null) return `a text of ${text.length} characters that is not shown`
  const [, scheme = '', host = '', rest = ''] = match
  // A password that is not percent-encoded may hold `/`, `?` or `#`, which end the host: the parsed host is then part
  // of the password.
  if (rest.includes('@')) return `a text of ${text.length} characters that is not shown`
  return quoteText(`${scheme}://${host}${rest === '' || rest === '/' ? rest : '/…'}`)
}

/** A text in quotes, on one line, cut where it is long. */
export function quoteText(text: string): string {
  return JSON.stringify(text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}…` : text)
}

const shownCharactersMax = 80

function isSecretPlace(path: KeyPath): boolean {
  return path.includes('rpc') || path[0] === 'database'
}
