import { AttestryError } from './baseError.ts'

/** A request that is answered with an error of its own status. The message is sent to the client as it is. */
export abstract class ApiError extends AttestryError {
  abstract readonly statusCode: number
}

/** A parameter is missing, malformed or out of range. The message names it and says what would be right. */
export class BadParameterError extends ApiError {
  override readonly code = 'API_BAD_PARAMETER'
  override readonly statusCode = 400
}

/** A record or a path that does not exist. */
export class NotFoundError extends ApiError {
  override readonly code = 'API_NOT_FOUND'
  override readonly statusCode = 404
}
