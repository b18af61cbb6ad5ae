import { ExportDamagedError } from '@attestry/core/errors/storeErrors.ts'

/** Longest line that is read, in characters: a payload may have megabytes, but not what memory cannot hold. */
const lineLengthMax = 256 * 2 ** 20

/**
 * The lines of UTF-8 text that comes in pieces, without their ends. The last one must have an end too.
 * @throws ExportDamagedError when the text is no UTF-8, or ends within a line.
 */
export async function* readTextLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let rest = ''
  for await (const piece of pieces) {
    // Only the piece is searched: searching a long line anew with each of its pieces takes the square of its length.
    const [first = '', ...others] = decode(decoder, piece).split('\n')
    const last = others.pop()
    if (last === undefined) rest += first
    else {
      yield rest + first
      yield* others
      rest = last
    }
    if (rest.length > lineLengthMax) throw new ExportDamagedError('the export has a line without an end')
  }
  if (rest + decode(decoder) !== '') throw new ExportDamagedError('the export is cut: it ends within a line')
}

function decode(decoder: TextDecoder, piece?: Uint8Array): string {
  try {
    return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true })
  } catch (error) {
    throw new ExportDamagedError('the export is no UTF-8 text', { cause: error })
  }
}
