import { createReadStream } from 'node:fs'
import { StartError } from '../errors/configErrors.ts'
import { readTextLines } from '../store/transfer/readTextLines.ts'
import { restoreIndex } from '../store/transfer/restoreIndex.ts'
import type { Config } from './config/loadConfig.ts'
import { openDatabase } from './openDatabase.ts'

/**
 * Imports an export from a file, or from `stdin` where `file` is null, into a database that is new or holds no chain.
 * Returns one sentence about the result. After an error the database is unchanged.
 * @throws StartError when the file cannot be read, or another process indexes into the database.
 * @throws ExportDamagedError, StoreNotEmptyError
 */
export async function runImport(
  { database: config, fields }: Pick<Config, 'database' | 'fields'>,
  file: string | null,
  stdin: AsyncIterable<Uint8Array>,
): Promise<string> {
  const pieces = file === null ? stdin : readFile(file)
  const database = await openDatabase(config)
  const lock = database.lock()
  try {
    const restore = database.openRestore(fields)
    const { chains, schemas, attestations } = await restoreIndex(readTextLines(pieces), restore)
    return `Imported ${chains} chains with ${schemas} schemas and ${attestations} attestations into ${database.place}`
  } finally {
    lock.release()
  }
}

async function* readFile(file: string): AsyncGenerator<Uint8Array> {
  try {
    // A stream without an encoding yields bytes.
    yield* createReadStream(file, { highWaterMark: pieceBytes }) as AsyncIterable<Uint8Array>
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!/^E[A-Z]+$/.test(code)) throw error
    throw new StartError(`The file ${file} cannot be read: ${readFailures[code] ?? code}`, { cause: error })
  }
}

const pieceBytes = 256 * 1024

const readFailures: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'permission is denied',
  EISDIR: 'it is a folder',
}
