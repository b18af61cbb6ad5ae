import { brotliDecompressSync } from 'node:zlib'
import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Databases of earlier layouts, as the program of their time made them from the recorded chain up to `fixtureHead`. `commit` is
 * the last one before the layout changed; the newest layout's joins with the change that follows it.
 */
export const fixtures: readonly { readonly layout: number; readonly commit: string }[] = [
  { layout: 1, commit: 'c8ec436' },
  { layout: 2, commit: '414c347' },
  { layout: 3, commit: 'af3e32a' },
  { layout: 4, commit: 'f2a5857' },
  { layout: 5, commit: '770efad' },
  { layout: 6, commit: '862ff62' },
  { layout: 7, commit: '3e473e7' },
]

/** The newest block that the databases hold; the recorded chain goes on beyond it. */
export const fixtureHead = 90

/** Lists above this size have page trees in the databases: small, so that they have some. */
export const fixtureRankThreshold = 8

export function fixturePath(layout: number): URL {
  return new URL(`layout-${layout}.db.br`, import.meta.url)
}

/** Puts a fresh copy of a database of a layout to a path. */
export function unpackFixture(layout: number, path: string): void {
  writeFileSync(path, brotliDecompressSync(readFileSync(fixturePath(layout))))
}
