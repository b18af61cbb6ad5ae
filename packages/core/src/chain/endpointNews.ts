import type { AttestryError } from '../errors/baseError.ts'
import type { Clock } from '../model/clock.ts'
import type { ChainEvent } from './chainClientOptions.ts'

/** Reports an endpoint's failures. An endpoint that fails now and then must not fill the log. */
export interface EndpointNews {
  /** The endpoint failed. */
  failed(error: AttestryError): void
  /** The endpoint asked for fewer requests, for `retryInMs`. `perSecond`: the rate from now on. */
  rateLimited(retryInMs: number, perSecond: number | null): void
  /** A request was answered. */
  answered(): void
}

/** Shortest time between two reported failures. A failure that lasts for `lastingMs` is reported earlier. */
const quietMs = 300_000
const lastingMs = 10_000
/** Shortest time between two reports that an endpoint asks for fewer requests. Pauses of this length are always reported. */
const rateQuietMs = 600_000

/** The failures, reported and not yet reported. */
interface FailureNews {
  readonly isTold: boolean
  readonly toldAtMs: number
  /** The time since which no request was answered; null if the newest one was. */
  readonly sinceMs: number | null
  /** Failures that were not reported. */
  readonly times: number
}

/** The refusals for the rate, reported and not yet reported. */
interface RateNews {
  /** The time of the newest report; null if there is no report, or its end was reported. */
  readonly toldAtMs: number | null
  readonly refusedAtMs: number
  /** Refusals that were not reported. */
  readonly refusals: number
}

export function createEndpointNews(
  host: string,
  clock: Clock,
  onEvent: (event: ChainEvent) => void,
): EndpointNews {
  let failure: FailureNews = { isTold: false, toldAtMs: Number.NEGATIVE_INFINITY, sinceMs: null, times: 0 }
  let rate: RateNews = { toldAtMs: null, refusedAtMs: Number.NEGATIVE_INFINITY, refusals: 0 }

  return {
    failed(error) {
      const nowMs = clock.nowMs()
      const { isTold, toldAtMs } = failure
      const sinceMs = failure.sinceMs ?? nowMs
      const times = failure.times + 1
      failure = { ...failure, sinceMs, times }
      if (isTold || (nowMs - toldAtMs < quietMs && nowMs - sinceMs < lastingMs)) return
      onEvent({ kind: 'endpointFailed', host, code: error.code, message: error.message, times })
      failure = { isTold: true, toldAtMs: nowMs, sinceMs, times: 0 }
    },
    rateLimited(retryInMs, perSecond) {
      const nowMs = clock.nowMs()
      const refusals = rate.refusals + 1
      const isTold = rate.toldAtMs !== null && nowMs - rate.toldAtMs < rateQuietMs
      rate = { ...rate, refusedAtMs: nowMs, refusals }
      if (isTold && retryInMs < rateQuietMs) return
      onEvent({ kind: 'rateLimited', host, retryInMs: Math.round(retryInMs), perSecond, refusals })
      rate = { toldAtMs: nowMs, refusedAtMs: nowMs, refusals: 0 }
    },
    answered() {
      if (failure.isTold) onEvent({ kind: 'endpointRecovered', host })
      failure = { ...failure, isTold: false, sinceMs: null }
      if (rate.toldAtMs === null || clock.nowMs() - rate.refusedAtMs < quietMs) return
      rate = { ...rate, toldAtMs: null, refusals: 0 }
      onEvent({ kind: 'rateRestored', host })
    },
  }
}
