import {
  nameOf,
  parseColumnSpec,
  specOfTable,
  type AnyTable,
  type ColumnOf,
  type ColumnType,
  type RowOf,
} from '../layout/tables.ts'
import type { KeyColumns, Reads, SqlInput, SqlRow, SqlValue } from './reads.ts'
import type { Tables } from './tables.ts'

/** A row by the names of its columns, as an implementation of `Tables` sees it, which is one for all tables. */
export type AnyRow = Readonly<Record<string, unknown>>

/** The methods of `Tables` for rows of any table. */
export interface AnyTables extends Pick<
  Tables,
  | 'run'
  | 'gatherStatistics'
  | 'readStart'
  | 'nextIds'
  | 'lockState'
  | 'saveState'
  | 'moveAddresses'
  | 'addValues'
> {
  findBy(
    table: AnyTable,
    columns: readonly string[],
    by: string,
    values: readonly unknown[],
    and?: { readonly chain_id: number },
  ): Promise<AnyRow[]>
  append(table: AnyTable, rows: Iterable<AnyRow>): Promise<void>
  update(table: AnyTable, columns: readonly string[], rows: readonly AnyRow[]): Promise<void>
  put(table: AnyTable, rows: readonly AnyRow[]): Promise<void>
  add(table: AnyTable, rows: readonly AnyRow[]): Promise<void>
  addAndRead(table: AnyTable, rows: readonly AnyRow[]): Promise<readonly number[]>
  remove(table: AnyTable, columns: readonly string[], keys: readonly AnyRow[]): Promise<void>
  /** The value of a column from what a row has of it. */
  decode(type: ColumnType, value: SqlValue): unknown
}

/**
 * The tables as `writing/` sees them. The rows of a table are of its type by the catalogue, from which an
 * implementation makes its SQL: TypeScript cannot see that, and this is the one place that asserts it.
 */
export function typedTables(
  { dialect, get, all, batches, allOf, firstOf }: Reads,
  { decode, ...methods }: AnyTables,
): Tables {
  const takeRange = async (table: AnyTable, columns: readonly string[], first: bigint, last: bigint) => {
    const held = columns.length === 0 ? '1' : selected(table, columns)
    const rows = await all(
      `DELETE FROM ${nameOf(table)} WHERE id BETWEEN ? AND ? RETURNING ${held}`,
      first,
      last,
    )
    return decodeRows(table, columns, rows, decode)
  }
  const own = { ...methods, takeRange } as unknown as Omit<Tables, keyof Reads>
  return { dialect, get, all, batches, allOf, firstOf, ...own }
}

/** The columns of a select; integers beyond 2^53 leave the database as digits. */
export function selected(table: AnyTable, columns: readonly string[]): string {
  return columns
    .map((column) => (columnType(table, column) === 'int64' ? `CAST(${column} AS text)` : column))
    .join(', ')
}

/** The rows of a select of these columns. */
export function decodeRows(
  table: AnyTable,
  columns: readonly string[],
  rows: readonly SqlRow[],
  decode: AnyTables['decode'],
): AnyRow[] {
  const types = columns.map((column) => columnType(table, column))
  return rows.map((row) => {
    const decoded: Record<string, unknown> = {}
    for (const [index, type] of types.entries())
      decoded[columns[index] ?? ''] = decode(type, row[index] ?? null)
    return decoded
  })
}

/** Columns of rows of a table as keys of `Statements.allOf`. */
export function keyColumns<T extends AnyTable, Column extends ColumnOf<T>>(
  table: T,
  columns: readonly Column[],
  rows: readonly Pick<RowOf<T>, Column>[],
): KeyColumns {
  const entries = columns.map((column) => {
    const values = rows.map((row) => row[column] as SqlInput)
    return [column, { type: columnType(table, column), values }] as const
  })
  return Object.fromEntries(entries)
}

/** The type of a column, which may be NULL or not. */
export function columnType(table: AnyTable, column: string): ColumnType {
  const spec = specOfTable(table).columns[column]
  if (spec === undefined) throw new Error(`the table ${nameOf(table)} has no column ${column}`)
  return parseColumnSpec(spec).type
}
