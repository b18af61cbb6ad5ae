import type { ColumnType } from '../layout/tables.ts'

/**
 * A value of a column. SQLite answers booleans as 0 and 1; integers beyond 2^53 are compared in SQL, never selected.
 */
export type SqlValue = null | number | string | boolean | Uint8Array

/** The columns of a row, in the order of the select. */
export type SqlRow = readonly SqlValue[]

/** A parameter of a statement that both databases accept. Booleans are written into the text: see `Dialect.flag`. */
export type SqlInput = null | number | bigint | string | Uint8Array

/** A part of a statement with the parameters of its `?`, in their order. */
export interface SqlText {
  readonly sql: string
  readonly parameters: readonly SqlInput[]
}

/** Runs statements that read. Each is prepared once for its text; parameters are written `?`; rows are arrays. */
export interface Statements {
  get<Row extends SqlRow>(sql: string, ...parameters: readonly SqlInput[]): Promise<Row | undefined>
  all<Row extends SqlRow>(sql: string, ...parameters: readonly SqlInput[]): Promise<Row[]>
  /** The rows of a statement, some hundreds at a time: memory stays the same however many there are. */
  batches<Row extends SqlRow>(sql: string, ...parameters: readonly SqlInput[]): AsyncIterable<Row[]>
  /**
   * The rows of a select for each key, in the order of the keys. The select names the columns of its key as `k.name`,
   * and no other table `k`.
   */
  allOf<Row extends SqlRow>(select: string, keys: KeyColumns): Promise<Row[][]>
  /** The first row of each; undefined for a key without a row. */
  firstOf<Row extends SqlRow>(select: string, keys: KeyColumns): Promise<(Row | undefined)[]>
}

/** The columns of keys, by name: the type of each and its value in each key. */
export type KeyColumns = Readonly<
  Record<string, { readonly type: ColumnType; readonly values: readonly SqlInput[] }>
>
