import type { ContentTexts } from './contentTexts.ts'
import type { ContentState } from './knownContent.ts'

/** The operators that compare the values of a field; docs/api.md, "Filters on decoded fields". */
export type FieldOperator = 'equals' | 'in' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'startsWith'

/** A condition on a decoded field of an attestation: one of the field's values must fulfil it. */
export interface FieldCondition {
  /** The names from the field down to the member of a tuple. Arrays add no name. */
  readonly path: readonly string[]
  readonly operator: FieldOperator
  /** The values of the request, as texts: 1 to 100 for `in`, exactly one for every other operator. */
  readonly values: readonly string[]
  /** Payloads that lead to one of these contents pass as well. */
  readonly contents?: ContentTexts
  /** Asks for content in this state instead of values; a part of requests, which becomes `contents`. */
  readonly contentState?: ContentState
}
