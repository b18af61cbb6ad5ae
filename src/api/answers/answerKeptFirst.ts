import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { IndexReader } from '../../store/indexReader.ts'
import type { LoadWatch } from '../limits/meterRoutes.ts'
import { notModifiedHeaders } from './answer.ts'
import type { KeptAnswers } from './keptAnswers.ts'
import { matchesEtag } from './matchesEtag.ts'
import { negotiateEncoding } from './negotiateEncoding.ts'

/**
 * Lets a server give kept answers before its request listener sees the request: routing, hooks and a request's objects cost as
 * much again as the answer. Only plain GETs whose answer stands ready in the coding that was asked for; everything else goes
 * on to the listener, which would give the same answer, or refuse it while the server is overloaded.
 */
export function answerKeptFirst(
  server: Server,
  { reader, kept }: { readonly reader: Pick<IndexReader, 'indexVersion'>; readonly kept: KeptAnswers },
  load: LoadWatch,
): void {
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  // The version is asked for once a turn of the event loop, which is how long a snapshot of the index lasts.
  let versionOfTurn: Promise<number> | null = null

  const pass = (request: IncomingMessage, response: ServerResponse): void => {
    for (const listener of listeners) listener.call(server, request, response)
  }

  server.on('request', (request, response) => {
    const { method, headers, url = '' } = request
    if (method !== 'GET' || headers.host === undefined || !kept.mayHave(url) || load.isOverloaded()) {
      return pass(request, response)
    }
    if (versionOfTurn === null) {
      versionOfTurn = reader.indexVersion()
      setImmediate(() => {
        versionOfTurn = null
      })
    }
    versionOfTurn.then(
      (version) => {
        if (!answerKept(request, response, kept, version)) pass(request, response)
      },
      // Whoever answers asks again, and says what is wrong.
      () => pass(request, response),
    )
  })
}

function answerKept(
  { headers, url = '' }: IncomingMessage,
  response: ServerResponse,
  kept: KeptAnswers,
  version: number,
): boolean {
  const answer = kept.find(url, version)
  if (answer === undefined) return false
  if (matchesEtag(headers['if-none-match'], answer.etag)) {
    response.writeHead(304, notModifiedHeaders(answer.etag)).end()
    answer.meter?.answered(304, 0)
    return true
  }
  const coding = negotiateEncoding(headers['accept-encoding'])
  const body = coding === 'identity' ? answer.plain : answer.compressed.get(coding)
  if (body === undefined) return false
  response.writeHead(200, body.headers).end(body.content)
  answer.meter?.answered(200, 0)
  return true
}
