import { AttestryError } from '../../errors/baseError.ts'
import {
  StoreIncompatibleError,
  StoreInvariantError,
  StoreUnavailableError,
} from '../../errors/storeErrors.ts'

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html). */
const resultCode = {
  error: 1,
  permission: 3,
  busy: 5,
  locked: 6,
  readOnly: 8,
  inputOutput: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  constraint: 19,
  notADatabase: 26,
} as const

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

/**
 * The error of ours for anything thrown by `node:sqlite`; what is neither its error nor a known one is returned as it
 * is.
 */
export function translateSqliteError(path: string, error: unknown): unknown {
  if (error instanceof AttestryError || !(error instanceof Error)) return error
  const facts = { path, sqliteCode: sqliteCodeOf(error) }
  const options = { cause: error, facts }
  switch (facts.sqliteCode === null ? null : facts.sqliteCode & 0xff) {
    case null:
      return closedConnection(error)
        ? new StoreUnavailableError(`the database ${path} is closed`, options)
        : error
    case resultCode.busy:
    case resultCode.locked:
      return new StoreUnavailableError(`the database ${path} is locked by another process`, {
        ...options,
        retryable: true,
      })
    case resultCode.readOnly:
    case resultCode.permission:
      return new StoreUnavailableError(`the database ${path} cannot be written: it is read-only`, options)
    case resultCode.full:
      return new StoreUnavailableError(`the database ${path} cannot grow: the disk is full`, {
        ...options,
        retryable: true,
      })
    case resultCode.inputOutput:
      return new StoreUnavailableError(
        `the database ${path} cannot be read or written: the disk failed`,
        options,
      )
    case resultCode.cannotOpen:
      return new StoreUnavailableError(
        `the database ${path} cannot be opened: the file is missing or not accessible`,
        options,
      )
    case resultCode.corrupt:
      return new StoreUnavailableError(`the database ${path} is damaged: restore it or index afresh`, options)
    case resultCode.notADatabase:
      return new StoreIncompatibleError(`${path} is no SQLite database`, options)
    case resultCode.constraint:
      return new StoreInvariantError(`a record contradicts the database ${path}: ${error.message}`, options)
    case resultCode.error:
      // A newer version has brought the layout up to date while this one had the database open.
      return /^no such (?:table|column)/.test(error.message)
        ? new StoreIncompatibleError(
            `the database ${path} has not the tables and columns of this version`,
            options,
          )
        : error
    default:
      return error
  }
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
