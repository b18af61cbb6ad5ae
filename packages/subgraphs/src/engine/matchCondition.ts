import type { Condition, FieldCondition, FieldTest, FieldValue } from './condition.ts'
import { matchesPattern } from './textPattern.ts'

/** Reads a field of a row. */
export type ValueOf<Row> = (row: Row, field: string) => FieldValue

/** Whether a row matches a condition whose relations are resolved. */
export function matches<Row>(row: Row, condition: Condition, valueOf: ValueOf<Row>): boolean {
  return holds(condition, (field) => valueOf(row, field), plainForms)
}

/**
 * `matches` for many rows. A field of a row that a thousand conditions ask for is read and converted once.
 * @param compare called with the characters that each row's patterns are held against, before they are.
 */
export function createMatcher<Row>(
  condition: Condition,
  valueOf: ValueOf<Row>,
  compare: (characters: number) => void,
): (row: Row) => boolean {
  const patterns = testsOf(condition).flatMap(({ field, test }) => {
    if (test.kind === 'like') return [{ field, cost: test.pattern.costPerCharacter }]
    return test.kind === 'bytes' ? [{ field, cost: 1 }] : []
  })
  const values = new Map<string, FieldValue>()
  const folded = new Map<string, string>()
  const bytes = new Map<string, Buffer>()
  const forms: TextForms = {
    folded: (text) => readOnce(folded, text, plainForms.folded),
    bytes: (text) => readOnce(bytes, text, plainForms.bytes),
  }
  return (row) => {
    for (const known of [values, folded, bytes]) known.clear()
    const value = (field: string) => readOnce(values, field, (name) => valueOf(row, name))
    for (const { field, cost } of patterns) compare(String(value(field)).length * cost)
    return holds(condition, value, forms)
  }
}

function readOnce<Value>(known: Map<string, Value>, key: string, read: (key: string) => Value): Value {
  const found = known.get(key) ?? read(key)
  known.set(key, found)
  return found
}

function holds(condition: Condition, value: (field: string) => FieldValue, forms: TextForms): boolean {
  switch (condition.kind) {
    case 'all':
      return condition.of.every((part) => holds(part, value, forms))
    case 'any':
      return condition.of.some((part) => holds(part, value, forms))
    case 'not':
      return !holds(condition.of, value, forms)
    case 'field':
      return passes(value(condition.field), condition.test, forms)
    case 'relation':
      throw new TypeError(`the relation ${condition.relation} of a condition was not resolved`)
  }
}

/** A text in the forms that tests hold against their own. */
interface TextForms {
  readonly folded: (text: string) => string
  /** The bytes of hexadecimal digits behind `0x`. */
  readonly bytes: (text: string) => Buffer
}

const plainForms: TextForms = {
  folded: (text) => text.toLowerCase(),
  bytes: (text) => Buffer.from(text.slice(2), 'hex'),
}

/** Whether a value passes a test. Texts are ordered by their code units. */
export function passes(given: FieldValue, test: FieldTest, forms = plainForms): boolean {
  const fold = (value: FieldValue) => (typeof value === 'string' ? forms.folded(value) : value)
  switch (test.kind) {
    case 'in':
      return test.values.has(test.folds ? fold(given) : given)
    case 'like':
      return matchesPattern(test.folds ? forms.folded(String(given)) : String(given), test.pattern)
    case 'bytes':
      return (
        holdsBytes(forms.bytes(String(given)), test) ||
        (test.pattern !== null && matchesPattern(String(given), test.pattern))
      )
    default: {
      const value = test.folds ? fold(given) : given
      // The empty text for null is neither above nor below a number.
      if (typeof value !== typeof test.value) return false
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
  return testsOf(condition).map(({ field }) => field)
}

function testsOf(condition: Condition): FieldCondition[] {
  switch (condition.kind) {
    case 'field':
      return [condition]
    case 'not':
      return testsOf(condition.of)
    case 'relation':
      return []
    default:
      return condition.of.flatMap(testsOf)
  }
}
