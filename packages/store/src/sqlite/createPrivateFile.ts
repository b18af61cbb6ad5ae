import { closeSync, openSync } from 'node:fs'

/**
 * Makes an empty file that only its owner may read, unless there is a file. SQLite gives the rights of a database to the
 * files beside it. An existing file is not opened: closing it would end the locks that SQLite holds for this process.
 * Any failure is left to the next use of the path.
 */
export function createPrivateFile(path: string): void {
  if (path === '' || path === ':memory:' || path.startsWith('file:')) return
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch {
    // The file is there, or cannot be made.
  }
}
