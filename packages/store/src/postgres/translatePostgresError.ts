import { DatabaseError } from 'pg'
import { AttestryError } from '@attestry/core/errors/baseError.ts'
import { StoreUnavailableError, TooManyLooksError } from '@attestry/core/errors/storeErrors.ts'
import { errorOfFailure, type KnownFailure } from '../port/knownFailure.ts'
import { isTlsFailure } from './connectClient.ts'

/** Runs work; what it throws leaves as one of our errors. */
export async function withOwnErrors<Result>(
  place: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw translatePostgresError(place, error)
  }
}

/**
 * Translates anything thrown by `pg` to an error of ours, by SQLSTATE
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html) or by the code of the socket. Returns any other
 * error as it is. `place` names the database without its password.
 */
export function translatePostgresError(place: string, error: unknown): unknown {
  if (error instanceof AttestryError || !(error instanceof Error)) return error
  const sqlState = error instanceof DatabaseError ? (error.code ?? null) : null
  const options = { cause: error, facts: { database: place, ...(sqlState === null ? {} : { sqlState }) } }
  if (sqlState === null) {
    if (isTlsFailure(error)) {
      const text = `cannot be reached by TLS as its URL asks: ${error.message}; see sslmode in docs/grow.md`
      return errorOfFailure(place, { kind: 'lasting', text }, options)
    }
    if (error.message === foreignFormat) return errorOfFailure(place, foreignSession, options)
    return isConnectionFailure(error)
      ? new StoreUnavailableError(`the database ${place} cannot be reached`, { ...options, retryable: true })
      : error
  }
  if (sqlState === divisionByZero) {
    return new TooManyLooksError('a condition takes more looks at records than it may', options)
  }
  const known = sentences[isLostRace(error) ? '40' : sqlState] ?? sentences[sqlState.slice(0, 2)]
  if (known === undefined) return error
  // The server names what its user may not do, and what with.
  const text = sqlState === insufficientPrivilege ? `${known.text}: ${error.message}` : known.text
  return errorOfFailure(place, { ...known, text }, options)
}

/** Statements divide only to refuse a condition: see `Dialect.refuse`. */
const divisionByZero = '22012'

export const insufficientPrivilege = '42501'

/** Statements have come to a session that lacks what an earlier one has prepared or set. */
const foreignSession: KnownFailure = {
  kind: 'passing',
  text: 'answered from another session: a pooler before it now gives sessions to clients by transaction',
}

/** By the whole code, else by its class of two characters. */
const sentences: Readonly<Record<string, KnownFailure>> = {
  '08': { kind: 'passing', text: 'cannot be reached' },
  '57': { kind: 'passing', text: 'is shutting down or starting' },
  '57014': { kind: 'passing', text: 'took longer for a statement than it may' },
  '53': { kind: 'passing', text: 'has no room for more: connections, memory or disk' },
  '53100': { kind: 'passing', text: 'cannot grow: the disk of its server is full' },
  '40': { kind: 'passing', text: 'rolled a transaction back in favour of another one' },
  '25006': { kind: 'passing', text: 'is read-only: it is a replica, or was one a moment ago' },
  '55P03': { kind: 'passing', text: 'is locked by another process' },
  '26000': foreignSession,
  '42P05': foreignSession,
  '28': { kind: 'lasting', text: 'refuses the user or the password' },
  '3D000': { kind: 'lasting', text: 'does not exist on that server' },
  '3F000': {
    kind: 'lasting',
    text: 'has no schema for the tables of its user: see search_path in docs/grow.md',
  },
  '42501': { kind: 'lasting', text: 'does not permit this to its user' },
  '58': { kind: 'lasting', text: 'cannot be read or written: the disk of its server failed' },
  XX001: { kind: 'lasting', text: 'is damaged: restore it or index afresh' },
  XX002: { kind: 'lasting', text: 'has a damaged index: rebuild it with REINDEX DATABASE' },
  '42P01': { kind: 'incompatible', text: 'has not the tables of this version' },
  '42703': { kind: 'incompatible', text: 'has not the columns of this version' },
  '42P07': { kind: 'incompatible', text: 'holds tables of another program' },
  '23': { kind: 'invariant', text: '' },
}

/**
 * Codes of sockets and of name resolution; `pg` adds errors without any code when a connection ends under a statement.
 */
const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
])

function isConnectionFailure(error: Error): boolean {
  const code = 'code' in error ? error.code : null
  if (typeof code === 'string' && socketCodes.has(code)) return true
  // A name may stand for several addresses, each of which failed in its own way.
  if (error instanceof AggregateError)
    return error.errors.some((each) => each instanceof Error && isConnectionFailure(each))
  return connectionMessages.has(error.message)
}

/** The errors that `pg` throws of its own accord, without a code, when a connection ends or does not come about. */
const connectionMessages = new Set([
  'Connection terminated unexpectedly',
  'Connection terminated',
  'Connection terminated due to connection timeout',
  'timeout expired',
  'Query read timeout',
  'Client was closed and is not queryable',
  'Client has encountered a connection error and is not queryable',
])

/** The name of the unique index whose key is taken, and the key, if an insert failed for that. */
export function uniqueViolation(error: unknown): { readonly index: string; readonly key: string } | null {
  if (!(error instanceof DatabaseError) || error.code !== '23505') return null
  return { index: error.constraint ?? '', key: /=\((.*)\)/.exec(error.detail ?? '')?.[1] ?? '' }
}

/**
 * Whether a transaction failed because one of another chain brought the same address first, or because the server ended
 * a deadlock by it.
 */
export function isLostRace(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false
  return error.code === '40P01' || uniqueViolation(error)?.index === 'address_by_bytes'
}

/** The error of a value in another format than the settings of the session ask for. */
export const foreignFormat = 'the server answers bytes in another format than hex'

/**
 * Whether a statement came to another session than those before: a pooler gives sessions to clients by transaction. The
 * other session lacks the settings and the prepared statements of the connection.
 */
export function isForeignSession(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code === '26000' || error.code === '42P05'
  return error instanceof Error && error.message === foreignFormat
}

/** Whether a statement was ended for taking longer than it may. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '57014'
}

/** Syntax, types, functions and features that the server does not know. */
const unsupported = new Set(['42601', '42704', '42883', '0A000'])

/** Whether a server refused a statement for what it does not know. */
export function isUnsupported(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && unsupported.has(error.code ?? '')
}
