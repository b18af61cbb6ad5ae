import type { LayoutWords } from './layoutWords.ts'

/**
 * The steps from the baseline to the layout of this version, in the words of a database. Each change of the layout
 * since version 0.1.0 is a step at the end.
 */
export const stepStatements: readonly ((words: LayoutWords) => string)[] = [
  // For the search of values in all fields: a look-up in each field costs milliseconds.
  () => 'CREATE INDEX field_value_by_key ON field_value (value_key); CREATE INDEX field_by_id ON field (id);',
]
