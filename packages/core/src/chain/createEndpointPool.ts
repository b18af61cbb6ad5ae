import { AttestryError } from '../errors/baseError.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import {
  RpcMissingError,
  RpcRangeTooLargeError,
  RpcRefusedError,
  RpcWrongChainError,
} from '../errors/rpcErrors.ts'
import { callChunk, type JudgeAnswer, type Persist } from './callChunk.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import { chooseEndpoint } from './chooseEndpoint.ts'
import { backoffMs, createEndpoint, type Endpoint } from './createEndpoint.ts'
import type { RpcAnswer, RpcCall } from './matchAnswers.ts'

/** The endpoints of a chain: chooses one for each call, and repeats calls that fail. */
export interface EndpointPool {
  /** All endpoints, in the order of the configuration. */
  readonly endpoints: readonly Endpoint[]
  /** Whether the chain has one endpoint only. */
  readonly isAlone: boolean
  /** The endpoint that a call would be sent to now, among those that `mayServe`; among all where none may. */
  preferred(mayServe?: (endpoint: Endpoint) => boolean): Endpoint
  /** Endpoints that may be asked now: of this chain, not quarantined, not backing off after a failure. */
  available(): readonly Endpoint[]
  /** Endpoints that are not quarantined. Some may not answer now: they are backing off, or serve another chain. */
  trusted(): readonly Endpoint[]
  /**
   * Quarantines an endpoint whose answers cannot be true. The last usable endpoint only backs off: none could take its
   * place.
   */
  quarantine(endpoint: Endpoint, error: AttestryError): void
  /** Counts an answer that contradicts other endpoints. An endpoint that gives many is quarantined. */
  noteContradiction(endpoint: Endpoint, error: AttestryError): void
  /**
   * Calls `listener` with the error of each call that every endpoint failed and that is repeated. Replaces the listener
   * before.
   */
  watchRetries(listener: (error: AttestryError) => void): void
  /**
   * Runs `task` on the best endpoint. After a retryable error runs the task again, on another endpoint if there is one,
   * with backoff.
   * @throws the last error, when attempts or time run out.
   */
  persist<Result>(
    task: (endpoint: Endpoint, signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal,
    options?: CallOptions,
  ): Promise<Result>
  /**
   * The results of all calls, in their order, sent in batches as large as endpoints take. `judge` turns an answer into
   * the call's result or throws; after a retryable error only that call is sent again.
   */
  callEach<Result>(
    calls: readonly RpcCall[],
    judge: JudgeAnswer<Result, Endpoint>,
    signal: AbortSignal,
    options?: CallOptions,
  ): Promise<readonly Result[]>
  /** The result of one call, in the same way. */
  callOne<Result>(
    call: RpcCall,
    judge: (answer: RpcAnswer, endpoint: Endpoint) => Result,
    signal: AbortSignal,
    options?: CallOptions,
  ): Promise<Result>
  destroy(): Promise<void>
}

export interface CallOptions {
  /** How long a call is repeated; by default `callBudgetMs` of the client. */
  readonly budgetMs?: number
  /** The endpoint that is asked before the others, if it may be asked now. */
  readonly first?: Endpoint | null
  /** Endpoints that are asked only when no other endpoint answers. */
  readonly last?: readonly Endpoint[]
  /** Whether "no endpoint has it" is an answer, of which listeners to retries are not told. */
  readonly mayBeMissing?: boolean
}

export function createEndpointPool(options: ResolvedOptions): EndpointPool {
  const { clock } = options
  if (options.endpoints.length === 0) throw new TypeError('A chain needs at least one endpoint.')
  const endpoints = options.endpoints.map((url) => createEndpoint(url, options))
  let onRetry: (error: AttestryError) => void = () => undefined

  /** The best endpoint for a call, as soon as it may be asked. */
  async function waitForEndpoint(
    misses: ReadonlyMap<Endpoint, number>,
    deadlineMs: number,
    patienceMs: number,
    signal: AbortSignal,
  ): Promise<Endpoint> {
    for (;;) {
      const endpoint = chooseEndpoint(endpoints, misses, clock.nowMs(), patienceMs)
      const delayMs = endpoint.availableAtMs() - clock.nowMs()
      if (delayMs <= 0) return endpoint
      const ofChain = endpoints.filter((each) => each.wrongChainId() === null)
      if (ofChain.length === 0) throw allWrong()
      // Waiting beyond the deadline would only put off the same error.
      if (clock.nowMs() + delayMs > deadlineMs) {
        throw chooseEndpoint(ofChain, misses, clock.nowMs(), patienceMs).lastError() ?? allWrong()
      }
      await clock.sleep(delayMs, signal)
    }
  }

  function allWrong(): RpcWrongChainError {
    const hosts = endpoints.map((endpoint) => endpoint.host)
    const found = endpoints.map(
      ({ host, wrongChainId }) => `${host} serves chain ${wrongChainId() ?? 'unknown'}`,
    )
    return new RpcWrongChainError(`No endpoint serves chain ${options.chainId}: ${found.join(', ')}.`, {
      retryable: true,
      facts: { hosts, expectedChainId: options.chainId },
    })
  }

  async function persist<Result>(
    task: (endpoint: Endpoint, signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal,
    { budgetMs = options.callBudgetMs, first = null, last = [], mayBeMissing = false }: CallOptions = {},
  ): Promise<Result> {
    const deadlineMs = clock.nowMs() + budgetMs
    const later = first === null ? last : endpoints.filter((endpoint) => endpoint !== first)
    const misses = new Map<Endpoint, number>(later.map((endpoint) => [endpoint, 1]))
    // A second opinion is worth a short wait: the endpoint of the first opinion is likely to repeat itself.
    const patienceMs = last.length > 0 ? secondOpinionWaitMs : 0
    let attempts = 0
    for (;;) {
      signal.throwIfAborted()
      const endpoint = await waitForEndpoint(misses, deadlineMs, patienceMs, signal)
      try {
        return await task(endpoint, signal)
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (!(error instanceof AttestryError) || !error.retryable) throw error
        attempts++
        misses.set(endpoint, (misses.get(endpoint) ?? 0) + 1)
        if (attempts >= attemptsFor(error, endpoints.length, options.attemptsMax)) throw error
        const isAnswer =
          mayBeMissing && (error instanceof RpcMissingError || error instanceof RpcRefusedError)
        if (attempts >= endpoints.length && !isAnswer) onRetry(error)
        // With every endpoint tried, only time can help. For an endpoint that backs off, `waitForEndpoint` waits.
        if (attempts % endpoints.length === 0 && endpoint.availableAtMs() <= clock.nowMs()) {
          const delayMs = backoffMs(Math.floor(attempts / endpoints.length) - 1, options)
          if (clock.nowMs() + delayMs > deadlineMs) throw error
          await clock.sleep(delayMs, signal)
        }
      }
    }
  }

  function quarantine(endpoint: Endpoint, error: AttestryError) {
    // The answers to requests that were under way together count as one.
    if (endpoint.isQuarantined()) return
    const others = endpoints.filter(
      (each) => each !== endpoint && !each.isQuarantined() && each.wrongChainId() === null,
    )
    if (others.length === 0) endpoint.noteFailure(error)
    else endpoint.quarantine(error)
  }

  async function callEach<Result>(
    calls: readonly RpcCall[],
    judge: JudgeAnswer<Result, Endpoint>,
    signal: AbortSignal,
    callOptions?: CallOptions,
  ): Promise<readonly Result[]> {
    // The first chunk to fail ends the others.
    const siblings = new AbortController()
    const chunkSignal = AbortSignal.any([signal, siblings.signal])
    const persistChunk: Persist<Endpoint> = (task) => persist(task, chunkSignal, callOptions)
    const chunks: Promise<readonly Result[]>[] = []
    for (let first = 0; first < calls.length; first += options.batchSizeMax) {
      const chunk = calls.slice(first, first + options.batchSizeMax)
      const judgeChunk: JudgeAnswer<Result, Endpoint> = (answer, index, endpoint) =>
        judge(answer, first + index, endpoint)
      chunks.push(callChunk(chunk, judgeChunk, persistChunk))
    }
    try {
      return (await Promise.all(chunks)).flat()
    } catch (error) {
      siblings.abort()
      await Promise.allSettled(chunks)
      throw error
    }
  }

  return {
    endpoints,
    isAlone: endpoints.length < 2,
    preferred: (mayServe = () => true) => {
      const candidates = endpoints.filter(mayServe)
      return chooseEndpoint(
        candidates.length === 0 ? endpoints : candidates,
        new Map<Endpoint, number>(),
        clock.nowMs(),
      )
    },
    available: () =>
      endpoints.filter(
        (endpoint) => endpoint.wrongChainId() === null && endpoint.availableAtMs() <= clock.nowMs(),
      ),
    trusted: () => endpoints.filter((endpoint) => !endpoint.isQuarantined()),
    quarantine,
    watchRetries(listener) {
      onRetry = listener
    },
    noteContradiction(endpoint, error) {
      if (endpoint.noteContradiction(error)) quarantine(endpoint, error)
    },
    persist,
    callEach,
    async callOne<Result>(
      call: RpcCall,
      judge: (answer: RpcAnswer, endpoint: Endpoint) => Result,
      signal: AbortSignal,
      callOptions?: CallOptions,
    ) {
      const results = await callEach(
        [call],
        (answer, _, endpoint) => judge(answer, endpoint),
        signal,
        callOptions,
      )
      // One call has one result.
      return results[0] as Result
    },
    async destroy() {
      await Promise.all(endpoints.map((endpoint) => endpoint.destroy()))
    },
  }
}

/** How long a call waits for an endpoint that is not among its `last` ones. */
const secondOpinionWaitMs = 2_000

/** Attempts at one endpoint to find a block or a state that the endpoint does not have: some four seconds. */
const missingAttemptsMax = 5

/**
 * Attempts of a call. An endpoint that refuses a call, or contradicts others, does so again when asked again. A block
 * that is missing may be late, or replaced for good: only the newest head, which the caller asks for, tells which.
 */
function attemptsFor(error: AttestryError, endpointCount: number, attemptsMax: number): number {
  if (error instanceof RpcRefusedError || error instanceof RpcRangeTooLargeError) return endpointCount
  if (error instanceof InconsistentChainError) return Math.min(attemptsMax, endpointCount + 1)
  if (error instanceof RpcMissingError) return Math.min(attemptsMax, missingAttemptsMax * endpointCount)
  return attemptsMax
}
