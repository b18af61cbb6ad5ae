import {
  parseColumnSpec,
  tables as catalogue,
  type ColumnType,
  type Table,
  type TableSpec,
} from '../layout/tables.ts'
import type { KeyColumns, Reads, SqlRow } from './reads.ts'
import type { Tables } from './tables.ts'

/** A row by the names of its columns, as an implementation of `Tables` sees it, which is one for all tables. */
export type AnyRow = Readonly<Record<string, unknown>>

/** The methods of `Tables` for rows of any table. */
export interface AnyTables extends Pick<
  Tables,
  'run' | 'lockState' | 'saveState' | 'entriesOf' | 'timestampsOf' | 'addValues'
> {
  findBy(
    table: Table,
    columns: readonly string[],
    by: string,
    values: readonly unknown[],
    and?: { readonly chain_id: number },
  ): Promise<AnyRow[]>
  firstOf(select: string, keys: KeyColumns): Promise<(SqlRow | undefined)[]>
  append(table: Table, rows: Iterable<AnyRow>): Promise<void>
  update(table: Table, columns: readonly string[], rows: readonly AnyRow[]): Promise<void>
  put(table: Table, rows: readonly AnyRow[]): Promise<void>
  add(table: Table, rows: readonly AnyRow[]): Promise<void>
  addAndRead(table: Table, rows: readonly AnyRow[]): Promise<readonly number[]>
  remove(table: Table, columns: readonly string[], keys: readonly AnyRow[]): Promise<void>
  takeRange(table: Table, columns: readonly string[], first: bigint, last: bigint): Promise<AnyRow[]>
}

/**
 * The tables as `writing/` sees them. The rows of a table are of its type by the catalogue, from which an
 * implementation makes its SQL: TypeScript cannot see that, and this is the one place that asserts it.
 */
export function typedTables({ dialect, get, all, batches }: Reads, methods: AnyTables): Tables {
  return { dialect, get, all, batches, ...(methods as unknown as Omit<Tables, keyof Reads>) }
}

export function tableSpec(table: Table): TableSpec {
  return catalogue[table]
}

/** The type of a column, which may be NULL or not. */
export function columnType(table: Table, column: string): ColumnType {
  const spec = tableSpec(table).columns[column]
  if (spec === undefined) throw new Error(`the table ${table} has no column ${column}`)
  return parseColumnSpec(spec).type
}
