import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { readFileSync, writeFileSync } from 'node:fs'
import { writeTables, type TableTexts } from './postgresTables.ts'

/** A database that the program at `commit` made of the recorded chain up to `fixtureHead`. */
export interface Fixture {
  readonly layout: number
  readonly commit: string
}

/** SQLite databases of each layout that can be upgraded. */
export const fixtures: readonly Fixture[] = [
  { layout: 8, commit: '5be1b9d' },
  { layout: 9, commit: 'bd93e2d' },
  { layout: 10, commit: 'af63a77' },
  { layout: 11, commit: '3d5d14e' },
  { layout: 12, commit: 'e3403f2' },
  { layout: 13, commit: 'f98fd77' },
  { layout: 14, commit: '963a19c' },
  { layout: 15, commit: 'dfdaad7' },
  { layout: 16, commit: 'dac8c26' },
  { layout: 17, commit: 'cf1ec45' },
  { layout: 18, commit: '50f3720' },
  { layout: 19, commit: 'b5022f9' },
  { layout: 20, commit: 'bdbc09d' },
  { layout: 21, commit: '225b489' },
  { layout: 22, commit: 'b0dc817' },
]

/** PostgreSQL databases of each layout that can be upgraded. */
export const postgresFixtures: readonly Fixture[] = [
  { layout: 4, commit: '5be1b9d' },
  { layout: 5, commit: 'bd93e2d' },
  { layout: 6, commit: 'af63a77' },
  { layout: 7, commit: '3d5d14e' },
  { layout: 8, commit: 'e3403f2' },
  { layout: 9, commit: 'f98fd77' },
  { layout: 10, commit: '963a19c' },
  { layout: 11, commit: 'dfdaad7' },
  { layout: 12, commit: 'dac8c26' },
  { layout: 13, commit: 'cf1ec45' },
  { layout: 14, commit: '50f3720' },
  { layout: 15, commit: 'ed997d1' },
  { layout: 16, commit: 'b5022f9' },
  { layout: 17, commit: 'bdbc09d' },
  { layout: 18, commit: '3852ece' },
  { layout: 19, commit: 'b0dc817' },
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
