import type { FieldKind } from '../../model/fieldValues.ts'
import type { SchemaField } from '../../model/records.ts'

/** What a writer knows of a schema whose fields are indexed. */
export interface FieldSource {
  readonly fields: readonly SchemaField[]
  /** Null where every attestation is indexed. */
  readonly build: FieldBuild | null
  /** The paths that the writer has met, by kind and text. */
  readonly paths: Map<string, FieldEntry>
}

/** How far the index of a schema's fields is built: a row of `field_build`. */
export interface FieldBuild {
  readonly doneTimestamp: number
  readonly doneId: bigint
  readonly untilId: bigint
  readonly doneCount: number
}

/** A row of `field` as the running transaction leaves it; without an id before it was looked up. */
export interface FieldEntry {
  readonly schemaId: number
  readonly pathText: string
  readonly kind: FieldKind
  id: number | null
  isNew: boolean
  valueCount: number
  /** The attestations of the running transaction that have the field, by value. */
  readonly moves: Map<string, FieldValueMove>
}

/** Attestations that came into the list of a value, or left it. */
export interface FieldValueMove {
  readonly timestamps: number[]
  readonly ids: bigint[]
}

/** The list of a value as a transaction moved it. */
export interface MovedFieldValue {
  readonly valueId: number
  /** How many attestations had the value before. */
  readonly before: number
  readonly timestamps: readonly number[]
}
