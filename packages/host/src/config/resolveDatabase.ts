import { resolve } from 'node:path'
import { parseConnectionUrl } from '@attestry/store/postgres/connectionUrl.ts'
import { databaseDefault } from './configSchema.ts'

/** The database that holds the index. */
export type DatabaseConfig = SqliteConfig | PostgresConfig

interface ProjectedDatabase {
  /**
   * The addresses of the modules with the projections of the index (`ConfigPart.projection`); none by default. Every
   * thread and process that opens the index imports them, and not the whole capabilities.
   */
  readonly projections?: readonly string[]
}

export interface SqliteConfig extends ProjectedDatabase {
  readonly kind: 'sqlite'
  /** Absolute path of the database file. */
  readonly path: string
}

export interface PostgresConfig extends ProjectedDatabase {
  readonly kind: 'postgres'
  /** With user and password: never to be shown. */
  readonly url: string
}

/** Why a database cannot be used. Neither text quotes the value. */
export interface DatabaseMistake {
  /** The kind of value that is expected. */
  readonly expected: string
  /** A relative clause about the value; null if `expected` says enough. */
  readonly reason: string | null
}

/**
 * Resolves the value of `database`: the path of a SQLite file, bare or after `sqlite:`, relative to the working
 * directory; or the URL of a PostgreSQL database
 * (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS). A bare path begins with a folder
 * or ends in `.db`, `.sqlite` or `.sqlite3`: any other word is more likely a mistake than a file.
 */
export function resolveDatabase(text: string): DatabaseConfig | DatabaseMistake {
  const value = text.trim()
  if (/^postgres(?:ql)?:/i.test(value)) return resolvePostgres(value)
  const path = /^sqlite:(.*)$/is.exec(value)?.[1]?.replace(/^\/\/(?=\/)/, '') ?? plainPath(value)
  if (path === null)
    return { expected: `${sqliteExpected}, or the URL of a PostgreSQL database`, reason: null }
  if (path === '' || path.startsWith('//')) return { expected: sqliteExpected, reason: 'which names no file' }
  if (/\p{Cc}/u.test(path)) {
    return { expected: sqliteExpected, reason: 'which holds a control character, such as a line end' }
  }
  if (path === ':memory:') {
    return { expected: sqliteExpected, reason: 'a database in memory, which writer and readers cannot share' }
  }
  return { kind: 'sqlite', path: resolve(path) }
}

/** The mistake as a clause that follows the name of the value; `shown` is the value as far as it may be shown. */
export function formatDatabaseMistake({ expected, reason }: DatabaseMistake, shown: string): string {
  return `must be ${expected}, but is ${shown}${reason === null ? '' : `, ${reason}`}`
}

const sqliteExpected = `the path of a SQLite file, such as ${databaseDefault}`

function plainPath(value: string): string | null {
  if (/^[a-z][a-z0-9+.-]+:/i.test(value)) return null
  return /^(?:\.{0,2}[\\/]|[a-z]:[\\/])|\.(?:db|sqlite3?)$/i.test(value) ? value : null
}

function resolvePostgres(url: string): DatabaseConfig | DatabaseMistake {
  const target = parseConnectionUrl(url)
  if (!('reason' in target)) return { kind: 'postgres', url }
  return { expected: 'like postgres://user:password@host:5432/database', reason: target.reason }
}
