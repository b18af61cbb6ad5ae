import type { AnyTable, ColumnOf, KeyOf, OwnTable, RowOf, TableOf } from '../layout/tables.ts'
import type { AddressCounts } from '../layout/entries.ts'
import type { Reads, SqlInput } from './reads.ts'

/**
 * The tables of an index within the running transaction of a writer. Each method that takes rows takes all rows of one
 * table that a batch of events writes: PostgreSQL makes one statement of a call, SQLite a loop over a prepared
 * statement. Rows are objects whose columns and types are those of the catalogue (layout/tables.ts); how a database
 * stores them is the matter of its implementation. Rejects with the errors of the database's own client, unless a
 * method says otherwise.
 *
 * Invariant: over SQLite each promise is already settled when a method returns it. `writing/` awaits nothing else, so
 * that no timer and no other reader of the process runs in the middle of a transaction.
 */
export interface Tables extends Reads {
  /** Runs a statement that both databases read; resolves to the number of rows that the statement changed. */
  run(sql: string, ...parameters: readonly SqlInput[]): Promise<number>
  /**
   * Lets the planner know what the transaction has written to tables, before a statement over all of it. Plans of SQLite
   * need no statistics.
   */
  gatherStatistics(tables: readonly string[]): Promise<void>
  /** Reads what a transaction starts from; nothing is locked. */
  readStart(): Promise<StoredStart>
  /** The ids of the next rows of dictionaries that the writer of a chain may give. */
  nextIds(ordinal: number): Promise<NextIds>
  /** Reads the row of the index's state, which stays locked against other writers until the transaction ends. */
  lockState(): Promise<StoredState>
  /** Writes the counts of the state; the version moves by one if `touched` is true. */
  saveState(state: StoredState, touched: boolean): Promise<void>

  /** The rows whose column `by` has one of these values and that agree with `and`, in no particular order. */
  findBy<T extends AnyTable, Column extends ColumnOf<T>, By extends ColumnOf<T>>(
    table: T,
    columns: readonly Column[],
    by: By,
    values: readonly NonNullable<RowOf<T>[By]>[],
    and?: { readonly chain_id: number },
  ): Promise<Pick<RowOf<T>, Column>[]>

  /**
   * Appends rows whose keys the table does not hold. Nothing is asked of the database for no rows.
   * @throws StoreInvariantError (takenIdError.ts) if an attestation's id is that of another record of its chain.
   */
  append<T extends AnyTable>(table: T, rows: Iterable<RowOf<T>>): Promise<void>
  /** Sets columns of the rows with these keys. */
  update<T extends AnyTable, Column extends ColumnOf<T>>(
    table: T,
    columns: readonly Column[],
    rows: readonly (KeyOf<T> & Pick<RowOf<T>, Column>)[],
  ): Promise<void>
  /**
   * Adds to the counts of addresses, and resolves to the counts afterwards, in the order of the rows. They must be in
   * the order of their ids. The rows stay locked against other writers until the transaction ends.
   */
  moveAddresses(rows: readonly Omit<RowOf<'address'>, 'bytes'>[]): Promise<readonly AddressCounts[]>
  /** Inserts rows, or replaces those of the same keys. */
  put<T extends AnyTable>(table: T, rows: readonly RowOf<T>[]): Promise<void>
  /** Adds to counts, which may be negative; a row whose counts have all become 0 is deleted. Each key occurs once. */
  add<T extends TableOf<'counter'>>(table: T, rows: readonly RowOf<T>[]): Promise<void>
  /** Does the same for a table of one count, and resolves to the counts afterwards, in the order of the rows. */
  addAndRead<T extends 'schema_attester' | 'list_count' | (OwnTable & { readonly kind: 'counter' })>(
    table: T,
    rows: readonly RowOf<T>[],
  ): Promise<readonly number[]>
  /**
   * Adds to the counts of values of fields, which may be negative; inserts values that are not there, with the given
   * id, and deletes those whose count has become 0. Resolves to ids and counts afterwards, in the order of the rows.
   * Each key occurs once.
   */
  addValues(rows: readonly RowOf<'field_value'>[]): Promise<readonly CountedValue[]>
  /** Deletes the rows whose values in `columns`, the first columns of the table's key, are one of these. */
  remove<T extends AnyTable, Column extends ColumnOf<T>>(
    table: T,
    columns: readonly Column[],
    keys: readonly Pick<RowOf<T>, Column>[],
  ): Promise<void>
  /** Deletes the rows of a range of row ids, both ends included; resolves to what they held. */
  takeRange<T extends TableOf<'event'>, Column extends ColumnOf<T>>(
    table: T,
    columns: readonly Column[],
    first: bigint,
    last: bigint,
  ): Promise<Pick<RowOf<T>, Column>[]>
}

export interface CountedValue {
  readonly id: number
  readonly count: number
}

export interface StoredStart {
  /** Lists with more entries than this have a rank tree. */
  readonly rankThreshold: number
  /** Another number than that of the session's last transaction means that others may have written to its chains. */
  readonly revision: number
}

export interface NextIds {
  readonly nextAddressId: number
  readonly nextSchemaId: number
}

/** The part of the index's state that the writers of all chains move. */
export interface StoredState {
  readonly version: number
  attestationCount: number
  schemaCount: number
}
