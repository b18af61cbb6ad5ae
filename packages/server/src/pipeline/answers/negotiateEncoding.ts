import { rememberRecent } from '@attestry/core/model/recentMap.ts'
import { headersCachedMax, parseAcceptHeader } from './acceptHeader.ts'
import type { CompressedCoding } from './compress.ts'

/** The content codings of answers. */
export type ContentCoding = 'identity' | CompressedCoding

/** In the order of preference where a client weighs several equally. */
const codings: readonly ContentCoding[] = ['br', 'gzip', 'identity']

/**
 * The content coding for an `Accept-Encoding` header (RFC 9110, 12.5.3). A client that refuses every coding gets the
 * plain form instead of a 406.
 */
export function negotiateEncoding(acceptEncoding: string | undefined): ContentCoding {
  return acceptEncoding === undefined || acceptEncoding === '' ? 'identity' : chooseCoding(acceptEncoding)
}

const chooseCoding = rememberRecent(headersCachedMax, (acceptEncoding: string): ContentCoding => {
  const weights = new Map<string, number>()
  for (const { name, weight } of parseAcceptHeader(acceptEncoding)) {
    weights.set(name === 'x-gzip' ? 'gzip' : name, weight)
  }
  const anyOther = weights.get('*')
  let best: ContentCoding = 'identity'
  let bestWeight = 0
  for (const coding of codings) {
    // The plain form is acceptable unless refused, but any named coding is preferred to it.
    const weight = weights.get(coding) ?? (coding === 'identity' ? (anyOther ?? 0.0001) : (anyOther ?? 0))
    if (weight > bestWeight) {
      best = coding
      bestWeight = weight
    }
  }
  return best
})
