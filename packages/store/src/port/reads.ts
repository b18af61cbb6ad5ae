import type { Dialect } from './dialect.ts'
import type { Statements } from './statements.ts'

export type { KeyColumns, SqlInput, SqlRow, SqlText, SqlValue } from './statements.ts'

/**
 * Reads one state of the index. `Row` is the caller's knowledge of the columns. Rejects with the errors of the
 * database's own client.
 *
 * Invariant: over SQLite each promise is already settled when a method returns it. Code that awaits nothing else
 * finishes within its turn of the event loop, and with it within the turn's snapshot.
 */
export interface Reads extends Statements {
  readonly dialect: Dialect
}
