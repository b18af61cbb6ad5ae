/**
 * Tables beside the index, in a file or schema of their own. They survive when the index is made anew, and are not
 * counted, digested or verified with it. A wing that keeps something has one of these.
 */

/** A value of a column or parameter. */
export type BesideValue = null | number | string

/** Runs statements on the database. Parameters are written `?`. Rejects with our errors. */
export interface BesideStatements {
  all<Row extends readonly BesideValue[]>(sql: string, ...parameters: readonly BesideValue[]): Promise<Row[]>
}

export interface BesideDatabase extends BesideStatements {
  /** The prefix of table names. */
  readonly prefix: string
  /** Runs work in one transaction that no other writes beside. */
  transact<Result>(work: (statements: BesideStatements) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** The words in which the layouts of the databases differ. */
export interface BesideWords {
  readonly prefix: string
  readonly integer: string
  readonly sequence: string
}

/** The tables of one wing. */
export interface BesideLayout {
  /** The end of the name of the SQLite file, and of the PostgreSQL schema. */
  readonly name: string
  /** `PRAGMA application_id` of the SQLite file. */
  readonly number: number
  /**
   * The statements of each version: the first makes the tables, each further one changes them. Written statements stay as
   * they are.
   */
  readonly steps: readonly ((words: BesideWords) => string)[]
}
