import type { IndexAudit, IndexRepair } from '../store/indexAudit.ts'
import type { ChangeJournal, IndexQueries } from '../store/indexQueries.ts'
import type { IndexReader } from '../store/indexReader.ts'
import type { IndexRestore } from '../store/indexRestore.ts'
import type { IndexWriter } from '../store/indexWriter.ts'
import type { DatabaseConfig } from './config/resolveDatabase.ts'

/** The database that keeps the index, whichever it is, as the commands use it. */
export interface Database {
  /** How messages name it; no part of it is a secret. */
  readonly place: string
  /**
   * Brings it to the layout of this version, and makes it where that takes no more than that. Answers a sentence for the log where
   * something is not as it might be; null where all is well.
   * @throws StoreUnavailableError, StoreIncompatibleError
   */
  migrate(): Promise<string | null>
  /**
   * Makes this process the one that may write, where a database has one writer only. Others let chains be claimed one by one.
   * @throws StartError where another process is the one.
   */
  lock(): DatabaseLock
  openWriter(): IndexWriter
  openReader(): IndexReader & IndexQueries & ChangeJournal
  openRestore(): IndexRestore
  openAudit(): IndexAudit
  openRepair(): IndexRepair
  /** Whether there is a database already, so that a command that only reads makes none in a mistyped place. */
  exists(): boolean
  /** Bytes that it takes; null where that is not known. */
  measureBytes(): number | null
}

export interface DatabaseLock {
  release(): void
}

/** The database of the configuration. What it stands on is loaded here: nobody waits for the client of another one. */
export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  if (config.kind === 'sqlite') {
    const { createSqliteDatabase } = await import('./sqliteDatabase.ts')
    return createSqliteDatabase(config.path)
  }
  const { createPostgresDatabase } = await import('./postgresDatabase.ts')
  return createPostgresDatabase(config)
}
