/** The media types that answers are sent as. */
export type GraphqlMediaType = 'application/json' | 'application/graphql-response+json'

const mediaTypes: ReadonlyMap<string, GraphqlMediaType> = new Map([
  ['application/graphql-response+json', 'application/graphql-response+json'],
  ['application/json', 'application/json'],
  ['application/*', 'application/json'],
  ['*/*', 'application/json'],
])

const rememberedMax = 256
const remembered = new Map<string, GraphqlMediaType | null>()

/**
 * The media type to answer as: the one of the greatest weight in an `Accept` header, the first of several; null where it accepts
 * neither. Without the header, `application/json` (GraphQL over HTTP, 5.1).
 */
export function negotiateMediaType(accept: string | undefined): GraphqlMediaType | null {
  if (accept === undefined || accept === '') return 'application/json'
  const known = remembered.get(accept)
  if (known !== undefined) return known
  const chosen = chooseMediaType(accept)
  if (accept.length < 256) {
    if (remembered.size >= rememberedMax) remembered.clear()
    remembered.set(accept, chosen)
  }
  return chosen
}

/** Whether a client would rather have a page than data: browsers name `text/html`, clients of the interface do not. */
export function prefersPage(accept: string | undefined): boolean {
  return accept !== undefined && /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(accept)
}

function chooseMediaType(accept: string): GraphqlMediaType | null {
  let best: GraphqlMediaType | null = null
  let bestWeight = 0
  for (const item of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
    const mediaType = mediaTypes.get(name)
    const weight = weightOf(parameters)
    if (mediaType !== undefined && weight > bestWeight) {
      best = mediaType
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
