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
}

/** Why a database's URL cannot be used: a clause that follows the URL as far as it may be shown. It holds nothing of it. */
export interface DatabaseMistake {
  readonly text: string
}

/** Reads a database's URL: `sqlite:` and a path, which is taken from the working directory where it is relative. */
export function resolveDatabase(url: string): DatabaseConfig | DatabaseMistake {
  const right = `must be sqlite: and the path of a file, such as ${databaseDefault}`
  if (/^postgres(?:ql)?:/i.test(url)) {
    return { text: `a PostgreSQL database, which this version cannot use yet; it ${right}` }
  }
  const path = /^sqlite:(.*)$/is.exec(url)?.[1]?.replace(/^\/\/(?=\/)/, '')
  if (path === undefined) return { text: `but ${right}` }
  if (path === '' || path.startsWith('//') || path.includes('\0')) {
    return { text: `which names no file; it ${right}` }
  }
  if (path === ':memory:') {
    return { text: `which is in memory, where writer and readers cannot share it; it ${right}` }
  }
  return { kind: 'sqlite', path: resolve(path) }
}
