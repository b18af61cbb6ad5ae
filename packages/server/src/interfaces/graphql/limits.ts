import { present, type PresentedError } from './graphqlError.ts'

/** The limits of one request, each checked before anything is read (docs/api.md, "GraphQL"). */
export interface GraphqlLimits {
  readonly bodyBytes: number
  readonly tokens: number
  /** Nested fields; introspection has a separate bound. */
  readonly depth: number
  readonly aliases: number
  readonly rootFields: number
  /** Fields once every fragment is spread where it is used. */
  readonly fields: number
  /** The sum of all requested page sizes, nested ones multiplied by the sizes around them. */
  readonly cost: number
  /** Characters of the answer, which are counted while it is made. */
  readonly answer: number
}

export const defaultGraphqlLimits: GraphqlLimits = {
  bodyBytes: 64 * 1024,
  tokens: 2000,
  depth: 12,
  aliases: 30,
  rootFields: 20,
  fields: 2000,
  cost: 2000,
  answer: 16 * 1024 * 1024,
}

export type LimitName = Exclude<keyof GraphqlLimits, 'bodyBytes' | 'answer'>

/** The error for an exceeded limit. */
export function limitError(limit: LimitName, maximum: number, actual: number): PresentedError {
  const more = `more than ${maximum.toLocaleString('en')}`
  const asked = actual > maximum && Number.isFinite(actual) ? ` (${actual.toLocaleString('en')})` : ''
  return present('LIMIT_EXCEEDED', `${describe(limit, more, asked)}; ${advice[limit]}.`, { limit, maximum })
}

function describe(limit: LimitName, more: string, asked: string): string {
  switch (limit) {
    case 'tokens':
      return `The document has ${more} tokens`
    case 'depth':
      return `The query nests ${more} fields in depth${asked}`
    case 'aliases':
      return `The query has ${more} aliases${asked}`
    case 'rootFields':
      return `The query begins with ${more} root fields${asked}`
    case 'fields':
      return `The query has ${more} fields once its fragments are spread`
    case 'cost':
      return `The query has a cost of ${more}${asked}, the sum of all page sizes asked for, nested ones multiplied`
  }
}

const advice: Readonly<Record<LimitName, string>> = {
  tokens: 'send several smaller ones',
  depth: 'ask for what lies deeper by its id',
  aliases: 'send several queries',
  rootFields: 'send several queries',
  fields: 'send several queries',
  cost: 'ask for smaller pages, or for less inside them',
}
