import { AttestryError } from '../errors/baseError.ts'
import { RpcRateLimitedError, RpcUnreachableError, RpcWrongChainError } from '../errors/rpcErrors.ts'

/**
 * Whether an exchange failed in a way that a smaller one might not: a timeout, a large answer or a broken connection.
 */
export function isTooMuch(error: unknown): boolean {
  if (!(error instanceof AttestryError)) return false
  const { reason } = error.facts
  return reason === 'timeout' || reason === 'tooLarge' || reason === 'broken'
}

/** Whether an endpoint took too long. */
export function isTimeout(error: unknown): boolean {
  return error instanceof AttestryError && error.facts['reason'] === 'timeout'
}

/**
 * Whether a failure may be the way in which an endpoint refuses a request for its size: providers do so with any code,
 * word and status. Not so where nothing listens or the chain is another one.
 */
export function mayConcernSize(error: unknown): boolean {
  if (!(error instanceof AttestryError) || error instanceof RpcWrongChainError) return false
  return error.retryable && error.facts['reason'] !== 'refused'
}

/** Whether the error of one call concerns the endpoint as a whole, so that the endpoint is left alone for a while. */
export function isEndpointError(error: AttestryError): boolean {
  return error instanceof RpcRateLimitedError || error instanceof RpcUnreachableError
}
