import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { ApiError, OverloadedError } from '@attestry/core/errors/apiErrors.ts'
import { StoreTooMuchWorkError, StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { internalErrorMessage, storeUnavailableMessage } from '../../pipeline/envelope.ts'
import { pageTooDeep } from '../../pipeline/pageTooDeep.ts'

/** The value of `extensions.code`, by which clients distinguish errors. */
export type GraphqlErrorCode =
  | 'GRAPHQL_PARSE_FAILED'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'LIMIT_EXCEEDED'
  | 'BAD_USER_INPUT'
  | 'BAD_REQUEST'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'SERVICE_UNAVAILABLE'
  | 'INTERNAL_SERVER_ERROR'

export type PresentedError = Pick<GraphQLFormattedError, 'message'> & {
  readonly extensions: { readonly code: GraphqlErrorCode; readonly [fact: string]: unknown }
}

/**
 * Presents an error that a field threw. Only messages about the request are sent; all others are constants.
 * @param onFailure called with errors of ours or of the store, to be logged.
 */
export function presentGraphqlError(error: unknown, onFailure: (error: unknown) => void): PresentedError {
  if (error instanceof ApiError && error.statusCode < 500) return present('BAD_USER_INPUT', error.message)
  // The client has used its share of a budget.
  if (error instanceof OverloadedError) {
    return present('SERVICE_UNAVAILABLE', error.message, { retryAfter: error.retryAfterSeconds })
  }
  if (error instanceof StoreTooMuchWorkError) {
    return present('BAD_USER_INPUT', pageTooDeep(error) ?? tooMuchWorkMessage)
  }
  // Of an argument: resolvers throw no such errors.
  if (error instanceof GraphQLError) return present('BAD_USER_INPUT', error.message)
  onFailure(error)
  if (error instanceof StoreUnavailableError) return present('SERVICE_UNAVAILABLE', storeUnavailableMessage)
  return present('INTERNAL_SERVER_ERROR', internalErrorMessage)
}

/** An error about the whole request, from an error of graphql-js about the document or its variables. */
export function presentRequestError(error: GraphQLError, code: GraphqlErrorCode): GraphQLFormattedError {
  const { message, locations } = error
  const presented = present(code, message)
  return locations === undefined ? presented : { ...presented, locations }
}

export function present(
  code: GraphqlErrorCode,
  message: string,
  facts: Readonly<Record<string, unknown>> = {},
): PresentedError {
  return { message, extensions: { code, ...facts } }
}

const tooMuchWorkMessage =
  'Too many records would have to be passed over to answer this; narrow the filter, or ask without it.'
