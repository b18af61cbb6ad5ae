import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { Schema, SchemaDefinition } from '@attestry/core/model/records.ts'

/**
 * Whether the decoded fields of a schema's attestations are indexed; stored: never change a number. Invariants, after
 * every commit:
 * 1. `complete`: the rows of `field`, `field_value` and `field_posting` are those of all its attestations.
 * 2. `building`: they are those of its attestations whose row id is above `until_id` of the schema's row in
 *    `field_build`, and of those up to `(done_timestamp, done_id)`. What is written while an index is built has ids
 *    above; after a reorganisation it may have lower ones.
 * 3. `dropping`: they are leftovers, which nobody reads and later steps delete.
 * 4. `none`: there are none. So it is with every schema that is not registered.
 */
export const fieldState = { none: 0, building: 1, complete: 2, dropping: 3 } as const

export type FieldState = (typeof fieldState)[keyof typeof fieldState]

/** How a writer indexes decoded fields. */
export interface FieldIndexing {
  readonly decodePayload: DecodePayload
  /** Whether the fields of a schema are to be indexed; null: schemas keep the states of their rows, as in an audit. */
  readonly includes: ((schema: RecordKey) => boolean) | null
  /**
   * The definition of a schema whose event was read from a row or a line; by default the one that is written there. No
   * digest covers that, so an import and an audit derive the definition again.
   */
  readonly defineSchema?: DefineSchema
  /** Rows that a step of a build decodes or deletes at most; tests choose few. */
  readonly rowsPerStep?: number
}

export type DefineSchema = (schema: Schema) => SchemaDefinition

/** No schema's fields are indexed. */
export const noFieldIndexing: FieldIndexing = {
  decodePayload: () => ({ kind: 'undecodable', reason: 'payloads are not decoded' }),
  includes: () => false,
}
