import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StartError } from '../errors/configErrors.ts'
import type { DatabaseConfig } from './config/resolveDatabase.ts'
import { openExisting } from './runStatus.ts'

/**
 * Writes the whole index as NDJSON to a file, or to `stdout` where `file` is null. A file appears under its name only when it
 * is whole. A reader of `stdout` that goes away (`| head`) ends the export, and is no failure. `program` is the version that
 * the header tells.
 * @throws StartError when there is no database, or the file cannot be written.
 */
export async function runExport(
  database: DatabaseConfig,
  file: string | null,
  stdout: Writable,
  program: string,
): Promise<void> {
  const reader = (await openExisting(database)).openReader()
  try {
    const lines = Readable.from(withLineEnds(reader.exportLines({ program })))
    if (file === null) await writeStdout(lines, stdout)
    else await writeFileWhole(lines, file)
  } finally {
    await reader.close()
  }
}

/** Lines are joined to pieces of some size: a write for each line is what an export would spend its time on. */
async function* withLineEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = ''
  for await (const line of lines) {
    piece += `${line}\n`
    if (piece.length < pieceLength) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}

const pieceLength = 64 * 1024

async function writeStdout(lines: Readable, stdout: Writable): Promise<void> {
  try {
    await pipeline(lines, stdout, { end: false })
  } catch (error) {
    if (codeOf(error) !== 'EPIPE') throw error
  }
}

async function writeFileWhole(lines: Readable, file: string): Promise<void> {
  const partial = `${file}.${process.pid}.part`
  try {
    await pipeline(lines, createWriteStream(partial, { flush: true }))
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined)
    const code = codeOf(error)
    if (code === null || !/^E[A-Z]+$/.test(code)) throw error
    throw new StartError(`The file ${file} cannot be written: ${writeFailures[code] ?? code}`, {
      cause: error,
    })
  }
}

const writeFailures: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}
