import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { writeOutput } from './standardOutput.ts'
import { writeFileWhole } from './writeFileWhole.ts'

/**
 * Writes to a file, which appears whole or not at all, or to standard output where `file` is null, as fast as the reader
 * takes the pieces.
 * @throws StartError when the file cannot be written.
 */
export async function writePieces(
  file: string | null,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  if (file !== null) {
    return await writeFileWhole(file, (partial) =>
      pipeline(Readable.from(pieces), createWriteStream(partial, { flush: true })),
    )
  }
  for await (const piece of pieces) await writeOutput(piece)
}

/** Joins lines to pieces: one write per line would take most of the time of an export. */
export async function* withLineEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
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
