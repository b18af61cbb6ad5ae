import type { ContentTexts } from './contentTexts.ts'
import type { NamedPayloadValue, PayloadValue } from './decodedPayload.ts'
import type { FieldCondition } from './fieldCondition.ts'
import { parseHex } from './hex.ts'
import type { SchemaField } from './records.ts'

/**
 * Decoded payloads as filters see them (docs/api.md, "Filters on decoded fields"): a list of leaves, which are values
 * that are neither tuples nor arrays. Members of a tuple lengthen the path of their field; elements of an array stand
 * at the path of the array.
 */

/** The kind of a leaf, by which its values are compared. Addresses and byte strings of any length are `bytes`. */
export type FieldKind = 'integer' | 'boolean' | 'text' | 'bytes'

export interface FieldLeaf {
  /** The names from the field down to the member of a tuple. */
  readonly path: readonly string[]
  readonly kind: FieldKind
  /** As `include=decoded` prints it; a boolean as `true` or `false`. */
  readonly value: string
}

/** A leaf that payloads of a schema have. */
export interface FieldPath {
  readonly path: readonly string[]
  readonly kind: FieldKind
  /** The type in its author's spelling: `uint8`, `string[]`. */
  readonly type: string
}

/**
 * Lists the leaves that the fields of a schema declare. The caller knows the protocols.
 * @public
 */
export type ListFieldPaths = (fields: readonly SchemaField[]) => readonly FieldPath[]

/** The name of the only value of a payload that is stored elsewhere, whatever the fields of its schema. */
export const contentIdName = 'contentId'

/** Characters of the longest path. A hostile schema may nest long names; leaves with a longer path match nothing. */
export const fieldPathLengthMax = 1_000

/** The leaves of a decoded payload, each value of a path once. */
export function listFieldLeaves(values: readonly NamedPayloadValue[]): FieldLeaf[] {
  const leaves = new Map<string, FieldLeaf>()
  visitFieldLeaves(values, (leaf, pathText) => {
    // The length keeps a path apart from what follows it, whatever characters it holds.
    leaves.set(`${pathText.length} ${pathText}${leaf.kind} ${leaf.value}`, leaf)
  })
  return [...leaves.values()]
}

/** Visits the leaves of a decoded payload with the texts of their paths; elements of arrays may repeat a value. */
export function visitFieldLeaves(
  values: readonly NamedPayloadValue[],
  visit: (leaf: FieldLeaf, pathText: string) => void,
): void {
  for (const { name, type, value } of values) visitValue([name], escapeName(name), type, value, visit)
}

function visitValue(
  path: readonly string[],
  pathText: string,
  type: string,
  value: PayloadValue,
  visit: (leaf: FieldLeaf, pathText: string) => void,
): void {
  if (pathText.length > fieldPathLengthMax) return
  if (typeof value !== 'object')
    return visit({ path, kind: fieldKindOf(type), value: String(value) }, pathText)
  for (const element of value) {
    if (!isMember(element)) visitValue(path, pathText, type, element, visit)
    else {
      const { name } = element
      visitValue([...path, name], `${pathText}.${escapeName(name)}`, element.type, element.value, visit)
    }
  }
}

function isMember(element: PayloadValue | NamedPayloadValue): element is NamedPayloadValue {
  return typeof element === 'object' && !Array.isArray(element)
}

/** The kind of the values of an elementary Solidity type, or of arrays of it. Meaningless for tuples. */
export function fieldKindOf(type: string): FieldKind {
  const name = type.trimStart()
  if (name.startsWith('uint') || name.startsWith('int')) return 'integer'
  if (name.startsWith('bool')) return 'boolean'
  return name.startsWith('string') ? 'text' : 'bytes'
}

/**
 * The form in which values of a kind are compared: decimal digits without leading zeros, lower-case hexadecimal, other
 * text as it is. Null for a text that is no value of the kind.
 */
export function canonicalValue(kind: FieldKind, text: string): string | null {
  switch (kind) {
    case 'integer':
      return canonicalInteger(text)
    case 'boolean':
      return text === 'true' || text === 'false' ? text : null
    case 'bytes':
      return parseHex(text)
    case 'text':
      return text
  }
}

function canonicalInteger(text: string): string | null {
  const match = /^(-?)0*([0-9]+)$/.exec(text)
  if (match === null) return null
  const [, sign = '', digits = ''] = match
  return digits === '0' ? digits : sign + digits
}

/** A path as text: names joined with dots, and a backslash before each dot, bracket or backslash of a name. */
export function fieldPathText(path: readonly string[]): string {
  return path.map(escapeName).join('.')
}

function escapeName(name: string): string {
  // Nearly no name has such a character, and looking for one takes a fraction of the time.
  return /[.[\]\\]/.test(name) ? name.replaceAll(/[.[\]\\]/g, '\\$&') : name
}

/** The names of a path; null for a text that no path has. */
export function parseFieldPath(text: string): readonly string[] | null {
  if (text.length > fieldPathLengthMax || !/^(?:[^[\]\\]|\\[.[\]\\])*$/.test(text)) return null
  const names = ['']
  for (const [token] of text.matchAll(/\\?[^]/g)) {
    if (token === '.') names.push('')
    else names[names.length - 1] += token.length === 2 ? token.slice(1) : token
  }
  return names
}

/** Whether one of the leaves fulfils a condition. */
export function matchesField(leaves: readonly FieldLeaf[], condition: FieldCondition): boolean {
  const { contents } = condition
  return leaves.some(
    (leaf) =>
      (isSamePath(leaf.path, condition.path) && fulfils(leaf, condition)) ||
      (contents !== undefined && contentValues(leaf, contents) !== undefined),
  )
}

/** The values of the content that a leaf points to; undefined if it points to none of the contents. */
export function contentValues(
  { path, kind, value }: FieldLeaf,
  { paths }: ContentTexts,
): readonly string[] | undefined {
  return kind === 'text' ? paths.get(fieldPathText(path))?.get(value) : undefined
}

function isSamePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index])
}

function fulfils({ kind, value }: FieldLeaf, { operator, values }: FieldCondition): boolean {
  switch (operator) {
    case 'equals':
    case 'in': {
      const canonical = canonicalValue(kind, value)
      return values.some((text) => canonicalValue(kind, text) === canonical)
    }
    case 'contains':
      return kind === 'text' && values.some((text) => value.includes(text))
    case 'startsWith':
      return kind === 'text' && values.some((text) => value.startsWith(text))
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return kind === 'integer' && values.some((text) => isInOrder(operator, value, text))
  }
}

function isInOrder(operator: 'gt' | 'gte' | 'lt' | 'lte', value: string, text: string): boolean {
  const bound = canonicalInteger(text)
  if (bound === null) return false
  const [a, b] = [BigInt(value), BigInt(bound)]
  switch (operator) {
    case 'gt':
      return a > b
    case 'gte':
      return a >= b
    case 'lt':
      return a < b
    case 'lte':
      return a <= b
  }
}
