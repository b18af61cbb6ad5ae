import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { IndexReader } from '../../store/indexReader.ts'
import { minimumVersionHeader } from '../indexVersion.ts'
import type { RateLimiter } from '../limits/limitRates.ts'
import type { LoadWatch } from '../limits/meterRoutes.ts'
import type { RequestCount } from '../limits/requestCounts.ts'
import { notModifiedHeaders, type Answer } from './answer.ts'
import type { KeptAnswers } from './keptAnswers.ts'
import { matchesEtag } from './matchesEtag.ts'
import { negotiateEncoding } from './negotiateEncoding.ts'

export interface FastPath {
  readonly reader: Pick<IndexReader, 'indexVersion'>
  readonly kept: KeptAnswers
  readonly load: LoadWatch
  /** null where the requests of clients are not limited. */
  readonly limiter: RateLimiter | null
}

/**
 * Answers a GET from the cache before Fastify sees the request: routing, hooks and request objects cost as much again
 * as the answer. A request goes on to Fastify if no answer is cached in its coding, or if it is refused, for overload
 * or for its client's limit. The routes refuse it with the same answer as without this path.
 */
export function answerKeptFirst(server: Server, { reader, kept, load, limiter }: FastPath): void {
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  // The version is read once a turn of the event loop: a snapshot of the index lasts as long.
  let versionOfTurn: Promise<number> | null = null

  const pass = (request: IncomingMessage, response: ServerResponse): void => {
    for (const listener of listeners) listener.call(server, request, response)
  }

  server.on('request', (request, response) => {
    const { method, headers, url = '' } = request
    if (method !== 'GET' || headers.host === undefined || !kept.mayHave(url) || load.isOverloaded()) {
      return pass(request, response)
    }
    if (headers[minimumVersionHeader] !== undefined) return pass(request, response)
    if (versionOfTurn === null) {
      versionOfTurn = reader.indexVersion()
      setImmediate(() => {
        versionOfTurn = null
      })
    }
    versionOfTurn.then(
      (version) => {
        const ready = findReady(request, kept, version)
        if (ready === null) return pass(request, response)
        if (limiter === null) return write(response, ready)
        const settle = (count: RequestCount): void => {
          // The route counts the refused request once more, which changes nothing until the window ends.
          if (limiter.isExceeded(count)) pass(request, response)
          else write(response, ready, limiter.headers(count))
        }
        const count = limiter.count(request)
        if (count instanceof Promise) void count.then(settle)
        else settle(count)
      },
      // The route reads the version again, and answers with the error.
      () => pass(request, response),
    )
  })
}

/** A cached answer in the form that a request asks for. */
interface ReadyAnswer {
  readonly answer: Answer
  readonly statusCode: 200 | 304
  readonly headers: string[]
  readonly content: string | Buffer
}

function findReady(
  { headers, url = '' }: IncomingMessage,
  kept: KeptAnswers,
  version: number,
): ReadyAnswer | null {
  const answer = kept.find(url, version)
  if (answer === undefined) return null
  if (matchesEtag(headers['if-none-match'], answer.etag)) {
    return { answer, statusCode: 304, headers: notModifiedHeaders(answer.etag, version), content: '' }
  }
  const coding = negotiateEncoding(headers['accept-encoding'])
  const body = coding === 'identity' ? answer.plain : answer.compressed.get(coding)
  return body === undefined ? null : { answer, statusCode: 200, ...body }
}

function write(
  response: ServerResponse,
  { answer, statusCode, headers, content }: ReadyAnswer,
  limitHeaders: readonly string[] = [],
): void {
  const all = limitHeaders.length === 0 ? headers : [...headers, ...limitHeaders]
  response.writeHead(statusCode, all)
  if (statusCode === 304) response.end()
  else response.end(content)
  answer.meter?.answered(statusCode, 0)
}
