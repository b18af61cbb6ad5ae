import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { readFileSync, writeFileSync } from 'node:fs'
import { writeTables, type TableTexts } from './postgresTables.ts'

/** A database that the program at `commit` made of the recorded chain up to `fixtureHead`. */
export interface Fixture {
  readonly layout: number
  readonly commit: string
}

/** The layouts since version 0.1.0, which can be upgraded; there is a database of each for SQLite and for PostgreSQL. */
export const fixtures: readonly Fixture[] = [
  { layout: 23, commit: '7eede1a' },
  { layout: 24, commit: '7b41c70' },
  { layout: 25, commit: '7cfd649' },
]

/** The checkpoint of the databases; the recorded chain continues above it. */
export const fixtureHead = 90

/** The rank threshold of the databases: small, so that some lists have rank trees. */
export const fixtureRankThreshold = 8

export function fixturePath(layout: number): URL {
  return new URL(`layout-${layout}.db.br`, import.meta.url)
}

export function postgresFixturePath(layout: number): URL {
  return new URL(`layout-${layout}.postgres.json.br`, import.meta.url)
}

/** Writes the SQLite database of a layout to a path. */
export function unpackFixture(layout: number, path: string): void {
  writeFileSync(path, brotliDecompressSync(readFileSync(fixturePath(layout))))
}

/** Fills an empty PostgreSQL database with the one of a layout. */
export async function unpackPostgresFixture(layout: number, url: string): Promise<void> {
  const packed = brotliDecompressSync(readFileSync(postgresFixturePath(layout))).toString()
  await writeTables(url, layout, JSON.parse(packed) as TableTexts)
}

export function packPostgresFixture(layout: number, texts: TableTexts): void {
  writeFileSync(postgresFixturePath(layout), brotliCompressSync(JSON.stringify(texts)))
}
