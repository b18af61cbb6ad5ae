/**
 * Whether an `If-None-Match` header names a tag, by the weak comparison that RFC 9110, 13.1.2 prescribes for it:
 * `*`, or a list in which the tag's opaque part occurs, `W/` or not.
 */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  const opaque = etag.replace(/^W\//, '')
  for (const [, candidate] of ifNoneMatch.matchAll(/(?:W\/)?("[\u0021\u0023-\u007e\u0080-\u00ff]*")/g)) {
    if (candidate === opaque) return true
  }
  return false
}
