import type { SchemaReference, StoredKey, StoredSchema } from '@attestry/core/index/storedRecords.ts'

/** A schema in a query: the stored schema, or the part of it that an attestation holds. */
export interface SchemaNode {
  readonly key: StoredKey
  readonly summary: Pick<SchemaReference, 'name' | 'description' | 'fieldsJson'>
  /** null if the schema is not indexed, or only the summary was requested. */
  readonly stored: StoredSchema | null
}

export function schemaNode(stored: StoredSchema): SchemaNode {
  return { key: stored.key, summary: stored, stored }
}

/** The fields that need only a `SchemaReference`. */
export const referenceFields: ReadonlySet<string> = new Set(
  [
    '__typename',
    'id',
    'mode',
    'chainType',
    'chainId',
    'schemaId',
    'name',
    'description',
    'data',
    'fields',
    'protocol',
  ].map((name) => `Schema.${name}`),
)
