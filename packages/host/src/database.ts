import type { IndexAudit, IndexRepair } from '@attestry/core/index/indexAudit.ts'
import type { JournalLimits } from '@attestry/store/layout/journal.ts'
import type { IndexRestore } from '@attestry/core/index/indexRestore.ts'
import type { StoreReader } from '@attestry/store/reading/openIndexReader.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import type { Outbox } from '@attestry/store/postgres/openOutbox.ts'
import type { ServerCheck } from '@attestry/core/index/serverCheck.ts'
import type { FieldSetting } from './fieldSetting.ts'

/** Settings of an operator for the index that is written. */
export interface IndexSettings {
  /** The schemas whose decoded fields are indexed; all of them by default. */
  readonly fields: FieldSetting
  /** How much of the journal of changes is kept. */
  readonly journal: JournalLimits
}

/** The database that holds the index, SQLite or PostgreSQL, as the commands use it. */
export interface Database {
  /** The name of the database in messages; holds no secret. */
  readonly place: string
  /**
   * Migrates the database to the layout of this version; creates a SQLite file, and the tables of either database.
   * Resolves with a warning for the log, or null.
   * @throws StoreUnavailableError, StoreIncompatibleError
   */
  migrate(): Promise<string | null>
  /**
   * Tests whether the connections to a server have their own sessions, which every writer needs. Call it before
   * `migrate`, which also writes.
   */
  checkSessions(): Promise<readonly ServerCheck[]>
  /**
   * Tries what an indexer needs of the server of the database, which is migrated; a SQLite file has none.
   * @throws StoreUnavailableError
   */
  check(): Promise<readonly ServerCheck[]>
  /**
   * Makes this process the only writer of a SQLite database. PostgreSQL locks chains one by one, and this lock does
   * nothing.
   * @throws StartError where another process holds the lock.
   */
  lock(): Disposable
  /** A writer; chains that it opens lose the indexes of fields that `fields` does not name. */
  openWriter(settings?: Partial<IndexSettings>): IndexWriter
  openReader(): StoreReader
  /** The outbox of a PostgreSQL database; null for a SQLite file, which has none. */
  openOutbox(limits: JournalLimits): Outbox | null
  /** `isAlone`: nobody reads meanwhile (`RestoreSettings`). By default, others may read. */
  openRestore(fields: FieldSetting, isAlone?: boolean): IndexRestore
  openAudit(): IndexAudit
  openRepair(): IndexRepair
  /** Whether the database exists: a command that only reads must not create one at a mistyped path. */
  exists(): boolean
  /** Size in bytes; null if unknown. */
  measureBytes(): number | null
}
