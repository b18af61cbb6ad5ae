import { AttestryError } from '@attestry/core/errors/baseError.ts'
import { StoreIncompatibleError, StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { errorOfFailure, type KnownFailure } from '../port/knownFailure.ts'

/** By primary result code (https://www.sqlite.org/rescode.html). */
const failures: Readonly<Record<number, KnownFailure>> = {
  3: { kind: 'lasting', text: 'cannot be written: it is read-only' }, // SQLITE_PERM
  5: { kind: 'passing', text: 'is locked by another process' }, // SQLITE_BUSY
  6: { kind: 'passing', text: 'is locked by another process' }, // SQLITE_LOCKED
  8: { kind: 'lasting', text: 'cannot be written: it is read-only' }, // SQLITE_READONLY
  10: { kind: 'lasting', text: 'cannot be read or written: the disk failed' }, // SQLITE_IOERR
  11: { kind: 'lasting', text: 'is damaged: restore it or index afresh' }, // SQLITE_CORRUPT
  13: { kind: 'passing', text: 'cannot grow: its disk is full, or that of temporary files (TMPDIR)' }, // SQLITE_FULL
  14: { kind: 'lasting', text: 'cannot be opened: the file is missing or not accessible' }, // SQLITE_CANTOPEN
  19: { kind: 'invariant', text: '' }, // SQLITE_CONSTRAINT
}

/** Codes that need another message. */
const resultCode = { error: 1, notADatabase: 26 } as const

/**
 * Runs a piece of the store's work; whatever `node:sqlite` or the file system throws leaves it as one of our errors,
 * told apart by code. `path` is for the message.
 */
export function translatingErrors<Result>(path: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw translateSqliteError(path, error)
  }
}

/** Runs work; what it throws leaves as one of our errors. */
export async function withOwnErrors<Result>(
  path: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw translateSqliteError(path, error)
  }
}

/**
 * The error of ours for anything thrown by `node:sqlite`; what is neither its error nor a known one is returned as it
 * is.
 */
export function translateSqliteError(path: string, error: unknown): unknown {
  if (error instanceof AttestryError || !(error instanceof Error)) return error
  const sqliteCode = sqliteCodeOf(error)
  const options = { cause: error, facts: { path, sqliteCode } }
  if (sqliteCode === null) {
    return closedConnection(error)
      ? new StoreUnavailableError(`the database ${path} is closed`, options)
      : error
  }
  const primary = sqliteCode & 0xff
  if (primary === resultCode.notADatabase) {
    return new StoreIncompatibleError(`${path} is no SQLite database`, options)
  }
  const failure = primary === resultCode.error ? errorByMessage(error) : failures[primary]
  return failure === undefined ? error : errorOfFailure(path, failure, options)
}

/** A newer version has brought the layout up to date while this one had the database open. */
function errorByMessage({ message }: Error): KnownFailure | undefined {
  return /^no such (?:table|column)/.test(message)
    ? { kind: 'incompatible', text: 'has not the tables and columns of this version' }
    : undefined
}

/** Whether an insert failed because a row of the same unique key is there (SQLITE_CONSTRAINT_UNIQUE). */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && sqliteCodeOf(error) === 2067
}

function sqliteCodeOf(error: Error): number | null {
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null
}

function closedConnection(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_INVALID_STATE'
}
