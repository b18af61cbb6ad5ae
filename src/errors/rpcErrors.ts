import { AttestryError } from './baseError.ts'

/** No endpoint of the chain answered: connection refused, timed out, reset, or a body that is no JSON-RPC. */
export class RpcUnreachableError extends AttestryError {
  override readonly code = 'RPC_UNREACHABLE'
}

/** An endpoint answered a request with a JSON-RPC error. `facts.rpcCode` is its code. */
export class RpcRefusedError extends AttestryError {
  override readonly code = 'RPC_REFUSED'
}

/** An endpoint asked for fewer requests. `facts.retryAfterMs` where it said for how long. */
export class RpcRateLimitedError extends AttestryError {
  override readonly code = 'RPC_RATE_LIMITED'
}

/** `eth_getLogs` was refused because of its range or the size of its result; the caller asks for less. */
export class RpcRangeTooLargeError extends AttestryError {
  override readonly code = 'RPC_RANGE_TOO_LARGE'
}

/** An endpoint answered with something that its method cannot return: a wrong type, a missing field. */
export class RpcMalformedError extends AttestryError {
  override readonly code = 'RPC_MALFORMED'
}

/** Every endpoint of the chain serves another chain than the configuration says. */
export class RpcWrongChainError extends AttestryError {
  override readonly code = 'RPC_WRONG_CHAIN'
}
