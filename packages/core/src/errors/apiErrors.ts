import { AttestryError } from './baseError.ts'

/** An error with an HTTP status of its own. The message is sent to the client verbatim. */
export abstract class ApiError extends AttestryError {
  abstract readonly statusCode: number
}

/** A parameter is missing, malformed or out of range. The message names the parameter and the valid form. */
export class BadParameterError extends ApiError {
  override readonly code = 'API_BAD_PARAMETER'
  override readonly statusCode = 400
}

/** The request itself cannot be read: broken HTTP, a path that is not percent-encoded UTF-8, a bad or missing header. */
export class BadRequestError extends ApiError {
  override readonly code = 'API_BAD_REQUEST'
  override readonly statusCode = 400
}

/**
 * A GraphQL request names its document by a hash that is not known. Clients send the text when they read this message,
 * which is the one of Apollo's protocol, with the status of Apollo's server.
 */
export class PersistedQueryNotFoundError extends ApiError {
  override readonly code = 'API_PERSISTED_QUERY_NOT_FOUND'
  override readonly statusCode = 200

  constructor() {
    super('PersistedQueryNotFound')
  }
}

/** The path needs a key of its operator, and the request has none. */
export class KeyRequiredError extends ApiError {
  override readonly code = 'API_KEY_REQUIRED'
  override readonly statusCode = 401
}

/** A page of an origin that may not ask this server sent the request. */
export class OriginRefusedError extends ApiError {
  override readonly code = 'API_ORIGIN_REFUSED'
  override readonly statusCode = 403
}

/** The client closed the connection before its answer was made; nobody reads this message. */
export class RequestEndedError extends ApiError {
  override readonly code = 'API_REQUEST_ENDED'
  override readonly statusCode = 400

  constructor() {
    super('The connection was closed before the answer was made.')
  }
}

interface NotFoundOptions extends ErrorOptions {
  readonly behind?: string | null
  readonly mayCome?: boolean
}

/** A record or a path that does not exist. */
export class NotFoundError extends ApiError {
  override readonly code = 'API_NOT_FOUND'
  override readonly statusCode = 404
  /** The chains that are behind, so that the record may exist; null for none. */
  readonly behind: string | null
  /** Whether blocks that are still to be indexed may bring it. */
  readonly mayCome: boolean

  constructor(message: string, options: NotFoundOptions = {}) {
    super(message, options)
    this.behind = options.behind ?? null
    this.mayCome = options.mayCome ?? true
  }
}

/** The path exists, but not for this method. `allowedMethods` becomes the `Allow` header. */
export class MethodNotAllowedError extends ApiError {
  override readonly code = 'API_METHOD_NOT_ALLOWED'
  override readonly statusCode = 405
  readonly allowedMethods: readonly string[]

  constructor(message: string, allowedMethods: readonly string[]) {
    super(message)
    this.allowedMethods = allowedMethods
  }
}

/** The request's URL is longer than the server reads. */
export class UrlTooLongError extends ApiError {
  override readonly code = 'API_URL_TOO_LONG'
  override readonly statusCode = 414
}

/** A body is too long (413), too slow (408), cut off (400), or not JSON in UTF-8 (415). */
export class BodyRefusedError extends ApiError {
  override readonly code = 'API_BODY_REFUSED'
  override readonly statusCode: 400 | 408 | 413 | 415

  constructor(statusCode: BodyRefusedError['statusCode'], message: string) {
    super(message)
    this.statusCode = statusCode
  }
}

/** A statement is not stored: a check of it failed, which the message names. */
export class OffchainRefusedError extends ApiError {
  override readonly code = 'API_OFFCHAIN_REFUSED'
  override readonly statusCode = 422
}

/** An off-chain record that the operator deleted. */
export class DeletedError extends ApiError {
  override readonly code = 'API_DELETED'
  override readonly statusCode = 410
}

/** An answer as of a block that is not indexed yet. */
export class BlockNotIndexedError extends ApiError {
  override readonly code = 'API_BLOCK_NOT_INDEXED'
  override readonly statusCode = 409
}

/** An answer as of a block that is not, or no longer, a block of its chain. */
export class BlockNotCanonicalError extends ApiError {
  override readonly code = 'API_BLOCK_NOT_CANONICAL'
  override readonly statusCode = 412
}

/** The endpoints of a chain disagree about a block, or contradict the blocks that are indexed. */
export class BlockDisputedError extends ApiError {
  override readonly code = 'API_BLOCK_DISPUTED'
  override readonly statusCode = 503
}

/** A policy has no verdict, since the index of a chain is too old. */
export class VerdictUnknownError extends ApiError {
  override readonly code = 'API_VERDICT_UNKNOWN'
  override readonly statusCode = 503
}

/** The index is older than the version that the request asks for. */
export class VersionNotReachedError extends ApiError {
  override readonly code = 'API_VERSION_NOT_REACHED'
  override readonly statusCode = 412
}

/** The server is overloaded. */
export class OverloadedError extends ApiError {
  override readonly code = 'API_OVERLOADED'
  override readonly statusCode = 503
  /** Seconds after which to ask again. */
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds: number) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A client exceeds its rate limit. */
export class RateLimitedError extends ApiError {
  override readonly code = 'API_RATE_LIMITED'
  override readonly statusCode = 429
  /** Seconds after which to ask again. */
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds: number) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A proof cannot be made: the chain has no endpoint, or no endpoint returns the block. */
export class ProofUnavailableError extends ApiError {
  override readonly code = 'API_PROOF_UNAVAILABLE'
  override readonly statusCode = 503
  /** Seconds after which a repetition may succeed; null if it cannot. */
  readonly retryAfterSeconds: number | null

  constructor(
    message: string,
    options: { readonly retryAfterSeconds: number | null; readonly cause?: unknown },
  ) {
    const { retryAfterSeconds, cause } = options
    super(message, { cause })
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** No endpoint can prove what a request asks for. The message says why. */
export class ProofImpossibleError extends ApiError {
  override readonly code = 'API_PROOF_IMPOSSIBLE'
  override readonly statusCode = 409
}
