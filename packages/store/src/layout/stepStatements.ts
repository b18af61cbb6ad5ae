import type { LayoutWords } from './layoutWords.ts'

/**
 * The steps from the baseline to the layout of this version, in the words of a database. Each change of the layout
 * since version 0.1.0 is a step at the end.
 */
export const stepStatements: readonly ((words: LayoutWords) => string)[] = []
