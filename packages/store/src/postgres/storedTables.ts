import { tables, type ColumnType, type TableSpec } from '../layout/tables.ts'

/**
 * The tables of a PostgreSQL database: those of the catalogue, with two differences. `index_state` has a column that only
 * earlier versions used. `received` has no key: its two indexes lead to every row, and a key would be a third one.
 * Columns that the database computes itself are left out: the class of a schema's count (countClass.ts).
 */
export const storedTables: Readonly<Record<string, TableSpec>> = {
  ...tables,
  index_state: {
    ...tables.index_state,
    key: ['is_only'],
    columns: {
      is_only: 'boolean',
      ...tables.index_state.columns,
      write_count: 'int53',
    },
  },
  received: { ...tables.received, key: [] },
}

/** The types of columns as PostgreSQL names them. */
export const sqlTypes: Readonly<Record<ColumnType, string>> = {
  int32: 'integer',
  int53: 'bigint',
  int64: 'bigint',
  boolean: 'boolean',
  bytes: 'bytea',
  text: 'text',
  key: 'text',
  chainText: 'text',
  int53List: 'bigint[]',
}
