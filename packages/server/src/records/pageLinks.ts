import type { PageRequest } from '@attestry/core/index/indexQueries.ts'
import { decodeQueryText } from '../pipeline/parameters/readParameters.ts'

/**
 * Links to other pages of the same listing (RFC 8288). The references are only queries, `?page=2`: they are
 * valid under any host and path of a proxy, and the same for all clients.
 */

/**
 * Longest query that links repeat: four of them must fit into the header buffers of common proxies, with room to spare.
 */
const linkedQueryMax = 512

/** The `Link` header of a page: first, prev, next and last, if they exist; null if the query is too long. */
export function pageLinks(url: string, { page, size }: PageRequest, total: number): string | null {
  const rest = restOfQuery(url)
  if (rest === null) return null
  const last = Math.max(1, Math.ceil(total / size))
  const links = [formatLink(rest, 'page=1', 'first')]
  if (page > 1) links.push(formatLink(rest, `page=${Math.min(page - 1, last)}`, 'prev'))
  if (page < last) links.push(formatLink(rest, `page=${page + 1}`, 'next'))
  links.push(formatLink(rest, `page=${last}`, 'last'))
  return links.join(', ')
}

/** The `Link` header of a step of a walk: first, and next where there is one. */
export function cursorLinks(url: string, nextCursor: string | null): string | null {
  const rest = restOfQuery(url)
  if (rest === null) return null
  const first = formatLink(rest, 'cursor=*', 'first')
  return nextCursor === null ? first : `${first}, ${formatLink(rest, `cursor=${nextCursor}`, 'next')}`
}

function formatLink(rest: string, place: string, relation: string): string {
  return `<?${rest}${place}>; rel="${relation}"`
}

/**
 * A query without the parameters of its place in the listing, ready to be appended to; null if it is too long to
 * repeat.
 */
function restOfQuery(url: string): string | null {
  const start = url.indexOf('?')
  if (start === -1) return ''
  if (url.length - start > linkedQueryMax) return null
  let rest = ''
  for (const piece of url.slice(start + 1).split('&')) {
    const equals = piece.indexOf('=')
    const rawName = equals === -1 ? piece : piece.slice(0, equals)
    const name = decodeQueryText(rawName) ?? rawName
    if (piece !== '' && name !== 'page' && name !== 'cursor') rest += `${piece}&`
  }
  // Characters that an HTTP parser lets pass in a URL, and that would end the reference.
  return rest.replaceAll(/[<>"#\\^`{|}]/g, encodeURIComponent)
}
