import { AttestryError } from '../errors/baseError.ts'
import { RpcRateLimitedError, RpcUnreachableError } from '../errors/rpcErrors.ts'

/**
 * Whether an exchange failed in a way that a smaller one might not: a timeout, a large answer or a broken connection.
 */
export function isTooMuch(error: unknown): boolean {
  if (!(error instanceof AttestryError)) return false
  const { reason } = error.facts
  return reason === 'timeout' || reason === 'tooLarge' || reason === 'broken'
}

/** Whether the error of one call concerns the endpoint as a whole, so that the endpoint is left alone for a while. */
export function isEndpointError(error: AttestryError): boolean {
  return error instanceof RpcRateLimitedError || error instanceof RpcUnreachableError
}
