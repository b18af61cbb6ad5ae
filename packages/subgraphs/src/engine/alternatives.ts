import type { Condition, FieldCondition, FieldValue } from './condition.ts'

/**
 * One way for a row to match: every test holds. `isExact`: a row that passes the tests matches; else the tests only
 * narrow, and each row is held against the whole condition.
 */
export interface Alternative {
  readonly tests: readonly FieldCondition[]
  readonly isExact: boolean
}

/** Most alternatives of a condition; with more, the parts that multiply them are left to the rows. */
const alternativesMax = 256
/** Most tests and listed values of all alternatives together: each of them is looked at when rows are planned. */
const testsMax = 20_000

const anyRow: Alternative = { tests: [], isExact: false }

/**
 * The alternatives of a condition whose relations are resolved: their rows together hold every row that matches. A row
 * may be in several.
 */
export function listAlternatives(condition: Condition): readonly Alternative[] {
  switch (condition.kind) {
    case 'all':
      return listOfAll(condition.of.map(listAlternatives))
    case 'any': {
      const alternatives = mergeLists(condition.of.flatMap(listAlternatives))
      return alternatives.length > alternativesMax ? [anyRow] : alternatives
    }
    case 'not':
      return listNegated(condition.of)
    case 'field':
      return [{ tests: [condition], isExact: true }]
    case 'relation':
      return [anyRow]
  }
}

/** Merges alternatives that each ask for values of one and the same field, such as a list of ids written as `OR`. */
function mergeLists(alternatives: readonly Alternative[]): readonly Alternative[] {
  const merged: Alternative[] = []
  const lists = new Map<string, { readonly condition: FieldCondition; readonly values: Set<FieldValue> }>()
  for (const alternative of alternatives) {
    const [only] = alternative.tests
    const test = only?.test
    if (alternative.tests.length !== 1 || !alternative.isExact || only === undefined || test?.kind !== 'in') {
      merged.push(alternative)
      continue
    }
    const key = `${only.field} ${test.folds}`
    const list = lists.get(key) ?? { condition: only, values: new Set() }
    for (const value of test.values) list.values.add(value)
    lists.set(key, list)
  }
  for (const { condition, values } of lists.values()) {
    const test = { kind: 'in', values, folds: condition.test.kind === 'in' && condition.test.folds } as const
    merged.push({ tests: [{ ...condition, test }], isExact: true })
  }
  return merged
}

function listNegated(condition: Condition): readonly Alternative[] {
  switch (condition.kind) {
    case 'all':
      return listAlternatives({ kind: 'any', of: condition.of.map((of) => ({ kind: 'not', of })) })
    case 'any':
      return listAlternatives({ kind: 'all', of: condition.of.map((of) => ({ kind: 'not', of })) })
    case 'not':
      return listAlternatives(condition.of)
    case 'field': {
      const { test } = condition
      const isBoolean = test.kind === 'in' && [...test.values].every((value) => typeof value === 'boolean')
      if (!isBoolean || test.values.size === 0) return [anyRow]
      const values = new Set([true, false].filter((value) => !test.values.has(value)))
      return [{ tests: [{ ...condition, test: { ...test, values } }], isExact: true }]
    }
    case 'relation':
      return [anyRow]
  }
}

/** The alternatives of parts that all hold. */
function listOfAll(parts: readonly (readonly Alternative[])[]): readonly Alternative[] {
  // Those with one way to hold are joined at once: joined one by one, thousands would be copied as often.
  const single = parts.flatMap((ways) => (ways.length === 1 ? ways : []))
  const joined: Alternative = {
    tests: single.flatMap(({ tests }) => tests),
    isExact: single.every(({ isExact }) => isExact),
  }
  return parts.filter((ways) => ways.length !== 1).reduce(combine, [joined])
}

function combine(left: readonly Alternative[], right: readonly Alternative[]): readonly Alternative[] {
  const weight = left.length * weightOf(right) + right.length * weightOf(left)
  // Every row that matches is in `left` too: without `right`, the alternatives narrow less.
  if (left.length * right.length > alternativesMax || weight > testsMax)
    return left.map(({ tests }) => ({ tests, isExact: false }))
  return left.flatMap((a) =>
    right.map((b) => ({ tests: [...a.tests, ...b.tests], isExact: a.isExact && b.isExact })),
  )
}

/** How many tests and listed values alternatives have. */
function weightOf(alternatives: readonly Alternative[]): number {
  return alternatives.reduce(
    (sum, { tests }) =>
      tests.reduce((own, { test }) => own + (test.kind === 'in' ? test.values.size : 1), sum),
    0,
  )
}

/** The bounds that all tests of an alternative set to one field. */
export interface FieldBounds {
  /** The values of which one is needed; null: no test lists values. */
  readonly values: ReadonlySet<FieldValue> | null
  /** Inclusive, for integers; null if that end is open. */
  readonly from: number | null
  readonly to: number | null
  /** Whether values and bounds say all that the tests say. */
  readonly isWhole: boolean
}

export function boundsOf(tests: readonly FieldCondition[], fields: readonly string[]): FieldBounds {
  let values = null as ReadonlySet<FieldValue> | null
  let [from, to]: [number | null, number | null] = [null, null]
  let isWhole = true
  for (const { field, test } of tests) {
    if (!fields.includes(field)) continue
    if (test.kind === 'in') {
      values = values === null ? test.values : new Set([...values].filter((value) => test.values.has(value)))
    } else if (test.kind === 'like' || test.kind === 'bytes' || typeof test.value === 'string') {
      isWhole = false
    } else if (test.kind === 'gt' || test.kind === 'gte') {
      from = Math.max(from ?? -Infinity, test.kind === 'gt' ? test.value + 1 : test.value)
    } else {
      to = Math.min(to ?? Infinity, test.kind === 'lt' ? test.value - 1 : test.value)
    }
  }
  if (values !== null) {
    const [least, most] = [from ?? -Infinity, to ?? Infinity]
    values = new Set(
      [...values].filter((value) => typeof value !== 'number' || (value >= least && value <= most)),
    )
  }
  return { values, from, to, isWhole }
}

/** Whether each way to match has a test of a kind. */
export function everyWayHas(condition: Condition, isOfKind: (test: FieldCondition) => boolean): boolean {
  return listAlternatives(condition).every(({ tests }) => tests.some(isOfKind))
}

/** The values of a field that every row which matches has one of; null if the condition does not say. */
export function listedValues(condition: Condition, field: string): ReadonlySet<FieldValue> | null {
  const lists = listAlternatives(condition).map(({ tests }) => boundsOf(tests, [field]).values)
  return lists.every((values) => values !== null) ? new Set(lists.flatMap((values) => [...values])) : null
}
