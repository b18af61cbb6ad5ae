/** An endpoint as the configuration file holds it, and the environment variable that it needs, if any. */
export interface HiddenEndpoint {
  readonly url: string
  /** The variable's name and its value, which the file must not hold; null if the URL shows no key. */
  readonly variable: { readonly name: string; readonly value: string } | null
}

/**
 * Replaces the whole URL of an endpoint by `${NAME}` if a part of the URL may be a key. Such a part is a user, a query,
 * or a path segment with 16 or more letters and digits.
 */
export function hideKey(text: string, name: string): HiddenEndpoint {
  // Such a text names a variable already.
  if (text.includes('${')) return { url: text, variable: null }
  const url = new URL(text)
  const isSecret =
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== '' ||
    url.pathname.split('/').some((part) => /^[\w.~%-]{16,}$/.test(part))
  return isSecret ? { url: `\${${name}}`, variable: { name, value: text } } : { url: text, variable: null }
}
