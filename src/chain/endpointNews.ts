import type { AttestryError } from '../errors/baseError.ts'
import type { Clock } from '../model/clock.ts'
import type { ChainEvent } from './chainClientOptions.ts'

/** What is told of an endpoint's failures: an endpoint that fails now and then must not fill the log. */
export interface EndpointNews {
  /** The endpoint failed. */
  failed(error: AttestryError): void
  /** The endpoint asked for fewer requests, for `retryInMs`; `perSecond`: so many are sent from now on. */
  rateLimited(retryInMs: number, perSecond: number | null): void
  /** A request was answered. */
  answered(): void
}

/** After a failure was told, the next one is told after this time, or at once if it lasts. */
const quietMs = 300_000
const lastingMs = 10_000
/** An endpoint that asks for fewer requests is told of this often at most, and so is a longer pause than this. */
const rateQuietMs = 600_000

export function createEndpointNews(
  host: string,
  clock: Clock,
  onEvent: (event: ChainEvent) => void,
): EndpointNews {
  let isToldFailing = false
  let toldAtMs = Number.NEGATIVE_INFINITY
  let failingSinceMs: number | null = null
  let times = 0
  /** The newest line about the rate; null: none, or the end of it was told. */
  let rateToldAtMs: number | null = null
  let refusedAtMs = Number.NEGATIVE_INFINITY
  let refusals = 0

  return {
    failed(error) {
      const nowMs = clock.nowMs()
      failingSinceMs ??= nowMs
      times++
      if (isToldFailing) return
      if (nowMs - toldAtMs < quietMs && nowMs - failingSinceMs < lastingMs) return
      onEvent({ kind: 'endpointFailed', host, code: error.code, message: error.message, times })
      isToldFailing = true
      toldAtMs = nowMs
      times = 0
    },
    rateLimited(retryInMs, perSecond) {
      const nowMs = clock.nowMs()
      refusedAtMs = nowMs
      refusals++
      const isTold = rateToldAtMs !== null && nowMs - rateToldAtMs < rateQuietMs
      if (isTold && retryInMs < rateQuietMs) return
      onEvent({ kind: 'rateLimited', host, retryInMs: Math.round(retryInMs), perSecond, refusals })
      rateToldAtMs = nowMs
      refusals = 0
    },
    answered() {
      failingSinceMs = null
      if (isToldFailing) onEvent({ kind: 'endpointRecovered', host })
      isToldFailing = false
      if (rateToldAtMs === null || clock.nowMs() - refusedAtMs < quietMs) return
      rateToldAtMs = null
      refusals = 0
      onEvent({ kind: 'rateRestored', host })
    },
  }
}
