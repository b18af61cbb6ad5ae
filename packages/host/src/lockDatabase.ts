import { lstatSync, mkdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import { createPrivateFile } from '@attestry/store/sqlite/createPrivateFile.ts'

/**
 * Makes this process the only one that indexes into a database. The lock is SQLite's exclusive lock on a second file
 * beside the database, whichever link or path names it. The operating system releases the lock when the process ends, also after `kill -9`.
 * @throws StartError when another process holds it, or the file cannot be written.
 */
export function lockDatabase(databasePath: string): Disposable {
  let lock: DatabaseSync | null = null
  try {
    mkdirSync(dirname(databasePath), { recursive: true })
    const target = realFile(databasePath)
    const names = statSync(target, { throwIfNoEntry: false })?.nlink ?? 1
    if (names > 1) {
      throw new StartError(
        `The database ${databasePath} has ${names} names (hard links), and SQLite keeps a log of its own for each; ` +
          'leave it one',
      )
    }
    const path = `${target}.lock`
    createPrivateFile(path)
    lock = new DatabaseSync(path, { timeout: 0 })
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    if (error instanceof StartError) throw error
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

/** The path of a file without links, whether the file is there yet or not. */
function realFile(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    return join(realpathSync.native(dirname(path)), basename(path))
  }
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return realpathSync.native(path)
  // A link to a file that is to be made.
  return realFile(resolve(dirname(path), readlinkSync(path)))
}

/** SQLITE_BUSY. */
const sqliteBusy = 5
