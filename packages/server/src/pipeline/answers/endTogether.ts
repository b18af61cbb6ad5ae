import type { ServerResponse } from 'node:http'
import type { PlainBody } from './answer.ts'

interface Ending {
  readonly response: ServerResponse
  readonly content: string | Buffer
  readonly charset: PlainBody['charset']
}

let endings: Ending[] = []

/**
 * Ends a response at the end of the turn of the event loop, together with all others of the turn. A client or proxy on
 * the same machine that has read everything sleeps; the write that wakes it seems to cost up to 15 µs, and further ones
 * find it awake. With 8 connections a single attestation took 34 µs of processor time instead of 42, a page of
 * all attestations 50 instead of 61, one attestation of EAS 67 instead of 96.
 */
export function endTogether(
  response: ServerResponse,
  content: string | Buffer,
  charset: PlainBody['charset'],
): void {
  if (endings.length === 0) setImmediate(endAll)
  endings.push({ response, content, charset })
}

function endAll(): void {
  const ended = endings
  endings = []
  for (const { response, content, charset } of ended) response.end(content, charset)
}
