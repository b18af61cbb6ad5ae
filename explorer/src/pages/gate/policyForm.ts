import type { FieldOperator } from '../../format/fieldFilters.ts'
import { withoutAbsent } from '../../format/withoutAbsent.ts'

/** A policy as the form shows it: conditions of which all, or one, must hold. */
export interface PolicyForm {
  readonly match: 'all' | 'any'
  readonly conditions: readonly Condition[]
  /** As written: `10m`. The server has a default. */
  readonly maxStaleness?: string | undefined
}

/** A term `holds`, or one within `not`. */
export interface Condition {
  /** Whether the address must hold such an attestation, or must not. */
  readonly isHeld: boolean
  /** Composite id; empty until a schema is chosen. */
  readonly schema: string
  readonly protocol?: string | undefined
  readonly attesters: readonly string[] | 'any'
  readonly fields: readonly FieldTerm[]
  /** As written: `365d`. */
  readonly maxAge?: string | undefined
  /** Number of different attesters that must have attested. */
  readonly distinctAttesters?: number | undefined
}

export interface FieldTerm {
  /** As the interface writes it: names joined by dots, with backslashes. */
  readonly path: string
  readonly operator: FieldOperator
  readonly value: string
}

export type Rule = Readonly<Record<string, unknown>>

export const emptyCondition: Condition = { isHeld: true, schema: '', attesters: [], fields: [] }

/** Reads a policy into the form; null for one that says more than the form can show. */
export function readPolicyForm(rule: Rule): PolicyForm | null {
  const { maxStaleness, ...term } = rule
  if (maxStaleness !== undefined && typeof maxStaleness !== 'string') return null
  const [[kind, value] = ['', undefined], ...others] = Object.entries(term)
  if (others.length > 0) return null
  const isList = (kind === 'all' || kind === 'any') && Array.isArray(value)
  const conditions = (isList ? (value as readonly unknown[]) : [term]).map(readCondition)
  const read = conditions.filter((condition) => condition !== null)
  if (read.length === 0 || read.length < conditions.length) return null
  return { match: kind === 'any' ? 'any' : 'all', conditions: read, maxStaleness }
}

function readCondition(term: unknown): Condition | null {
  if (!isObject(term) || Object.keys(term).length !== 1) return null
  const { not } = term
  const holder = not === undefined ? term : not
  if (!isObject(holder) || Object.keys(holder).length !== 1 || !isObject(holder['holds'])) return null
  const {
    schema = '',
    protocol,
    attester = [],
    field = {},
    maxAge,
    distinctAttesters,
    ...rest
  } = holder['holds']
  const attesters = readAttesters(attester)
  const fields = isObject(field) ? readFields(field) : null
  if (
    Object.keys(rest).length > 0 ||
    attesters === null ||
    fields === null ||
    typeof schema !== 'string' ||
    !isOptional(protocol, 'string') ||
    !isOptional(maxAge, 'string') ||
    !isOptional(distinctAttesters, 'number')
  ) {
    return null
  }
  return { isHeld: not === undefined, schema, protocol, attesters, fields, maxAge, distinctAttesters }
}

function readAttesters(value: unknown): Condition['attesters'] | null {
  if (value === 'any') return 'any'
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.every((each) => typeof each === 'string') ? list : null
}

function readFields(field: Rule): readonly FieldTerm[] | null {
  const terms = Object.entries(field).flatMap(([path, wanted]): (FieldTerm | null)[] => {
    if (!isObject(wanted)) return [readField(path, 'equals', wanted)]
    return Object.entries(wanted).map(([operator, value]) => {
      if (operator === 'in') return readField(path, 'equals', value)
      return isOperator(operator) ? readField(path, operator, value) : null
    })
  })
  const read = terms.filter((term) => term !== null)
  return read.length < terms.length ? null : read
}

function readField(path: string, operator: FieldOperator, value: unknown): FieldTerm | null {
  return typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number'
    ? { path, operator, value: String(value) }
    : null
}

const operators: readonly string[] = ['gt', 'gte', 'lt', 'lte', 'contains', 'startsWith']

function isOperator(name: string): name is FieldOperator {
  return operators.includes(name)
}

/** The policy that a form says. */
export function writePolicy({ match, conditions, maxStaleness }: PolicyForm): Rule {
  const terms = conditions.map(writeCondition)
  const [only, ...others] = terms
  const whole = only !== undefined && others.length === 0 && match === 'all' ? only : { [match]: terms }
  return { ...whole, ...withoutAbsent({ maxStaleness }) }
}

function writeCondition(condition: Condition): Rule {
  const { isHeld, schema, protocol, attesters, fields, maxAge, distinctAttesters } = condition
  const field = writeFields(fields)
  const holds = {
    schema,
    ...withoutAbsent({ protocol }),
    attester: attesters,
    ...withoutAbsent({ field, maxAge, distinctAttesters }),
  }
  return isHeld ? { holds } : { not: { holds } }
}

/** A value that equals stands alone unless the field has further conditions. */
function writeFields(fields: readonly FieldTerm[]): Rule | undefined {
  if (fields.length === 0) return undefined
  const byPath = Map.groupBy(fields, ({ path }) => path)
  return Object.fromEntries(
    [...byPath].map(([path, terms]): readonly [string, unknown] => {
      const [first] = terms
      if (terms.length === 1 && first?.operator === 'equals') return [path, writeValue(first.value)]
      const entries = terms.map(
        ({ operator, value }) => [operator === 'equals' ? 'in' : operator, writeValue(value)] as const,
      )
      return [path, Object.fromEntries(entries)]
    }),
  )
}

/** Whole numbers and truth values as JSON has them, if their digits stay the same. */
function writeValue(value: string): string | number | boolean {
  if (value === 'true' || value === 'false') return value === 'true'
  return /^-?(?:0|[1-9]\d{0,14})$/.test(value) && value !== '-0' ? Number(value) : value
}

/** The first thing that a condition lacks, as a sentence; undefined for a whole one. */
export function lackOf({ schema, attesters, fields }: Condition): string | undefined {
  if (schema === '') return 'Choose a schema.'
  if (attesters.length === 0) return 'Choose at least one attester: anybody may attest under a schema.'
  return fields.some(({ value }) => value === '') ? 'Enter each value, or remove it.' : undefined
}

/** The operators that no other condition on a field has: a policy has each once. */
export function freeOperators(
  path: string,
  operators: readonly FieldOperator[],
  others: readonly FieldTerm[],
): readonly FieldOperator[] {
  const taken = others.filter((other) => other.path === path).map(({ operator }) => operator)
  return operators.filter((operator) => !taken.includes(operator))
}

/** The term at a path of `terms`, such as `all[0].not`, with named policies in place of their names. */
export function termAt(rule: unknown, path: string, named: ReadonlyMap<string, unknown>): unknown {
  let term = followName(rule, named)
  for (const step of path.match(/[^.[\]]+/g) ?? []) {
    if (typeof term !== 'object' || term === null) return undefined
    term = followName((term as Rule)[step], named)
  }
  return term
}

function followName(term: unknown, named: ReadonlyMap<string, unknown>): unknown {
  if (!isObject(term) || typeof term['policy'] !== 'string') return term
  return named.get(term['policy'])
}

/** The condition of a term `holds`; null if the form cannot show it. */
export function conditionOf(term: unknown): Condition | null {
  return isObject(term) && 'holds' in term ? readCondition({ holds: term['holds'] }) : null
}

function isOptional(value: unknown, type: 'string'): value is string | undefined
function isOptional(value: unknown, type: 'number'): value is number | undefined
function isOptional(value: unknown, type: 'string' | 'number'): boolean {
  return value === undefined || typeof value === type
}

function isObject(value: unknown): value is Rule {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
