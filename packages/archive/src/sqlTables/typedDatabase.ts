import type { ViewWords } from '@attestry/store/layout/sqlViews.ts'
import type { Reads } from '@attestry/store/port/reads.ts'

/** The database of the index, as typed tables use it: beside the writer, in transactions of their own. */
export interface TypedDatabase extends Reads {
  readonly words: TypedWords
  /**
   * Runs work in a transaction that no other typed table writes beside.
   * @throws BusyError if the writer of the index holds the database.
   */
  transact(work: () => Promise<void>): Promise<void>
  /** Runs statements that have neither parameters nor rows. */
  exec(sql: string): Promise<void>
  /** The reason why there can be no views, as a clause; null if there can. */
  refusal(): Promise<string | null>
  /** Whether the database has the table that notes views (`furtherViewTable`). */
  hasNotes(): Promise<boolean>
  /** Whether a table or view of this name stands where views are made. */
  holds(name: string): Promise<boolean>
  /** The views and tables of others that depend on one of these views, for a message. */
  dependents(views: readonly string[]): Promise<readonly string[]>
  close(): Promise<void>
}

/** The writer of a SQLite file holds it: another attempt succeeds. */
export class BusyError extends Error {}

/** The words in which the databases differ beyond those of the other views. */
export interface TypedWords extends ViewWords {
  /** The name of a view where it is made, quoted. */
  readonly viewName: (name: string) => string
  readonly types: Readonly<Record<ColumnKind, string>> & { readonly bytes: string; readonly id: string }
  /** Names that no column of a view may have. */
  readonly systemColumns: readonly string[]
  /** Whether views and columns have comments. */
  readonly hasComments: boolean
  /** The only recipient of an attestation `a`; NULL if it has none or several. */
  readonly onlyRecipient: string
  /** The table of the recipients of an attestation `a`, a row for each. */
  readonly eachRecipient: string
  /** The recipient of a row of that table. */
  readonly recipient: string
  /** A text from a chain as views have it, in another form if SQL cannot hold the text. */
  plainText(text: string): string
}

/** The types of the columns of fields. */
export type ColumnKind = 'bigint' | 'numeric' | 'boolean' | 'text' | 'json'

/** A name or text as an identifier of SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
