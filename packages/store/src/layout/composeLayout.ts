import { baselineStatements } from './baselineStatements.ts'
import type { Layout } from './layoutSteps.ts'
import type { LayoutWords } from './layoutWords.ts'
import { stepStatements } from './stepStatements.ts'

/** The layout of version 0.1.0. Databases of versions before it have smaller numbers. */
const baselineVersion = 23

/**
 * The layout of a database. Some tables of the baseline and their indexes are its `own`, and stand for themselves. A
 * step that is empty in the words of the database leads to the next number all the same.
 */
export function composeLayout(ownTables: string, ownIndexes: string, words: LayoutWords): Layout {
  return {
    baseline: { version: baselineVersion, sql: ownTables + baselineStatements(words) + ownIndexes },
    steps: stepStatements.map((step) => step(words)),
  }
}
