import type { DomainEvent } from '../model/domainEvent.ts'
import type { RecordKey } from '../model/compositeId.ts'
import type { DecodePayload } from '../model/decodedPayload.ts'
import type { Schema, SchemaDefinition } from '../model/records.ts'

/** The indexing of decoded fields by a writer. */
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

/** The event with the definition of its schema, if it registers one. */
export function withDefinition(event: DomainEvent, define: DefineSchema): DomainEvent {
  if (event.kind !== 'schemaRegistered') return event
  return { ...event, schema: { ...event.schema, definition: define(event.schema) } }
}
