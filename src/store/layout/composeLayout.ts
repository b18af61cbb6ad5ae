import { baselineStatements } from './baselineStatements.ts'
import type { Layout } from './layoutSteps.ts'
import type { LayoutWords } from './layoutWords.ts'
import { stepStatements } from './stepStatements.ts'

/**
 * The layout of a database. Some tables of the baseline and their indexes are its `own`, and stand for themselves. A
 * step that is empty in the words of the database has no number there.
 */
export function composeLayout(
  version: number,
  ownTables: string,
  ownIndexes: string,
  words: LayoutWords,
): Layout {
  return {
    baseline: { version, sql: ownTables + baselineStatements(words) + ownIndexes },
    steps: stepStatements.map((step) => step(words)).filter((sql) => sql !== ''),
  }
}
