import { AttestryError } from '../errors/baseError.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import {
  RpcMalformedError,
  RpcRangeTooLargeError,
  RpcRateLimitedError,
  RpcRefusedError,
  RpcUnreachableError,
  RpcWrongChainError,
} from '../errors/rpcErrors.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import { backoffMs, createEndpoint, type Endpoint } from './createEndpoint.ts'
import type { RpcAnswer, RpcCall } from './matchAnswers.ts'

/** The endpoints of a chain, and the patience to get an answer out of one of them. */
export interface EndpointPool {
  /** Whether there is one endpoint, and nobody to ask beside it. */
  readonly isAlone: boolean
  /** The endpoint that a call would be sent to now; of those that `mayServe`, where there is one. */
  preferred(mayServe?: (endpoint: Endpoint) => boolean): Endpoint
  /** Those that may be asked now: neither of another chain nor in quarantine nor failing. */
  available(): readonly Endpoint[]
  /** Those that are not in quarantine: their answers count, though some may not give any now, as where another chain is served. */
  trusted(): readonly Endpoint[]
  /** Leaves an endpoint out whose answers cannot be true; one that is alone is only given time, since nobody could take its place. */
  quarantine(endpoint: Endpoint, error: AttestryError): void
  /** Counts an answer that does not fit what others say; of an endpoint that gives many, quarantine is the end. */
  noteContradiction(endpoint: Endpoint, error: AttestryError): void
  /** Calls `listener` with the error of each call that every endpoint failed and that is tried again. One listener at a time. */
  watchRetries(listener: (error: AttestryError) => void): void
  /**
   * Runs `task` on the best endpoint; after a retryable error again, on another one if there is one, with backoff, until attempts
   * or time run out. Then it rejects with the last error.
   */
  persist<Result>(
    task: (endpoint: Endpoint, signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal,
    options?: CallOptions,
  ): Promise<Result>
  /**
   * Answers all calls, in their order, in batches as large as endpoints take. `judge` turns an answer into the call's result or
   * throws; a retryable error has only that call asked again. What was answered once is not asked again.
   */
  callEach<Result>(
    calls: readonly RpcCall[],
    judge: Judge<Result>,
    signal: AbortSignal,
    options?: CallOptions,
  ): Promise<readonly Result[]>
  destroy(): Promise<void>
}

export interface CallOptions {
  /** How long it is tried; by default as long as the options of the client say. */
  readonly budgetMs?: number
  /** Endpoints that are asked only when no other one answers. */
  readonly last?: readonly Endpoint[]
}

/** `index` is that of the call. */
export type Judge<Result> = (answer: RpcAnswer, index: number, endpoint: Endpoint) => Result

export function createEndpointPool(options: ResolvedOptions): EndpointPool {
  const { clock } = options
  if (options.endpoints.length === 0) throw new TypeError('A chain needs at least one endpoint.')
  const endpoints = options.endpoints.map((url) => createEndpoint(url, options))
  let onRetry: (error: AttestryError) => void = () => undefined

  /** Available ones (at the latest after `patienceMs`) first, then those that did not yet fail this call, then healthy ones, then those with room, then by order. */
  function rank(
    misses: ReadonlyMap<Endpoint, number>,
    patienceMs = 0,
    candidates: readonly Endpoint[] = endpoints,
  ): Endpoint {
    const nowMs = clock.nowMs()
    const penalties = (endpoint: Endpoint) => [
      Math.max(0, endpoint.availableAtMs() - nowMs - patienceMs),
      misses.get(endpoint) ?? 0,
      endpoint.failures(),
      Number(endpoint.isSaturated()),
    ]
    const [best] = candidates.toSorted((a, b) => compareLexically(penalties(a), penalties(b)))
    if (best === undefined) throw new TypeError('A chain needs at least one endpoint.')
    return best
  }

  async function choose(
    misses: ReadonlyMap<Endpoint, number>,
    deadlineMs: number,
    patienceMs: number,
    signal: AbortSignal,
  ): Promise<Endpoint> {
    for (;;) {
      const endpoint = rank(misses, patienceMs)
      const delayMs = endpoint.availableAtMs() - clock.nowMs()
      if (delayMs <= 0) return endpoint
      if (endpoints.every((each) => each.wrongChainId() !== null)) throw allWrong()
      // Waiting beyond the deadline would only put off the same error.
      if (clock.nowMs() + delayMs > deadlineMs) throw endpoint.lastError() ?? allWrong()
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
    { budgetMs = options.callBudgetMs, last = [] }: CallOptions = {},
  ): Promise<Result> {
    const deadlineMs = clock.nowMs() + budgetMs
    const misses = new Map<Endpoint, number>(last.map((endpoint) => [endpoint, 1]))
    // A second opinion is worth a short wait: who gave the first one is likely to give it again.
    const patienceMs = last.length > 0 ? secondOpinionWaitMs : 0
    let attempts = 0
    for (;;) {
      signal.throwIfAborted()
      const endpoint = await choose(misses, deadlineMs, patienceMs, signal)
      try {
        return await task(endpoint, signal)
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (!(error instanceof AttestryError) || !error.retryable) throw error
        attempts++
        misses.set(endpoint, (misses.get(endpoint) ?? 0) + 1)
        if (attempts >= attemptsFor(error, endpoints.length, options.attemptsMax)) throw error
        if (attempts >= endpoints.length) onRetry(error)
        // With every endpoint tried, only time can help. One that failed as a whole is given its time by `choose`.
        if (attempts % endpoints.length === 0 && endpoint.availableAtMs() <= clock.nowMs()) {
          const delayMs = backoffMs(Math.floor(attempts / endpoints.length) - 1, options)
          if (clock.nowMs() + delayMs > deadlineMs) throw error
          await clock.sleep(delayMs, signal)
        }
      }
    }
  }

  async function callChunk<Result>(
    calls: readonly RpcCall[],
    firstIndex: number,
    judge: Judge<Result>,
    results: Result[],
    signal: AbortSignal,
    callOptions: CallOptions | undefined,
  ): Promise<void> {
    let pending = calls.map((_, offset) => firstIndex + offset)
    const callAt = (index: number): RpcCall => {
      const call = calls[index - firstIndex]
      if (call === undefined) throw new RangeError(`no call ${index}`)
      return call
    }
    // What this chunk fits into where an endpoint broke down over it without naming a limit.
    let sizeMax = pending.length
    while (pending.length > 0) {
      await persist(
        async (endpoint, attemptSignal) => {
          const asked = pending.slice(0, Math.max(1, Math.min(endpoint.batchSizeMax(), sizeMax)))
          let exchanged
          try {
            exchanged = await endpoint.exchange(asked.map(callAt), attemptSignal)
          } catch (error) {
            if (isTooMuch(error)) sizeMax = Math.max(1, Math.floor(asked.length / 2))
            throw error
          }
          if (exchanged.kind === 'batchRefused') {
            endpoint.limitBatch(asked.length, exchanged.suggestedSize)
            return
          }
          const failed = new Map<number, AttestryError>()
          asked.forEach((index, position) => {
            const answer = exchanged.answers[position] ?? null
            try {
              if (answer === null) throw missingAnswer(endpoint.host, callAt(index).method)
              results[index] = judge(answer, index, endpoint)
            } catch (error) {
              if (!(error instanceof AttestryError) || !error.retryable) throw error
              failed.set(index, error)
            }
          })
          const [firstError] = failed.values()
          const endpointError = [...failed.values()].find(isEndpointError)
          if (endpointError === undefined) endpoint.noteSuccess()
          else endpoint.noteFailure(endpointError)
          pending = pending.filter((index) => failed.has(index) || !asked.includes(index))
          if (firstError === undefined) return
          // A batch of which some calls found no room in the answer is asked in smaller pieces.
          sizeMax = Math.max(1, Math.floor(asked.length / 2))
          if (failed.size === asked.length) throw firstError
        },
        signal,
        callOptions,
      )
    }
  }

  function quarantine(endpoint: Endpoint, error: AttestryError) {
    const others = endpoints.filter(
      (each) => each !== endpoint && !each.isQuarantined() && each.wrongChainId() === null,
    )
    if (others.length === 0) endpoint.noteFailure(error)
    else endpoint.quarantine(error)
  }

  return {
    isAlone: endpoints.length < 2,
    preferred: (mayServe = () => true) => {
      const candidates = endpoints.filter(mayServe)
      return rank(new Map(), 0, candidates.length === 0 ? endpoints : candidates)
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
    async callEach<Result>(
      calls: readonly RpcCall[],
      judge: Judge<Result>,
      signal: AbortSignal,
      callOptions?: CallOptions,
    ) {
      const results: Result[] = Array.from({ length: calls.length })
      const size = options.batchSizeMax
      // The first chunk to fail ends the others.
      const siblings = new AbortController()
      const chunkSignal = AbortSignal.any([signal, siblings.signal])
      const chunks: Promise<void>[] = []
      for (let first = 0; first < calls.length; first += size) {
        chunks.push(
          callChunk(calls.slice(first, first + size), first, judge, results, chunkSignal, callOptions),
        )
      }
      try {
        await Promise.all(chunks)
      } catch (error) {
        siblings.abort()
        await Promise.allSettled(chunks)
        throw error
      }
      return results
    },
    async destroy() {
      await Promise.all(endpoints.map((endpoint) => endpoint.destroy()))
    },
  }
}

/** How long another endpoint than those that come last is waited for. */
const secondOpinionWaitMs = 2_000

/** Whether an exchange failed in a way that a smaller one might not. */
export function isTooMuch(error: unknown): boolean {
  if (!(error instanceof AttestryError)) return false
  const { reason } = error.facts
  return reason === 'timeout' || reason === 'tooLarge' || reason === 'broken'
}

/** Whether an error that answered one call says that the endpoint should be left alone for a while. */
export function isEndpointError(error: AttestryError): boolean {
  return error instanceof RpcRateLimitedError || error instanceof RpcUnreachableError
}

/** How often a call is tried: a refusal or a contradiction is not cured by asking the same endpoint again and again. */
function attemptsFor(error: AttestryError, endpointCount: number, attemptsMax: number): number {
  if (error instanceof RpcRefusedError || error instanceof RpcRangeTooLargeError) return endpointCount
  if (error instanceof InconsistentChainError) return Math.min(attemptsMax, endpointCount + 1)
  return attemptsMax
}

function missingAnswer(host: string, method: string): RpcMalformedError {
  return new RpcMalformedError(`${host} left ${method} out of its answer to a batch.`, {
    retryable: true,
    facts: { host, method },
  })
}

function compareLexically(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
