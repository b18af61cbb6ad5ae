import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { DatabaseConfig } from './config/resolveDatabase.ts'
import { openExisting } from './runStatus.ts'
import { writeOutput } from './standardOutput.ts'
import { writeFileWhole } from './writeFileWhole.ts'

export interface ExportCommand {
  /** The file to write; null for standard output. */
  readonly file: string | null
  /** The version of this program, for the header. */
  readonly program: string
  /**
   * Leaves out all that depends on when the chain was read: two indexes of the same blocks then export the same bytes.
   */
  readonly comparable: boolean
}

/**
 * Writes the whole index as NDJSON, as fast as the reader takes it. A file appears under its name only when it is
 * complete.
 * @throws StartError when there is no database, or the file cannot be written.
 */
export async function runExport(
  database: DatabaseConfig,
  { file, program, comparable }: ExportCommand,
): Promise<void> {
  const reader = (await openExisting(database)).openReader()
  try {
    const pieces = withLineEnds(reader.exportLines(comparable ? { times: false } : { program }))
    if (file !== null) return await writeLines(file, Readable.from(pieces))
    for await (const piece of pieces) await writeOutput(piece)
  } finally {
    await reader.close()
  }
}

/** Joins lines to pieces: one write per line would take most of the time of an export. */
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

async function writeLines(file: string, lines: Readable): Promise<void> {
  await writeFileWhole(file, (partial) => pipeline(lines, createWriteStream(partial, { flush: true })))
}
