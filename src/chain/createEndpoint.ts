import { AttestryError } from '../errors/baseError.ts'
import {
  RpcClosedError,
  RpcMalformedError,
  RpcRateLimitedError,
  RpcUnreachableError,
  RpcWrongChainError,
} from '../errors/rpcErrors.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import { classifyRefusal, type Refusal } from './classifyRefusal.ts'
import { createHttpTransport, type HttpAnswer } from './createHttpTransport.ts'
import { createLogRange, type LogRange } from './createLogRange.ts'
import { createSemaphore } from './createSemaphore.ts'
import {
  encodeCalls,
  matchAnswers,
  type MatchedAnswers,
  type RpcAnswer,
  type RpcCall,
  type RpcErrorObject,
} from './matchAnswers.ts'
import { parseEndpointUrl } from './parseEndpointUrl.ts'
import { parseQuantity } from './parseQuantity.ts'
import { refusalError } from './refusalError.ts'

/**
 * One endpoint: its connections, and what was learnt of it. Invariants:
 * 1. No call but `eth_chainId` is sent before that one was answered with the right chain; after the connection was lost, what
 *    listens there may be another node, and it is asked again.
 * 2. `availableAtMs` lies in the future only after a failure; the first success brings it back.
 */
export interface Endpoint {
  readonly host: string
  readonly logRange: LogRange
  /** When it may be asked again. */
  availableAtMs(): number
  /** Failures since the last success. */
  failures(): number
  isSaturated(): boolean
  isOnWrongChain(): boolean
  batchSizeMax(): number
  /** Learns that `refused` calls in one request were too many. */
  limitBatch(refusedSize: number, suggestedSize: number | null): void
  /**
   * One HTTP exchange, after the chain id was checked. Rejects with a retryable error when the endpoint as a whole failed,
   * which is then already counted against it.
   */
  exchange(calls: readonly RpcCall[], signal: AbortSignal): Promise<Exchanged>
  /** An exchange of one call, which always has an answer. */
  exchangeOne(call: RpcCall, signal: AbortSignal): Promise<RpcAnswer>
  /** The meaning of an error that answered a call, and the error it is for the caller. */
  explain(call: RpcCall, error: RpcErrorObject, batchSize: number): Explained
  /** Counts a failure that showed in an answer's content. */
  noteFailure(error: AttestryError): void
  /** Counts an exchange whose content was good too. */
  noteSuccess(): void
  /** The newest failure; null while it is healthy. */
  lastError(): AttestryError | null
  destroy(): Promise<void>
}

export type Exchanged =
  /** In the order of the calls; null where no answer came. */
  | { readonly kind: 'answers'; readonly answers: readonly (RpcAnswer | null)[] }
  /** The calls were too many for one request, or one request at all. */
  | { readonly kind: 'batchRefused'; readonly suggestedSize: number | null }

export interface Explained {
  readonly refusal: Refusal
  readonly error: AttestryError
}

export function createEndpoint(url: string, options: ResolvedOptions): Endpoint {
  const address = parseEndpointUrl(url)
  const { host } = address
  const { clock, onEvent } = options
  const transport = createHttpTransport(address, options)
  const semaphore = createSemaphore(options.concurrencyPerEndpoint)
  let failures = 0
  let availableAtMs = 0
  let lastFailureAtMs = -1
  let lastError: AttestryError | null = null
  let batchSizeMax = options.batchSizeMax
  let chain: 'unknown' | 'right' | 'wrong' = 'unknown'
  let wrongChainChecks = 0
  let chainCheck: Promise<void> | null = null
  let nextId = 1

  function noteFailure(error: AttestryError, startedAtMs: number) {
    // Requests that were under way together fail together: that is one failure.
    if (startedAtMs < lastFailureAtMs) return
    const nowMs = clock.nowMs()
    lastFailureAtMs = nowMs
    const wait = error instanceof RpcRateLimitedError ? error.facts['retryAfterMs'] : null
    const delayMs = typeof wait === 'number' ? wait : backoffMs(failures, options)
    availableAtMs = Math.max(availableAtMs, nowMs + delayMs)
    failures++
    lastError = error
    // What listens there when it comes back may be another node.
    if (error instanceof RpcUnreachableError && error.facts['reason'] === 'refused' && chain === 'right') {
      chain = 'unknown'
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
  async function send(calls: readonly RpcCall[], signal: AbortSignal): Promise<Exchanged> {
    await semaphore.acquire(signal)
    const startedAtMs = clock.nowMs()
    try {
      const firstId = nextId
      nextId += calls.length
      const answer = await transport.post(encodeCalls(calls, firstId), signal)
      return readExchange(answer, calls, firstId)
    } catch (error) {
      if (!signal.aborted && error instanceof AttestryError) noteFailure(error, startedAtMs)
      throw error
    } finally {
      semaphore.release()
    }
  }

  function readExchange(answer: HttpAnswer, calls: readonly RpcCall[], firstId: number): Exchanged {
    const { status } = answer
    const first = calls[0]
    if (first === undefined) return { kind: 'answers', answers: [] }
    const body = parseJson(answer.text)
    const matched = body === undefined ? null : matchAnswers(body, calls.length, firstId)
    const isOk = status >= 200 && status < 300
    // Some endpoints send proper answers, a revert for one, with a status of failure.
    if (matched?.kind === 'answers' && ![401, 402, 403, 429].includes(status)) {
      return isOk
        ? matched
        : { kind: 'answers', answers: matched.answers.map((item) => withStatus(item, status)) }
    }
    if (isOk && matched?.kind !== 'wholeError') {
      const reason = matched?.kind === 'malformed' ? matched.reason : 'the body is no JSON'
      throw new RpcMalformedError(`${host} gave an answer that is not JSON-RPC: ${reason}.`, {
        retryable: true,
        facts: { host },
      })
    }
    // A refusal as a whole, by status or by one error for all calls.
    const error = wholeError(matched)
    const refusal = classifyRefusal({
      method: first.method,
      blockCount: first.blockCount ?? 1,
      batchSize: calls.length,
      httpStatus: status,
      code: error.code,
      message: error.message,
      data: textOf(error.data),
    })
    if (calls.length > 1 && (refusal.kind === 'batchTooLarge' || !isEndpointWide(refusal, status))) {
      const suggestedSize = refusal.kind === 'batchTooLarge' ? refusal.suggestedSize : null
      return { kind: 'batchRefused', suggestedSize }
    }
    // A single call whose error came with a status of its own is like any other that was answered with an error.
    if (calls.length === 1 && !isEndpointWide(refusal, status)) {
      return { kind: 'answers', answers: [{ kind: 'error', error: { ...error, httpStatus: status } }] }
    }
    throw refusalError({
      host,
      call: first,
      refusal,
      error,
      httpStatus: status,
      retryAfterMs: answer.retryAfterMs,
      redact: address.redact,
    })
  }

  async function checkChain(signal: AbortSignal): Promise<void> {
    const exchanged = await send([{ method: 'eth_chainId', params: [] }], signal)
    const answer = exchanged.kind === 'answers' ? exchanged.answers[0] : null
    const found = answer?.kind === 'result' ? parseQuantity(answer.value, Number.MAX_SAFE_INTEGER) : null
    if (found === null) {
      const error =
        answer?.kind === 'error'
          ? explain({ method: 'eth_chainId', params: [] }, answer.error, 1).error
          : new RpcMalformedError(`${host} did not say which chain it serves.`, {
              retryable: true,
              facts: { host },
            })
      noteFailure(error, clock.nowMs())
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
    const delayMs = options.wrongChainRetryMs * 2 ** Math.min(wrongChainChecks, 20)
    wrongChainChecks++
    availableAtMs = clock.nowMs() + Math.min(delayMs, options.wrongChainRetryMaxMs)
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

  function explain(call: RpcCall, error: RpcErrorObject, batchSize: number): Explained {
    const httpStatus = error.httpStatus ?? 200
    const refusal = classifyRefusal({
      method: call.method,
      blockCount: call.blockCount ?? 1,
      batchSize,
      httpStatus,
      code: error.code,
      message: error.message,
      data: textOf(error.data),
    })
    return {
      refusal,
      error: refusalError({
        host,
        call,
        refusal,
        error,
        httpStatus,
        retryAfterMs: null,
        redact: address.redact,
      }),
    }
  }

  async function exchange(calls: readonly RpcCall[], signal: AbortSignal): Promise<Exchanged> {
    await ensureChain(signal)
    return send(calls, signal)
  }

  return {
    host,
    logRange: createLogRange(options.logRangeInitialBlocks, options.logRangeMaxBlocks),
    availableAtMs: () => availableAtMs,
    failures: () => failures,
    isSaturated: () => semaphore.isFull(),
    isOnWrongChain: () => chain === 'wrong',
    batchSizeMax: () => batchSizeMax,
    limitBatch(refusedSize, suggestedSize) {
      const size = Math.max(1, Math.min(suggestedSize ?? Math.floor(refusedSize / 2), refusedSize - 1))
      if (size >= batchSizeMax) return
      batchSizeMax = size
      onEvent({ kind: 'batchLimited', host, batchMax: size })
    },
    exchange,
    async exchangeOne(call, signal) {
      const exchanged = await exchange([call], signal)
      const answer = exchanged.kind === 'answers' ? exchanged.answers[0] : null
      if (answer !== null && answer !== undefined) return answer
      throw new RpcMalformedError(`${host} did not answer ${call.method}.`, {
        retryable: true,
        facts: { host, method: call.method },
      })
    },
    explain,
    noteFailure: (error) => noteFailure(error, clock.nowMs()),
    noteSuccess,
    lastError: () => lastError,
    destroy: () => transport.destroy(),
  }
}

/** Exponential with full jitter over its upper half, so that clients that failed together do not come back together. */
export function backoffMs(
  failures: number,
  options: Pick<ResolvedOptions, 'retryDelayMs' | 'retryDelayMaxMs' | 'random'>,
): number {
  const ceiling = Math.min(options.retryDelayMaxMs, options.retryDelayMs * 2 ** Math.min(failures, 30))
  return ceiling * (0.5 + options.random() / 2)
}

/** Whether a refusal says something of the endpoint rather than of what was asked. */
function isEndpointWide(refusal: Refusal, status: number): boolean {
  if (refusal.kind === 'rateLimited') return true
  if (refusal.kind === 'unhealthy') return status >= 500 || status === 408
  return [401, 402, 403, 404].includes(status)
}

function withStatus(answer: RpcAnswer | null, httpStatus: number): RpcAnswer | null {
  return answer?.kind === 'error' ? { kind: 'error', error: { ...answer.error, httpStatus } } : answer
}

function wholeError(matched: MatchedAnswers | null): RpcErrorObject {
  if (matched?.kind === 'wholeError') return matched.error
  if (matched?.kind === 'answers') {
    const answer = matched.answers.find((item) => item?.kind === 'error')
    if (answer?.kind === 'error') return answer.error
  }
  return { code: null, message: '', data: null }
}

/** undefined where the text is no JSON; JSON itself has no such value. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function textOf(data: unknown): string {
  if (data === null || data === undefined) return ''
  return (typeof data === 'string' ? data : JSON.stringify(data)).slice(0, 1000)
}
