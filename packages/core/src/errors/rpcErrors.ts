import { AttestryError } from './baseError.ts'

/**
 * The errors of a chain's endpoints. Each names only the host of an endpoint. An error that may not repeat at another
 * endpoint, or later at the same one, is `retryable`.
 */

/** No endpoint of the chain answered: connection refused, timed out, reset, or a server error. */
export class RpcUnreachableError extends AttestryError {
  override readonly code = 'RPC_UNREACHABLE'
}

/**
 * An endpoint answered a request with a refusal. `facts.rpcCode` is its JSON-RPC code, `facts.httpStatus` its status.
 */
export class RpcRefusedError extends AttestryError {
  override readonly code = 'RPC_REFUSED'
}

/** An endpoint asked for fewer requests. `facts.retryAfterMs` is the pause, if the endpoint named one. */
export class RpcRateLimitedError extends AttestryError {
  override readonly code = 'RPC_RATE_LIMITED'
}

/** `eth_getLogs` was refused for a single block, the smallest range. `facts.blockNumber` is that block. */
export class RpcRangeTooLargeError extends AttestryError {
  override readonly code = 'RPC_RANGE_TOO_LARGE'
}

/** An endpoint gave an answer that its method cannot return: no JSON-RPC, a wrong type, a missing field. */
export class RpcMalformedError extends AttestryError {
  override readonly code = 'RPC_MALFORMED'
}

/** An endpoint does not have a block, transaction or state (yet, or any more) that another may have. */
export class RpcMissingError extends AttestryError {
  override readonly code = 'RPC_MISSING'
}

/** Every endpoint of the chain serves another chain than the configuration says. */
export class RpcWrongChainError extends AttestryError {
  override readonly code = 'RPC_WRONG_CHAIN'
}

/** An endpoint contradicts the others about final data; the endpoint is quarantined. */
export class RpcContradictionError extends AttestryError {
  override readonly code = 'RPC_CONTRADICTION'
}

/** Fewer than two endpoints answered a question whose answer counts only if two give it. */
export class RpcUnconfirmedError extends AttestryError {
  override readonly code = 'RPC_UNCONFIRMED'
}

/** The client was closed before or during a request. */
export class RpcClosedError extends AttestryError {
  override readonly code = 'RPC_CLOSED'
}
