import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { urlLengthMax } from '../errorAnswer.ts'
import { minimumVersionHeader } from '../indexVersion.ts'
import { runFor, type FindAsker } from '@attestry/core/shares/askers.ts'
import type { Freshness } from '../freshness/createFreshness.ts'
import { formatBehind } from '../freshness/formatBehind.ts'
import type { RateLimiter } from '../limits/limitRates.ts'
import { tellRoute, type LoadWatch } from '../limits/meterRoutes.ts'
import type { RequestMeter } from '../metrics/requestMeter.ts'
import type { Access } from '../access/createAccess.ts'
import type { Answer } from './answer.ts'
import type { BegunRequest, BegunRequests } from './begunRequests.ts'
import type { RouteTable, FoundRoute } from '../routeTable.ts'
import type { KeptAnswers } from './keptAnswers.ts'
import { writeAnswer, type FoundAnswer } from './sendAnswer.ts'

type KeptAnswer = Pick<FoundAnswer, 'answer' | 'key'>

export interface FastPath {
  readonly versionOfTurn: () => Promise<number>
  readonly kept: KeptAnswers
  readonly freshness: Freshness
  readonly routes: RouteTable
  readonly meter: RequestMeter
  readonly load: LoadWatch
  readonly access: Access
  /** null where the requests of clients are not limited. */
  readonly limiter: RateLimiter | null
  readonly begun: BegunRequests
  readonly askerOf: FindAsker
}

/**
 * Answers a GET before Fastify sees the request, from the cache or by the endpoint of its path: routing, hooks and
 * request objects cost as much again as a cached answer, and a tenth of a new one. Only answers that succeed are written
 * here. Fastify gets every other request, with what was found out about it: one of another method or for a version, one
 * without such an endpoint, one that is refused for overload or for its client's limit, and one whose answer is an error.
 */
export function answerFirst(server: Server, path: FastPath): void {
  const { versionOfTurn, kept, freshness, routes, meter, load, access, limiter, begun, askerOf } = path
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')

  function pass(request: IncomingMessage, response: ServerResponse): void {
    for (const listener of listeners) listener.call(server, request, response)
  }

  async function findBehind({ about }: Answer, version: number): Promise<string | null> {
    return formatBehind((await freshness.at(version)).behind(about))
  }

  /** Answers a request, or tells how far that got where its route has to answer. */
  async function begin(
    request: IncomingMessage,
    response: ServerResponse,
    version: number,
    source: KeptAnswer | FoundRoute,
  ): Promise<BegunRequest | null> {
    const { url = '' } = request
    const startMs = performance.now()
    const counted = limiter === null ? null : limiter.count(request)
    const count = counted instanceof Promise ? await counted : counted
    const limitHeaders = count === null ? null : (limiter?.headers(count) ?? null)
    if (count !== null && limiter?.isExceeded(count) === true) return { startMs, count, failure: null }
    meter.inFlight += 1
    try {
      const found =
        'findAnswer' in source
          ? await runFor(
              () => askerOf(request),
              () => source.findAnswer(source.pathParameters, url, version, source.meter, response),
            )
          : { ...source, ownHeaders: null, behind: await findBehind(source.answer, version) }
      const written = writeAnswer(request, response, found, limitHeaders, kept)
      if (written !== undefined) await written
      const meter = 'findAnswer' in source ? source.meter : source.answer.meter
      const elapsedMs = performance.now() - startMs
      meter?.answered(response.statusCode, elapsedMs)
      if (meter !== null) tellRoute(request, meter.path)
      limiter?.charge(request, elapsedMs)
      return null
    } catch (error) {
      return { startMs, count, failure: { version, error } }
    } finally {
      meter.inFlight -= 1
    }
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    version: number,
    route: FoundRoute | null,
  ): Promise<void> {
    const { url = '' } = request
    const known = kept.find(url, version)
    const source = known === undefined ? (route ?? routes.findDirect(url)) : { answer: known, key: url }
    const unanswered = source === null ? null : await begin(request, response, version, source)
    if (unanswered !== null) begun.set(request, unanswered)
    if (unanswered !== null || source === null) pass(request, response)
  }

  server.on('request', (request, response) => {
    const { method, headers, url = '' } = request
    const asked = plainPathOf(url)
    const mayBeOurs =
      method === 'GET' &&
      asked !== null &&
      headers.host !== undefined &&
      headers[minimumVersionHeader] === undefined &&
      url.length <= urlLengthMax &&
      // Fastify asks the clients of a closing server to close their connections.
      server.listening &&
      !load.isOverloaded() &&
      access.mayAsk(request, asked)
    if (!mayBeOurs) return pass(request, response)
    const mayBeKept = kept.mayHave(url)
    const route = mayBeKept ? null : routes.findDirect(url)
    // Health is answered without the store.
    if (!mayBeKept && route === null) return pass(request, response)
    versionOfTurn().then(
      (version) => answer(request, response, version, route),
      // The route reads the version again, and answers with the error.
      () => pass(request, response),
    )
  })
}

/**
 * The path of a request target, if the router sees the same path; else null. The router also takes targets in absolute
 * form (`http://host/path`), decodes escapes, and cuts fragments: access to those is judged by the route that it finds.
 */
function plainPathOf(url: string): string | null {
  const queryStart = url.indexOf('?')
  const path = queryStart === -1 ? url : url.slice(0, queryStart)
  return path.startsWith('/') && !path.includes('%') && !path.includes('#') ? path : null
}
