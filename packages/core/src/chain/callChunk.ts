import { AttestryError } from '../errors/baseError.ts'
import { RpcMalformedError, RpcRefusedError } from '../errors/rpcErrors.ts'
import type { Endpoint } from './createEndpoint.ts'
import { isEndpointError, isTimeout, isTooMuch, mayConcernSize } from './errorScope.ts'
import type { RpcAnswer, RpcCall } from './matchAnswers.ts'
import type { Exchanged } from './readExchange.ts'

/** The parts of an endpoint that a chunk needs. */
export type ChunkEndpoint = Pick<
  Endpoint,
  | 'host'
  | 'batchSizeMax'
  | 'limitBatch'
  | 'doubtBatch'
  | 'noteBatch'
  | 'exchange'
  | 'noteSuccess'
  | 'noteFailure'
>

/**
 * Turns the answer of the call with `index` into its result, or throws; after a retryable error only that call is sent
 * again.
 */
export type JudgeAnswer<Result, At> = (answer: RpcAnswer, index: number, endpoint: At) => Result

/** Runs a task on an endpoint, again after a retryable error, and rejects when patience runs out. */
export type Persist<At> = (task: (endpoint: At, signal: AbortSignal) => Promise<void>) => Promise<void>

/**
 * The results of calls, in their order. Calls are sent in batches as large as the endpoint takes. A batch is halved if it
 * is too large, or if it fails twice for any other reason. If an endpoint refuses a batch for good, it is asked with a
 * single call. A call that has a result is not sent again.
 * @throws an error of `judge` that is not retryable, or the error of `persist`.
 */
export async function callChunk<Result, At extends ChunkEndpoint>(
  calls: readonly RpcCall[],
  judge: JudgeAnswer<Result, At>,
  persist: Persist<At>,
): Promise<readonly Result[]> {
  const results = new Map<number, Result>()
  let pending: readonly IndexedCall[] = calls.map((call, index) => ({ call, index }))
  // Halved after a batch that an endpoint failed without naming a limit.
  let sizeMax = pending.length
  let failures = 0
  /** Whether what failed may have been an outage, so that larger batches are tried again. */
  let mayGrow = false
  /** The largest batch that failed at an endpoint, in words that do not speak of its size. */
  const failedSizes = new Map<At, { readonly size: number; readonly isFinal: boolean }>()

  async function sendBatch(endpoint: At, signal: AbortSignal): Promise<void> {
    const batch = pending.slice(0, Math.max(1, Math.min(endpoint.batchSizeMax(), sizeMax)))
    const half = Math.max(1, Math.floor(batch.length / 2))
    const batchCalls = batch.map(({ call }) => call)
    let exchanged: Exchanged
    try {
      exchanged = await endpoint.exchange(batchCalls, signal)
    } catch (error) {
      if (signal.aborted || batch.length === 1 || !mayConcernSize(error)) throw error
      failures++
      const isFinal = error instanceof RpcRefusedError
      if (isTooMuch(error) || failures > 1) sizeMax = half
      if (isFinal) sizeMax = 1
      mayGrow ||= !isTimeout(error)
      failedSizes.set(endpoint, {
        size: Math.max(batch.length, failedSizes.get(endpoint)?.size ?? 0),
        isFinal,
      })
      // An endpoint that refuses such calls for good would not be asked again.
      if (isFinal) return
      throw error
    }
    if (exchanged.kind === 'batchRefused') {
      endpoint.limitBatch(batch.length, exchanged.suggestedSize)
      return
    }
    const judged = judgeBatch(batch, exchanged.answers, judge, endpoint)
    for (const [index, result] of judged.results) results.set(index, result)
    pending = pending.filter(({ index }) => !judged.results.has(index))
    const endpointError = judged.errors.find(isEndpointError)
    if (endpointError === undefined) endpoint.noteSuccess()
    else endpoint.noteFailure(endpointError)
    const [firstError] = judged.errors
    if (firstError === undefined) return notePassed(endpoint, batch.length)
    // Some calls may have failed because their answers did not fit into one response.
    sizeMax = half
    if (judged.results.size === 0) throw firstError
  }

  function notePassed(endpoint: At, size: number): void {
    const failed = failedSizes.get(endpoint)
    failedSizes.delete(endpoint)
    if (failed === undefined || failed.size <= size) endpoint.noteBatch(size)
    else if (failed.isFinal) endpoint.limitBatch(failed.size, null)
    else endpoint.doubtBatch(failed.size)
    failures = 0
    if (mayGrow) sizeMax = Math.max(sizeMax, 2 * size)
  }

  while (pending.length > 0) await persist(sendBatch)
  return calls.map((_, index) => results.get(index) as Result)
}

interface IndexedCall {
  readonly call: RpcCall
  readonly index: number
}

interface JudgedBatch<Result> {
  /** By index of the call. */
  readonly results: ReadonlyMap<number, Result>
  /** Retryable errors of the other calls, in the order of the calls. */
  readonly errors: readonly AttestryError[]
}

/**
 * Judges the answers to a batch, which are in the order of its calls; null or absent if none came.
 * @throws an error of `judge` that is not retryable.
 */
function judgeBatch<Result, At extends Pick<Endpoint, 'host'>>(
  batch: readonly IndexedCall[],
  answers: readonly (RpcAnswer | null)[],
  judge: JudgeAnswer<Result, At>,
  endpoint: At,
): JudgedBatch<Result> {
  const results = new Map<number, Result>()
  const errors: AttestryError[] = []
  for (const [position, { call, index }] of batch.entries()) {
    const answer = answers[position] ?? null
    try {
      if (answer === null) throw missingAnswer(endpoint.host, call.method)
      results.set(index, judge(answer, index, endpoint))
    } catch (error) {
      if (!(error instanceof AttestryError) || !error.retryable) throw error
      errors.push(error)
    }
  }
  return { results, errors }
}

function missingAnswer(host: string, method: string): RpcMalformedError {
  return new RpcMalformedError(`${host} left ${method} out of its answer to a batch.`, {
    retryable: true,
    facts: { host, method },
  })
}
