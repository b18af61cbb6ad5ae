/** The codings that answers are sent in. */
export type ContentCoding = 'identity' | 'br' | 'gzip'

/** Best first, where a client likes several equally. */
const preference: readonly ContentCoding[] = ['br', 'gzip', 'identity']

/** Headers whose reading is remembered; browsers and libraries send a handful of different ones. */
const rememberedMax = 256
const remembered = new Map<string, ContentCoding>()

/**
 * The coding to answer in, by the weights of an `Accept-Encoding` header (RFC 9110, 12.5.3). Where a client refuses
 * everything, it gets the plain form: it is more use than a 406.
 */
export function negotiateEncoding(acceptEncoding: string | undefined): ContentCoding {
  if (acceptEncoding === undefined || acceptEncoding === '') return 'identity'
  const known = remembered.get(acceptEncoding)
  if (known !== undefined) return known
  const chosen = chooseCoding(acceptEncoding)
  if (acceptEncoding.length < 256) {
    if (remembered.size >= rememberedMax) remembered.clear()
    remembered.set(acceptEncoding, chosen)
  }
  return chosen
}

function chooseCoding(acceptEncoding: string): ContentCoding {
  const weights = new Map<string, number>()
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim())
    weights.set(coding === 'x-gzip' ? 'gzip' : coding, weightOf(parameters))
  }
  const anyOther = weights.get('*')
  let best: ContentCoding = 'identity'
  let bestWeight = 0
  for (const coding of preference) {
    // The plain form is acceptable unless it is refused, but anything that is named is liked better.
    const weight = weights.get(coding) ?? (coding === 'identity' ? (anyOther ?? 0.0001) : (anyOther ?? 0))
    if (weight > bestWeight) {
      best = coding
      bestWeight = weight
    }
  }
  return best
}

function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  if (weight === undefined) return 1
  return /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0
}
