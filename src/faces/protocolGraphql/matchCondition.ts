import type { Condition, FieldTest, FieldValue } from './condition.ts'
import { matchesPattern } from './textPattern.ts'

/** Reads a field of a row. */
export type ValueOf<Row> = (row: Row, field: string) => FieldValue

/** Whether a row matches a condition whose relations are resolved. */
export function matches<Row>(row: Row, condition: Condition, valueOf: ValueOf<Row>): boolean {
  switch (condition.kind) {
    case 'all':
      return condition.of.every((part) => matches(row, part, valueOf))
    case 'any':
      return condition.of.some((part) => matches(row, part, valueOf))
    case 'not':
      return !matches(row, condition.of, valueOf)
    case 'field':
      return passes(valueOf(row, condition.field), condition.test)
    case 'relation':
      throw new TypeError(`the relation ${condition.relation} of a condition was not resolved`)
  }
}

/**
 * `matches` for many rows.
 * @param compare called with the characters that each row's patterns are held against, before they are.
 */
export function createMatcher<Row>(
  condition: Condition,
  valueOf: ValueOf<Row>,
  compare: (characters: number) => void,
): (row: Row) => boolean {
  const patterns = patternsOf(condition)
  return (row) => {
    for (const { field, cost } of patterns) compare(String(valueOf(row, field)).length * cost)
    return matches(row, condition, valueOf)
  }
}

function patternsOf(condition: Condition): { readonly field: string; readonly cost: number }[] {
  switch (condition.kind) {
    case 'field': {
      const { field, test } = condition
      if (test.kind === 'like') return [{ field, cost: test.pattern.costPerCharacter }]
      return test.kind === 'bytes' ? [{ field, cost: 1 }] : []
    }
    case 'not':
      return patternsOf(condition.of)
    case 'relation':
      return []
    default:
      return condition.of.flatMap(patternsOf)
  }
}

/** Whether a value passes a test. Texts are ordered by their code units. */
export function passes(given: FieldValue, test: FieldTest): boolean {
  switch (test.kind) {
    case 'in':
      return test.values.has(test.folds && typeof given === 'string' ? given.toLowerCase() : given)
    case 'like':
      return matchesPattern(test.folds ? String(given).toLowerCase() : String(given), test.pattern)
    case 'bytes':
      return (
        holdsBytes(Buffer.from(String(given).slice(2), 'hex'), test) ||
        (test.pattern !== null && matchesPattern(String(given), test.pattern))
      )
    default: {
      const value = test.folds && typeof given === 'string' ? given.toLowerCase() : given
      if (test.kind === 'lt') return value < test.value
      if (test.kind === 'lte') return value <= test.value
      return test.kind === 'gt' ? value > test.value : value >= test.value
    }
  }
}

function holdsBytes(given: Buffer, { part, bytes }: FieldTest & { readonly kind: 'bytes' }): boolean {
  switch (part) {
    case 'contains':
      return given.includes(bytes)
    case 'starts_with':
      return given.subarray(0, bytes.length).equals(bytes)
    case 'ends_with':
      return given.length >= bytes.length && given.subarray(given.length - bytes.length).equals(bytes)
  }
}

/** The fields that a condition reads. */
export function fieldsOf(condition: Condition): string[] {
  switch (condition.kind) {
    case 'field':
      return [condition.field]
    case 'not':
      return fieldsOf(condition.of)
    case 'relation':
      return []
    default:
      return condition.of.flatMap(fieldsOf)
  }
}
