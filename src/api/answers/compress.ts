import { promisify } from 'node:util'
import {
  brotliCompress,
  type BrotliOptions,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
} from 'node:zlib'
import type { Transform } from 'node:stream'

/** The codings that compress. */
export type CompressedCoding = 'br' | 'gzip'

/** How much work compression may be: levels of the two codings. */
export interface CompressionEffort {
  /** 0 to 11. */
  readonly br: number
  /** 1 to 9. */
  readonly gzip: number
}

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/** Compresses a whole body of text. */
export async function compress(
  bytes: Buffer,
  coding: CompressedCoding,
  effort: CompressionEffort,
): Promise<Buffer> {
  return coding === 'gzip'
    ? await compressGzip(bytes, { level: effort.gzip })
    : await compressBrotli(bytes, {
        params: {
          ...brotliParams(effort),
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        },
      })
}

/** A stream that compresses a body of unknown length. */
export function createCompressor(coding: CompressedCoding, effort: CompressionEffort): Transform {
  return coding === 'gzip'
    ? createGzip({ level: effort.gzip })
    : createBrotliCompress({ params: brotliParams(effort) })
}

function brotliParams(effort: CompressionEffort): NonNullable<BrotliOptions['params']> {
  return { [constants.BROTLI_PARAM_QUALITY]: effort.br }
}
