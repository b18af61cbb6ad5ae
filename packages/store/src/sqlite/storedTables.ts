import { tables, type TableSpec } from '../layout/tables.ts'

const { received, schema_text: _, ...shared } = tables

/** Rows of `received`, in the order of one of its two walks. */
function receivedBy(scope: 'chain_id' | 'schema_id'): TableSpec {
  const { address_id, is_self, attest_timestamp, id } = received.columns
  return {
    kind: 'derived',
    key: ['address_id', 'is_self', scope, 'attest_timestamp', 'id'],
    columns: { address_id, is_self, [scope]: received.columns[scope], attest_timestamp, id },
  }
}

/**
 * The tables of a SQLite database: those of the catalogue, with three differences. `received` exists twice, clustered
 * for each of its walks. A schema's folded texts stand beside its texts, and `schema_text` is their full-text index
 * (FTS5, without content). The writer writes the class of a schema's count.
 */
export const storedTables: Readonly<Record<string, TableSpec>> = {
  ...shared,
  index_state: {
    ...shared.index_state,
    key: ['only'],
    columns: { only: 'int32', ...shared.index_state.columns },
  },
  schema: {
    ...shared.schema,
    columns: {
      ...shared.schema.columns,
      name_folded: 'text null',
      description_folded: 'text null',
      /** The class of attestation_count (countClass.ts). */
      count_class: 'int32',
    },
  },
  received_by_chain: receivedBy('chain_id'),
  received_by_schema: receivedBy('schema_id'),
}
