import { AttestryError } from '../errors/baseError.ts'
import { RpcMalformedError, RpcUnreachableError } from '../errors/rpcErrors.ts'
import type { EndpointAddress } from './parseEndpointUrl.ts'

/** In how many parts the time for an exchange passes. */
const timeoutParts = 10

/** The reason of the abort of an exchange that took too long. */
export const timeoutReason = new Error('timeout')

/**
 * Runs one exchange with an endpoint. The signal of `run` is aborted with the caller's signal and after `timeoutMs`. Time in
 * which this process does not run counts as one part at most: an answer that came meanwhile is still read.
 * @throws the signal's reason; RpcUnreachableError in place of any error that is not an AttestryError.
 */
export async function runExchange<Result>(
  address: EndpointAddress,
  timeoutMs: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted()
  const controller = new AbortController()
  let partsLeft = timeoutParts
  const timer = setTimeout(() => {
    if (--partsLeft > 0) timer.refresh()
    else controller.abort(timeoutReason)
  }, timeoutMs / timeoutParts)
  const onAbort = () => controller.abort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await run(controller.signal)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof AttestryError) throw error
    throw unreachable(address, error, controller.signal.reason === timeoutReason ? timeoutMs : null)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

/** The error of an answer with more than `bytesMax` bytes. */
export function tooLarge(host: string, bytesMax: number): RpcMalformedError {
  return new RpcMalformedError(`${host} answered with more than ${bytesMax} bytes.`, {
    retryable: true,
    facts: { host, reason: 'tooLarge' },
  })
}

/** The library's own error is not passed on: its fields may hold parts of the request or of the answer. */
function unreachable(
  address: EndpointAddress,
  error: unknown,
  timeoutMs: number | null,
): RpcUnreachableError {
  const { host } = address
  const code = codeOf(error)
  if (timeoutMs !== null || code === 'UND_ERR_CONNECT_TIMEOUT') {
    const within = timeoutMs === null ? 'in time' : `within ${timeoutMs} ms`
    return new RpcUnreachableError(`${host} did not answer ${within}.`, {
      retryable: true,
      facts: { host, reason: 'timeout' },
    })
  }
  const text = error instanceof Error ? address.redact(error.message).slice(0, 200) : ''
  const cause = Object.assign(new Error(text), { code })
  const reason = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code)
    ? 'refused'
    : 'broken'
  return new RpcUnreachableError(`${host} cannot be reached (${code === '' ? 'no answer' : code}).`, {
    cause,
    retryable: true,
    facts: { host, reason },
  })
}

/** The code of an error of Node.js or of a library; empty without one. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
