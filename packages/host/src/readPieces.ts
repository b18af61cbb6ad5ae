import { createReadStream } from 'node:fs'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import { systemCode } from '@attestry/core/errors/systemReason.ts'

/**
 * The bytes of a file that a command was given.
 * @throws StartError if the file cannot be read.
 */
export async function* readPieces(file: string): AsyncGenerator<Uint8Array> {
  try {
    // A stream without an encoding yields bytes.
    yield* createReadStream(file, { highWaterMark: pieceBytes }) as AsyncIterable<Uint8Array>
  } catch (error) {
    const code = systemCode(error)
    if (code === null) throw error
    throw new StartError(`The file ${file} cannot be read: ${failures[code] ?? code}`, { cause: error })
  }
}

const pieceBytes = 256 * 1024

const failures: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'permission is denied',
  EISDIR: 'it is a folder',
}
