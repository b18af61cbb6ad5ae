import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createCompressor } from '@attestry/server/pipeline/answers/compress.ts'
import { negotiateEncoding } from '@attestry/server/pipeline/answers/negotiateEncoding.ts'
import { takeResponse } from '@attestry/server/pipeline/answers/sendAnswer.ts'
import { corsHeaders } from '@attestry/server/pipeline/headers.ts'
import type { ExportLimits } from './exportPlaces.ts'

/** A part of an exported file. */
export type ExportPiece = string | Uint8Array

/** The fastest levels: at higher ones an export would wait for its compression. */
const effort = { br: 1, gzip: 1 }

export interface SentHeaders {
  /** Whether the file is compressed as it is. */
  readonly isCompressed: boolean
  readonly headers: Readonly<Record<string, string>>
  /** Headers of only this request, names and values in turn; null for none. */
  readonly ownHeaders: readonly string[] | null
}

/** Sends pieces as fast as the network takes them; at any time, two or so are in memory. */
export async function sendExport(
  { raw, method }: FastifyRequest,
  reply: FastifyReply,
  { headers, ownHeaders, isCompressed }: SentHeaders,
  pieces: AsyncGenerator<ExportPiece>,
  limits: ExportLimits,
): Promise<void> {
  const coding = isCompressed ? 'identity' : negotiateEncoding(raw.headers['accept-encoding'])
  const response = takeResponse(reply, ownHeaders)
  response.writeHead(200, {
    ...corsHeaders,
    ...headers,
    'cache-control': 'no-store',
    vary: 'accept-encoding',
    ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
  })
  if (method === 'HEAD') {
    response.end()
    await pieces.return(undefined)
    return
  }
  const stall = setTimeout(() => response.destroy(), limits.stallMs)
  try {
    const source = Readable.from(inTime(stall, pieces, limits), { highWaterMark: 1 })
    if (coding === 'identity') await pipeline(source, response)
    else await pipeline(source, createCompressor(coding, effort), response)
  } finally {
    clearTimeout(stall)
  }
}

/**
 * Restarts the timer at each piece: a client that reads nothing asks for no pieces. Ends where a client reads so slowly
 * that it holds its place for longer than the export is worth.
 */
async function* inTime(
  timer: NodeJS.Timeout,
  pieces: AsyncGenerator<ExportPiece>,
  { stallMs, leastRate }: ExportLimits,
): AsyncGenerator<ExportPiece> {
  let taken = 0
  let waitedMs = 0
  for await (const piece of pieces) {
    timer.refresh()
    taken += piece.length
    const startMs = performance.now()
    yield piece
    waitedMs += performance.now() - startMs
    if (waitedMs > stallMs && taken < (waitedMs / 1_000) * leastRate) throw new SlowReaderError()
  }
}

/** The reader of an export takes less than it must; the connection is broken off. */
class SlowReaderError extends Error {}

export function isDisconnection(error: unknown): boolean {
  if (error instanceof SlowReaderError) return true
  const code = error instanceof Error && 'code' in error ? error.code : null
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE'
}
