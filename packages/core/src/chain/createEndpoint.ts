import { createBatchSize, type BatchSize } from './batchSize.ts'
import { AttestryError } from '../errors/baseError.ts'
import {
  RpcClosedError,
  RpcMalformedError,
  RpcRateLimitedError,
  RpcUnreachableError,
  RpcWrongChainError,
} from '../errors/rpcErrors.ts'
import type { ChainId } from '../model/compositeId.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import { createHttpTransport } from './createHttpTransport.ts'
import { createLogDoubts, createLogRange, type LogDoubts, type LogRange } from './createLogRange.ts'
import { createWebSocketTransport } from './createWebSocketTransport.ts'
import { traced } from '../model/traced.ts'
import {
  encodeCalls,
  type EncodedCalls,
  type RpcAnswer,
  type RpcCall,
  type RpcErrorObject,
} from './matchAnswers.ts'
import { parseEndpointUrl } from './parseEndpointUrl.ts'
import { parseQuantity } from './parseQuantity.ts'
import {
  afterAsking,
  afterContradiction,
  afterFailure,
  afterSuccess,
  delayAsked,
  healthy,
  inQuarantine,
  isContradictory,
  pauseAt,
  trusted,
  type EndpointHealth,
  type EndpointTrust,
} from './endpointHealth.ts'
import { createEndpointNews } from './endpointNews.ts'
import { createRequestBudget } from './requestBudget.ts'
import { createRequestPace } from './requestPace.ts'
import { explainError, readExchange, type Exchanged, type Explained } from './readExchange.ts'
import type { RpcReply, RpcTransport } from './rpcTransport.ts'

/**
 * One endpoint: its connections, and three states of it as values: its identity, its health and how far it is trusted
 * (endpointHealth.ts). Invariants:
 * 1. The first call is `eth_chainId`; other calls follow only after the answer is the chain's id. The same holds after
 *    a lost connection, because another node may listen at the URL afterwards.
 * 2. `availableAtMs` lies in the future only after a failure, until the next success, or during a quarantine or a pause
 *    that the endpoint asked for, until its end.
 */
export interface Endpoint extends BatchSize {
  readonly host: string
  readonly logRange: LogRange
  readonly logDoubts: LogDoubts
  /** The earliest time of the next request. */
  availableAtMs(): number
  /** Failures since the last success. */
  failures(): number
  isSaturated(): boolean
  /**
   * The id of the chain that the endpoint serves, if that is the wrong one; null otherwise, or before the first answer.
   */
  wrongChainId(): ChainId | null
  /**
   * One exchange, after the check of the chain id. Rejects with a retryable error if the endpoint as a whole
   * failed; that failure is counted already.
   */
  exchange(calls: readonly RpcCall[], signal: AbortSignal): Promise<Exchanged>
  /**
   * An exchange of one call, which always has an answer. Rejects with an `isTooLarge` error beyond `bytesMax` bytes, by
   * default the limit of the options. A smaller limit of the caller does not count as a failure of the endpoint.
   * `onSent` is called when the request is sent, which may be long after this call where others wait before it.
   */
  exchangeOne(call: RpcCall, signal: AbortSignal, bytesMax?: number, onSent?: () => void): Promise<RpcAnswer>
  /** Classifies the error in the answer to a call, and makes the caller's error of it. */
  explain(call: RpcCall, error: RpcErrorObject, batchSize: number): Explained
  /** Counts a failure in the content of an answer. */
  noteFailure(error: AttestryError): void
  /**
   * Counts an answer that contradicts other endpoints. A lagging node gives a few of those. Returns whether there were
   * too many within an hour.
   */
  noteContradiction(error: AttestryError): boolean
  /** Starts a quarantine. Each one is longer than the one before. */
  quarantine(error: AttestryError): void
  isQuarantined(): boolean
  /** Whether the endpoint has named this block or a later one. */
  isKnownToHave(blockNumber: number): boolean
  /** Remembers that the endpoint named a block. */
  noteBlock(blockNumber: number): void
  /** Counts an exchange with valid content. */
  noteSuccess(): void
  /** The newest failure; null while the endpoint is healthy. */
  lastError(): AttestryError | null
  /** Listens to notifications; null if the endpoint cannot send any. */
  readonly listen: RpcTransport['listen']
  destroy(): Promise<void>
}

/** The known identity of the chain that the endpoint serves. `checks`: how often it was found to be a wrong one. */
type Identity =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong'; readonly foundChainId: ChainId; readonly checks: number }

export function createEndpoint(url: string, options: ResolvedOptions): Endpoint {
  const address = parseEndpointUrl(url)
  const { host } = address
  const { clock, onEvent } = options
  const createTransport = address.scheme === 'ws' ? createWebSocketTransport : createHttpTransport
  const transport = (options.createTransport ?? createTransport)(address, options)
  const limits = { inFlight: options.concurrencyPerEndpoint, perSecond: options.callsPerSecond }
  const pace = createRequestPace()
  const budget = createRequestBudget(limits, clock, options.sharedBudget, pace)
  const news = createEndpointNews(host, clock, onEvent)
  const batchSize = createBatchSize(options.batchSizeMax, clock, (batchMax) => {
    onEvent({ kind: 'batchLimited', host, batchMax })
  })
  let identity: Identity = { kind: 'unknown' }
  let health: EndpointHealth = healthy
  let trust: EndpointTrust = trusted
  let newestBlock = -1
  let chainCheck: Promise<void> | null = null
  let nextId = 1

  function noteFailure(error: AttestryError, failuresBefore: number) {
    const nowMs = clock.nowMs()
    health = afterAsking(health, error, nowMs)
    // Requests that were in flight together fail together, which counts as one failure.
    if (failuresBefore < health.failuresEver) return
    const delayMs = delayAsked(error) ?? backoffMs(health.failures, options)
    health = afterFailure(health, { error, nowMs, delayMs })
    // After a lost connection another node may listen at the URL.
    if (
      error instanceof RpcUnreachableError &&
      error.facts['reason'] === 'refused' &&
      identity.kind === 'right'
    ) {
      identity = { kind: 'unknown' }
      newestBlock = -1
    }
    if (error instanceof RpcRateLimitedError) news.rateLimited(delayMs, pace.perSecond())
    else news.failed(error)
  }

  function noteSuccess() {
    news.answered()
    health = afterSuccess(health)
  }

  /** The error in which the endpoint asked for a pause that is not over; null: none. */
  function pauseAsked(): AttestryError | null {
    return pauseAt(health, clock.nowMs())
  }

  function postTraced(
    encoded: EncodedCalls,
    calls: readonly RpcCall[],
    signal: AbortSignal,
    bytesMax: number,
  ): Promise<RpcReply> {
    if (!traced.rpc.hasSubscribers) return transport.post(encoded, signal, bytesMax)
    const work = { host, methods: calls.map(({ method }) => method), headers: {} }
    return traced.rpc.tracePromise(
      () => transport.post({ ...encoded, headers: work.headers }, signal, bytesMax),
      work,
    )
  }

  /** Sends without the check of the chain id. */
  async function send(
    calls: readonly RpcCall[],
    signal: AbortSignal,
    bytesMax = options.maxResponseBytes,
    onSent?: () => void,
  ): Promise<Exchanged> {
    await budget.acquire(calls.length, signal)
    onSent?.()
    const failuresBefore = health.failuresEver
    const sentAtMs = clock.nowMs()
    try {
      // Asked for while this request waited its turn.
      const pause = pauseAsked()
      if (pause !== null) throw pause
      const firstId = nextId
      nextId += calls.length
      const answer = await postTraced(encodeCalls(calls, firstId), calls, signal, bytesMax)
      const exchanged = readExchange(answer, calls, firstId, address)
      options.onRequest(host, null)
      const refusal = findRateRefusal(calls, exchanged)
      if (refusal === null) pace.noteAnswered(clock.nowMs())
      else {
        pace.noteRefused(sentAtMs, clock.nowMs())
        noteFailure(refusal, failuresBefore)
      }
      return exchanged
    } catch (error) {
      if (!signal.aborted && error instanceof AttestryError && error !== pauseAsked()) {
        const isOurLimit = bytesMax < options.maxResponseBytes && isTooLarge(error)
        options.onRequest(host, isOurLimit ? null : error.code)
        if (error instanceof RpcRateLimitedError) pace.noteRefused(sentAtMs, clock.nowMs())
        if (!isOurLimit) noteFailure(error, failuresBefore)
      }
      throw error
    } finally {
      budget.release()
    }
  }

  /** The refusal of a call for the rate of requests, in an answer with a status of success. */
  function findRateRefusal(calls: readonly RpcCall[], exchanged: Exchanged): AttestryError | null {
    if (exchanged.kind !== 'answers') return null
    for (const [index, answer] of exchanged.answers.entries()) {
      const call = calls[index]
      if (answer?.kind !== 'error' || call === undefined) continue
      const { error } = explainError(call, answer.error, calls.length, address)
      if (error instanceof RpcRateLimitedError) return error
    }
    return null
  }

  async function checkChain(signal: AbortSignal): Promise<void> {
    const exchanged = await send([{ method: 'eth_chainId', params: [] }], signal)
    const answer = exchanged.kind === 'answers' ? exchanged.answers[0] : null
    const found = answer?.kind === 'result' ? parseQuantity(answer.value, Number.MAX_SAFE_INTEGER) : null
    if (found === null) {
      const error =
        answer?.kind === 'error'
          ? explainError({ method: 'eth_chainId', params: [] }, answer.error, 1, address).error
          : new RpcMalformedError(`${host} did not say which chain it serves.`, {
              retryable: true,
              facts: { host },
            })
      if (!(error instanceof RpcRateLimitedError)) noteFailure(error, health.failuresEver)
      throw error
    }
    if (found === options.chainId) {
      noteSuccess()
      identity = { kind: 'right' }
      return
    }
    const checks = identity.kind === 'wrong' ? identity.checks : 0
    if (checks === 0) {
      onEvent({ kind: 'wrongChain', host, expectedChainId: options.chainId, foundChainId: found })
    }
    identity = { kind: 'wrong', foundChainId: found, checks: checks + 1 }
    const delayMs = wrongChainRetryMs * 2 ** Math.min(checks, 20)
    health = { ...health, availableAtMs: clock.nowMs() + Math.min(delayMs, wrongChainRetryMaxMs) }
    throw new RpcWrongChainError(`${host} serves chain ${found} instead of ${options.chainId}.`, {
      retryable: true,
      facts: { host, expectedChainId: options.chainId, foundChainId: found },
    })
  }

  /** All waiting callers share one check. A caller that aborts does not end the check of the others. */
  async function ensureChain(signal: AbortSignal): Promise<void> {
    while (identity.kind !== 'right') {
      signal.throwIfAborted()
      if (chainCheck === null) {
        chainCheck = checkChain(signal).finally(() => {
          chainCheck = null
        })
        await chainCheck
        return
      }
      const aborted = Promise.withResolvers<never>()
      const onAbort = () => aborted.reject(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        await Promise.race([chainCheck, aborted.promise])
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (error instanceof AttestryError && !(error instanceof RpcClosedError)) throw error
        // The caller that made the check has aborted: make another one.
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
    }
  }

  async function exchange(
    calls: readonly RpcCall[],
    signal: AbortSignal,
    bytesMax?: number,
    onSent?: () => void,
  ): Promise<Exchanged> {
    await ensureChain(signal)
    return send(calls, signal, bytesMax, onSent)
  }

  return {
    host,
    logRange: createLogRange(options.logRangeInitialBlocks, options.logRangeMaxBlocks),
    logDoubts: createLogDoubts(),
    availableAtMs: () => Math.max(health.availableAtMs, health.pause?.untilMs ?? 0, trust.quarantinedUntilMs),
    failures: () => health.failures,
    isSaturated: () => budget.isFull(),
    wrongChainId: () => (identity.kind === 'wrong' ? identity.foundChainId : null),
    ...batchSize,
    exchange,
    async exchangeOne(call, signal, bytesMax, onSent) {
      const exchanged = await exchange([call], signal, bytesMax, onSent)
      const answer = exchanged.kind === 'answers' ? exchanged.answers[0] : null
      if (answer !== null && answer !== undefined) return answer
      throw new RpcMalformedError(`${host} did not answer ${call.method}.`, {
        retryable: true,
        facts: { host, method: call.method },
      })
    },
    explain: (call, error, batchSize) => explainError(call, error, batchSize, address),
    noteFailure(error) {
      // A refusal for the rate was counted with its answer.
      if (!(error instanceof RpcRateLimitedError)) noteFailure(error, health.failuresEver)
    },
    noteContradiction(error) {
      trust = afterContradiction(trust, clock.nowMs())
      noteFailure(error, health.failuresEver)
      return isContradictory(trust)
    },
    quarantine(error) {
      const nowMs = clock.nowMs()
      trust = inQuarantine(trust, nowMs)
      health = { ...health, lastError: error }
      const retryInMs = trust.quarantinedUntilMs - nowMs
      onEvent({ kind: 'quarantined', host, code: error.code, message: error.message, retryInMs })
    },
    isQuarantined: () => trust.quarantinedUntilMs > clock.nowMs(),
    isKnownToHave: (blockNumber) => blockNumber <= newestBlock,
    noteBlock: (blockNumber) => {
      newestBlock = Math.max(newestBlock, blockNumber)
    },
    noteSuccess,
    lastError: () => pauseAsked() ?? health.lastError,
    listen: transport.listen,
    destroy: () => transport.destroy(),
  }
}

/** The delay before the next request to an endpoint of a wrong chain; doubles up to the maximum. */
const wrongChainRetryMs = 15_000
const wrongChainRetryMaxMs = 300_000

/** Whether an exchange was cancelled because its answer was too large. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof RpcMalformedError && error.facts['reason'] === 'tooLarge'
}

/** Exponential, with jitter over the upper half, so that clients that failed together do not return together. */
export function backoffMs(
  failures: number,
  options: Pick<ResolvedOptions, 'retryDelayMs' | 'retryDelayMaxMs' | 'random'>,
): number {
  const ceiling = Math.min(options.retryDelayMaxMs, options.retryDelayMs * 2 ** Math.min(failures, 30))
  return ceiling * (0.5 + options.random() / 2)
}
