import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../errors/configErrors.ts'

/**
 * Makes this process the only one that indexes into a database. The lock is SQLite's exclusive lock on a second file
 * beside the database. The operating system releases the lock when the process ends, also after `kill -9`.
 * @throws StartError when another process holds it, or the file cannot be written.
 */
export function lockDatabase(databasePath: string): Disposable {
  const path = `${databasePath}.lock`
  let lock: DatabaseSync | null = null
  try {
    mkdirSync(dirname(path), { recursive: true })
    lock = new DatabaseSync(path, { timeout: 0 })
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    lock?.close()
    const taken = error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
    throw new StartError(
      taken
        ? `Another process is indexing into ${databasePath}; stop it first, or give this one another database`
        : `The database ${databasePath} cannot be written: its folder cannot be made or is not writable`,
      { cause: error },
    )
  }
  return lock
}

/** SQLITE_BUSY. */
const sqliteBusy = 5
