import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from '../errors/configErrors.ts'

/**
 * Makes the folder of a database where it is missing.
 * @throws StartError
 */
export function prepareFolder(databasePath: string): void {
  try {
    mkdirSync(dirname(databasePath), { recursive: true })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
    const reason = reasons[code] ?? code
    throw new StartError(`The folder of the database ${databasePath} cannot be made: ${reason}`, {
      cause: error,
    })
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file is in its place',
  ENOENT: 'a part of the path does not exist and cannot be made',
  ENOSPC: 'the disk is full',
}
