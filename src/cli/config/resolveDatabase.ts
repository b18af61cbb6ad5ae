import { resolve } from 'node:path'
import { databaseDefault } from './configSchema.ts'

/** Where the index is kept. */
export type DatabaseConfig = SqliteConfig | PostgresConfig

export interface SqliteConfig {
  readonly kind: 'sqlite'
  /** Absolute path of the database file. */
  readonly path: string
}

export interface PostgresConfig {
  readonly kind: 'postgres'
  /** With its user and password: never to be shown. */
  readonly url: string
  /** URLs of its streaming replicas; likewise. */
  readonly replicas: readonly string[]
}

/** Why a database's URL cannot be used: a clause that follows the URL as far as it may be shown. It holds nothing of it. */
export interface DatabaseMistake {
  readonly text: string
}

/**
 * Reads a database's URL: `sqlite:` and a path, which is taken from the working directory where it is relative; or that of a PostgreSQL
 * database (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS).
 */
export function resolveDatabase(url: string): DatabaseConfig | DatabaseMistake {
  if (/^postgres(?:ql)?:/i.test(url)) return resolvePostgres(url)
  const right = `must be sqlite: and the path of a file, such as ${databaseDefault}`
  const path = /^sqlite:(.*)$/is.exec(url)?.[1]?.replace(/^\/\/(?=\/)/, '')
  if (path === undefined) return { text: `but ${right}, or the URL of a PostgreSQL database` }
  if (path === '' || path.startsWith('//') || path.includes('\0')) {
    return { text: `which names no file; it ${right}` }
  }
  if (path === ':memory:') {
    return { text: `which is in memory, where writer and readers cannot share it; it ${right}` }
  }
  return { kind: 'sqlite', path: resolve(path) }
}

function resolvePostgres(url: string): DatabaseConfig | DatabaseMistake {
  const right = 'must be like postgres://user:password@host:5432/database'
  if (!URL.canParse(url)) {
    return {
      text: `which is no URL (a password's signs such as @ or / stand there as %40 or %2F); it ${right}`,
    }
  }
  const { host, pathname, searchParams } = new URL(url)
  // A socket's folder may stand in a parameter.
  if (host === '' && !searchParams.has('host')) return { text: `which names no server; it ${right}` }
  if (!/^\/[^/]+$/.test(pathname)) return { text: `which names no database of the server; it ${right}` }
  return { kind: 'postgres', url, replicas: [] }
}
