import type { IndexAudit, IndexRepair } from '../store/indexAudit.ts'
import type { JournalLimits } from '../store/layout/journal.ts'
import type { IndexRestore } from '../store/indexRestore.ts'
import type { StoreReader } from '../store/reading/openIndexReader.ts'
import type { IndexWriter } from '../store/indexWriter.ts'

/** The database that holds the index, SQLite or PostgreSQL, as the commands use it. */
export interface Database {
  /** The name of the database in messages; holds no secret. */
  readonly place: string
  /**
   * Migrates the database to the layout of this version; creates a SQLite file, and the tables of either database. Resolves with a
   * warning for the log, or null.
   * @throws StoreUnavailableError, StoreIncompatibleError
   */
  migrate(): Promise<string | null>
  /**
   * Makes this process the only writer of a SQLite database. PostgreSQL locks chains one by one, and this lock does nothing.
   * @throws StartError where another process holds the lock.
   */
  lock(): DatabaseLock
  openWriter(journal?: JournalLimits): IndexWriter
  openReader(): StoreReader
  openRestore(): IndexRestore
  openAudit(): IndexAudit
  openRepair(): IndexRepair
  /** Whether the database exists: a command that only reads must not create one at a mistyped path. */
  exists(): boolean
  /** Size in bytes; null where it is unknown. */
  measureBytes(): number | null
}

export interface DatabaseLock {
  release(): void
}
