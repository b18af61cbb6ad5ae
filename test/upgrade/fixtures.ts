import { brotliDecompressSync } from 'node:zlib'
import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Databases of each layout, as the program at `commit` made them from the recorded chain up to `fixtureHead`.
 */
export const fixtures: readonly { readonly layout: number; readonly commit: string }[] = [
  { layout: 8, commit: '5be1b9d' },
]

/** The checkpoint of the databases; the recorded chain continues above it. */
export const fixtureHead = 90

/** The rank threshold of the databases: small, so that some lists have rank trees. */
export const fixtureRankThreshold = 8

export function fixturePath(layout: number): URL {
  return new URL(`layout-${layout}.db.br`, import.meta.url)
}

/** Writes the database of a layout to a path. */
export function unpackFixture(layout: number, path: string): void {
  writeFileSync(path, brotliDecompressSync(readFileSync(fixturePath(layout))))
}
