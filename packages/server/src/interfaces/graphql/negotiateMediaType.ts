import { rememberRecent } from '@attestry/core/model/recentMap.ts'
import { headersCachedMax, parseAcceptHeader } from '../../pipeline/answers/acceptHeader.ts'

/** The media types of answers. */
export type GraphqlMediaType = 'application/json' | 'application/graphql-response+json'

const mediaTypes: ReadonlyMap<string, GraphqlMediaType> = new Map([
  ['application/graphql-response+json', 'application/graphql-response+json'],
  ['application/json', 'application/json'],
  ['application/*', 'application/json'],
  ['*/*', 'application/json'],
])

/**
 * The media type of the answer: the type of the greatest weight in an `Accept` header, the first of several; null if
 * the header accepts neither. Without the header, `application/json` (GraphQL over HTTP, 5.1).
 */
export function negotiateMediaType(accept: string | undefined): GraphqlMediaType | null {
  return accept === undefined || accept === '' ? 'application/json' : chooseMediaType(accept)
}

const chooseMediaType = rememberRecent(headersCachedMax, (accept: string): GraphqlMediaType | null => {
  let best: GraphqlMediaType | null = null
  let bestWeight = 0
  for (const { name, weight } of parseAcceptHeader(accept)) {
    const mediaType = mediaTypes.get(name)
    if (mediaType !== undefined && weight > bestWeight) {
      best = mediaType
      bestWeight = weight
    }
  }
  return best
})
