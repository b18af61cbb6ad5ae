import { AttestryError } from './baseError.ts'
import * as chunkErrors from './chunkErrors.ts'
import * as configErrors from './configErrors.ts'
import * as contractErrors from './contractErrors.ts'
import * as placeErrors from './placeErrors.ts'
import * as proofErrors from './proofErrors.ts'
import * as reorgErrors from './reorgErrors.ts'
import * as rpcErrors from './rpcErrors.ts'
import * as storeErrors from './storeErrors.ts'
import * as verdictErrors from './verdictErrors.ts'

/** A thrown value as plain data for another thread: a structured clone by itself keeps no class, code or fact. */
export interface PackedError {
  /** The name of its class. */
  readonly name: string
  readonly message: string
  readonly stack: string | null
  readonly retryable: boolean
  readonly facts: Readonly<Record<string, unknown>>
  /** null if it has none. */
  readonly cause: PackedError | null
}

/** Packs any thrown value, with its causes. */
export function packError(error: unknown): PackedError {
  const isOurs = error instanceof AttestryError
  const isError = error instanceof Error
  return {
    name: isError ? error.name : 'Error',
    message: isError ? error.message : String(error),
    stack: isError ? (error.stack ?? null) : null,
    retryable: isOurs && error.retryable,
    facts: isOurs ? error.facts : {},
    cause: isError && error.cause !== undefined ? packError(error.cause) : null,
  }
}

/**
 * The unpacked error. An error of this program has its class, code and facts again; any other keeps name, message and
 * stack. Errors of the API never leave the thread that answers, so they come back as any other error.
 */
export function unpackError({ name, message, stack, retryable, facts, cause }: PackedError): Error {
  const options = cause === null ? {} : { cause: unpackError(cause) }
  const errorClass = ownClasses[name]
  const error =
    errorClass === undefined
      ? new Error(message, options)
      : new errorClass(message, { ...options, retryable, facts })
  error.name = name
  if (stack !== null) error.stack = stack
  return error
}

/** The classes by their names, which are unique. */
const ownClasses: Readonly<
  Record<string, new (...args: ConstructorParameters<typeof AttestryError>) => AttestryError>
> = {
  ...chunkErrors,
  ...configErrors,
  ...contractErrors,
  ...placeErrors,
  ...proofErrors,
  ...reorgErrors,
  ...rpcErrors,
  ...storeErrors,
  ...verdictErrors,
}
