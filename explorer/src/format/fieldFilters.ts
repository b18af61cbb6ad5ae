import { plainText } from './inspectText.ts'
import { tupleMembers } from './tupleMembers.ts'

/**
 * Filters of attestations by the decoded fields of their schema. The URL of the page holds them under the names of the
 * interface:
 * `field[level][gte]=2`.
 */

export type FieldOperator = 'equals' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'startsWith'

/** The name of a parameter of a URL: `field[level]`, `field[level][gte]`. */
export type FieldParameter = `field[${string}`

export interface FieldFilter {
  readonly parameter: FieldParameter
  /** As the interface writes it: names joined by dots, with backslashes. */
  readonly path: string
  readonly operator: FieldOperator
  readonly value: string
}

export const operatorLabels: Readonly<Record<FieldOperator, string>> = {
  equals: 'is',
  gt: 'is greater than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  contains: 'contains',
  startsWith: 'begins with',
}

type Kind = 'integer' | 'boolean' | 'text' | 'bytes'

/** A field that filters can name. */
export interface FilteredField {
  readonly path: string
  readonly label: string
  readonly kind: Kind
  readonly operators: readonly FieldOperator[]
}

const operatorsOf: Readonly<Record<Kind, readonly FieldOperator[]>> = {
  integer: ['equals', 'gte', 'gt', 'lte', 'lt'],
  boolean: ['equals'],
  text: ['equals', 'contains', 'startsWith'],
  bytes: ['equals'],
}

/**
 * The fields for filters in the `index`-th field of a schema: itself, or the members of a tuple down to those that have
 * values. Empty if a type is not a Solidity type.
 */
export function filteredFields(
  { name, type }: { readonly name: string; readonly type: string },
  index: number,
): readonly FilteredField[] {
  return leavesOf(fieldPath(name), plainText(name, 40) || `#${index + 1}`, type)
}

function leavesOf(path: string, label: string, type: string): readonly FilteredField[] {
  const members = tupleMembers(type)
  if (members !== null) {
    return members.flatMap((member, index) =>
      leavesOf(
        `${path}.${fieldPath(member.name)}`,
        `${label}.${plainText(member.name, 40) || `#${index + 1}`}`,
        member.type,
      ),
    )
  }
  const [, base] = /^\s*(u?int|bool|string|address|bytes)\d*\s*(?:\[\d*\]\s*)*$/.exec(type) ?? []
  if (base === undefined) return []
  const kind = base.endsWith('int')
    ? 'integer'
    : base === 'bool'
      ? 'boolean'
      : base === 'string'
        ? 'text'
        : 'bytes'
  return [{ path, label, kind, operators: operatorsOf[kind] }]
}

/** The mistake in a value of a filter; undefined for a valid value. */
export function checkFieldValue(kind: Kind, value: string): string | undefined {
  if (kind === 'integer' && !/^-?\d+$/.test(value)) return 'A whole number, in digits'
  if (kind === 'bytes' && !/^0x([0-9a-f]{2})*$/i.test(value)) return '0x and pairs of hexadecimal digits'
  return undefined
}

export function fieldPath(name: string): string {
  return name.replaceAll(/[.[\]\\]/g, '\\$&')
}

export function fieldParameter(path: string, operator: FieldOperator): FieldParameter {
  return operator === 'equals' ? `field[${path}]` : `field[${path}][${operator}]`
}

const parameterPattern = /^field\[((?:[^[\]\\]|\\.)*)\](?:\[(gte?|lte?|contains|startsWith)\])?$/s

/** The filters among the parameters of a URL; parameters of another form are ignored. */
export function readFieldFilters(raw: Readonly<Record<string, unknown>>): FieldFilter[] {
  return Object.entries(raw).flatMap(([parameter, value]) => {
    const [, path, operator = 'equals'] = parameterPattern.exec(parameter) ?? []
    if (path === undefined || typeof value !== 'string' || value === '') return []
    // The pattern names no other operators, and begins as such a parameter does.
    return [{ parameter: parameter as FieldParameter, path, operator: operator as FieldOperator, value }]
  })
}

/**
 * The filters as the client of the interface takes them; equality is an `in` of one value, beside which others may
 * stand.
 */
export function fieldQuery(
  filters: readonly FieldFilter[],
): Record<string, Record<string, string | string[]>> {
  const fields = new Map<string, Record<string, string | string[]>>()
  for (const { path, operator, value } of filters) {
    const condition = operator === 'equals' ? { in: [value] } : { [operator]: value }
    fields.set(path, { ...fields.get(path), ...condition })
  }
  return Object.fromEntries(fields)
}

/** The path in the `by` of a URL, which names a field as the interface does: `field[country]`. */
export function readCountedPath(by: string | undefined): string | undefined {
  const [, path, operator] = (by === undefined ? null : parameterPattern.exec(by)) ?? []
  return operator === undefined ? path : undefined
}
