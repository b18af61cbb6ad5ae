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
import { createLogRange, type LogRange } from './createLogRange.ts'
import { encodeCalls, type RpcAnswer, type RpcCall, type RpcErrorObject } from './matchAnswers.ts'
import { parseEndpointUrl } from './parseEndpointUrl.ts'
import { parseQuantity } from './parseQuantity.ts'
import { createRequestBudget } from './requestBudget.ts'
import { explainError, readExchange, type Exchanged, type Explained } from './readExchange.ts'

/**
 * One endpoint: its connections, and what was learnt of it. Invariants:
 * 1. No call but `eth_chainId` is sent before that one was answered with the right chain; after the connection was lost, what
 *    listens there may be another node, and it is asked again.
 * 2. `availableAtMs` lies in the future only after a failure, and the first success brings it back; or while the endpoint is in
 *    quarantine, which only time ends.
 */
export interface Endpoint {
  readonly host: string
  readonly logRange: LogRange
  /** When it may be asked again. */
  availableAtMs(): number
  /** Failures since the last success. */
  failures(): number
  isSaturated(): boolean
  /** The chain that it was found to serve instead of ours; null where it serves ours or was not asked yet. */
  wrongChainId(): ChainId | null
  batchSizeMax(): number
  /** Learns that `refused` calls in one request were too many. */
  limitBatch(refusedSize: number, suggestedSize: number | null): void
  /**
   * One HTTP exchange, after the chain id was checked. Rejects with a retryable error when the endpoint as a whole failed,
   * which is then already counted against it.
   */
  exchange(calls: readonly RpcCall[], signal: AbortSignal): Promise<Exchanged>
  /**
   * An exchange of one call, which always has an answer. An answer of more than `bytesMax` bytes, by default those that the
   * options allow, is given up with an `isTooLarge` error; below the default, that does not count against the endpoint.
   */
  exchangeOne(call: RpcCall, signal: AbortSignal, bytesMax?: number): Promise<RpcAnswer>
  /** The meaning of an error that answered a call, and the error it is for the caller. */
  explain(call: RpcCall, error: RpcErrorObject, batchSize: number): Explained
  /** Counts a failure that showed in an answer's content. */
  noteFailure(error: AttestryError): void
  /**
   * Counts an answer that does not fit what others say, which nodes that lag give at times: one that gives many in an hour is
   * no good. Returns whether that is so now.
   */
  noteContradiction(error: AttestryError): boolean
  /** Leaves the endpoint out for a while: ever longer, each time that it comes to that. */
  quarantine(error: AttestryError): void
  isQuarantined(): boolean
  /** Whether it is known to have a block: it told of it or of a later one. */
  isKnownToHave(blockNumber: number): boolean
  /** Remembers that it told of a block. */
  noteBlock(blockNumber: number): void
  /** Counts an exchange whose content was good too. */
  noteSuccess(): void
  /** The newest failure; null while it is healthy. */
  lastError(): AttestryError | null
  destroy(): Promise<void>
}

export function createEndpoint(url: string, options: ResolvedOptions): Endpoint {
  const address = parseEndpointUrl(url)
  const { host } = address
  const { clock, onEvent } = options
  const transport = (options.createTransport ?? createHttpTransport)(address, options)
  const limits = { inFlight: options.concurrencyPerEndpoint, perSecond: options.requestsPerSecond }
  const budget = createRequestBudget(limits, clock, options.sharedBudget)
  let failures = 0
  let availableAtMs = 0
  let failuresEver = 0
  let lastError: AttestryError | null = null
  let batchSizeMax = options.batchSizeMax
  let chain: 'unknown' | 'right' | 'wrong' = 'unknown'
  let foundChainId: ChainId | null = null
  let wrongChainChecks = 0
  let chainCheck: Promise<void> | null = null
  let nextId = 1
  let quarantinedUntilMs = 0
  let quarantines = 0
  let contradictedAtMs: number[] = []
  let newestBlock = -1

  function noteFailure(error: AttestryError, failuresBefore: number) {
    // Requests that were under way together fail together: that is one failure.
    if (failuresBefore < failuresEver) return
    failuresEver++
    const nowMs = clock.nowMs()
    const wait = error instanceof RpcRateLimitedError ? error.facts['retryAfterMs'] : null
    const delayMs = typeof wait === 'number' ? wait : backoffMs(failures, options)
    availableAtMs = Math.max(availableAtMs, nowMs + delayMs)
    failures++
    lastError = error
    // What listens there when it comes back may be another node.
    if (error instanceof RpcUnreachableError && error.facts['reason'] === 'refused' && chain === 'right') {
      chain = 'unknown'
      newestBlock = -1
    }
    if (error instanceof RpcRateLimitedError) {
      onEvent({ kind: 'rateLimited', host, retryInMs: Math.round(delayMs) })
    } else if (failures === 1) {
      onEvent({ kind: 'endpointFailed', host, code: error.code, message: error.message })
    }
  }

  function noteSuccess() {
    if (failures > 0) onEvent({ kind: 'endpointRecovered', host })
    failures = 0
    availableAtMs = 0
    lastError = null
  }

  /** Sends without checking the chain. */
  async function send(
    calls: readonly RpcCall[],
    signal: AbortSignal,
    bytesMax = options.maxResponseBytes,
  ): Promise<Exchanged> {
    await budget.acquire(signal)
    const failuresBefore = failuresEver
    try {
      const firstId = nextId
      nextId += calls.length
      const answer = await transport.post(encodeCalls(calls, firstId), signal, bytesMax)
      const exchanged = readExchange(answer, calls, firstId, address)
      options.onRequest(host, null)
      return exchanged
    } catch (error) {
      if (!signal.aborted && error instanceof AttestryError) {
        const isOurLimit = bytesMax < options.maxResponseBytes && isTooLarge(error)
        options.onRequest(host, isOurLimit ? null : error.code)
        if (!isOurLimit) noteFailure(error, failuresBefore)
      }
      throw error
    } finally {
      budget.release()
    }
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
      noteFailure(error, failuresEver)
      throw error
    }
    if (found === options.chainId) {
      noteSuccess()
      chain = 'right'
      wrongChainChecks = 0
      return
    }
    if (chain !== 'wrong') {
      onEvent({ kind: 'wrongChain', host, expectedChainId: options.chainId, foundChainId: found })
    }
    chain = 'wrong'
    foundChainId = found
    const delayMs = wrongChainRetryMs * 2 ** Math.min(wrongChainChecks, 20)
    wrongChainChecks++
    availableAtMs = clock.nowMs() + Math.min(delayMs, wrongChainRetryMaxMs)
    throw new RpcWrongChainError(`${host} serves chain ${found} instead of ${options.chainId}.`, {
      retryable: true,
      facts: { host, expectedChainId: options.chainId, foundChainId: found },
    })
  }

  /** One check serves all callers that wait for it; one that is aborted does not take it from the others. */
  async function ensureChain(signal: AbortSignal): Promise<void> {
    while (chain !== 'right') {
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
        // The check belonged to a caller that gave up: go round and make our own.
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
    }
  }

  async function exchange(
    calls: readonly RpcCall[],
    signal: AbortSignal,
    bytesMax?: number,
  ): Promise<Exchanged> {
    await ensureChain(signal)
    return send(calls, signal, bytesMax)
  }

  return {
    host,
    logRange: createLogRange(options.logRangeInitialBlocks, options.logRangeMaxBlocks),
    availableAtMs: () => Math.max(availableAtMs, quarantinedUntilMs),
    failures: () => failures,
    isSaturated: () => budget.isFull(),
    wrongChainId: () => (chain === 'wrong' ? foundChainId : null),
    batchSizeMax: () => batchSizeMax,
    limitBatch(refusedSize, suggestedSize) {
      const size = Math.max(1, Math.min(suggestedSize ?? Math.floor(refusedSize / 2), refusedSize - 1))
      if (size >= batchSizeMax) return
      batchSizeMax = size
      onEvent({ kind: 'batchLimited', host, batchMax: size })
    },
    exchange,
    async exchangeOne(call, signal, bytesMax) {
      const exchanged = await exchange([call], signal, bytesMax)
      const answer = exchanged.kind === 'answers' ? exchanged.answers[0] : null
      if (answer !== null && answer !== undefined) return answer
      throw new RpcMalformedError(`${host} did not answer ${call.method}.`, {
        retryable: true,
        facts: { host, method: call.method },
      })
    },
    explain: (call, error, batchSize) => explainError(call, error, batchSize, address),
    noteFailure: (error) => noteFailure(error, failuresEver),
    noteContradiction(error) {
      const nowMs = clock.nowMs()
      contradictedAtMs = [...contradictedAtMs.filter((atMs) => atMs > nowMs - contradictionWindowMs), nowMs]
      noteFailure(error, failuresEver)
      return contradictedAtMs.length >= contradictionsMax
    },
    quarantine(error) {
      const delayMs = Math.min(quarantineMs * 2 ** Math.min(quarantines, 20), quarantineMaxMs)
      quarantines++
      quarantinedUntilMs = clock.nowMs() + delayMs
      contradictedAtMs = []
      lastError = error
      onEvent({ kind: 'quarantined', host, code: error.code, message: error.message, retryInMs: delayMs })
    },
    isQuarantined: () => quarantinedUntilMs > clock.nowMs(),
    isKnownToHave: (blockNumber) => blockNumber <= newestBlock,
    noteBlock: (blockNumber) => {
      newestBlock = Math.max(newestBlock, blockNumber)
    },
    noteSuccess,
    lastError: () => lastError,
    destroy: () => transport.destroy(),
  }
}

/** Delay before an endpoint on a wrong chain is asked again; it doubles up to the maximum. */
const wrongChainRetryMs = 15_000
const wrongChainRetryMaxMs = 300_000
/** How long a quarantine lasts; it doubles each time up to the maximum. */
const quarantineMs = 600_000
export const quarantineMaxMs = 21_600_000

/** As many contradictions within so long are more than a node that lags behind its siblings gives. */
const contradictionsMax = 5
const contradictionWindowMs = 3_600_000

/** Whether an answer was given up for its size. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof RpcMalformedError && error.facts['reason'] === 'tooLarge'
}

/** Exponential with full jitter over its upper half, so that clients that failed together do not come back together. */
export function backoffMs(
  failures: number,
  options: Pick<ResolvedOptions, 'retryDelayMs' | 'retryDelayMaxMs' | 'random'>,
): number {
  const ceiling = Math.min(options.retryDelayMaxMs, options.retryDelayMs * 2 ** Math.min(failures, 30))
  return ceiling * (0.5 + options.random() / 2)
}
