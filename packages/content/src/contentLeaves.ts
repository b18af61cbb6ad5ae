import { createHash } from 'node:crypto'
import type { FieldCondition } from '@attestry/core/model/fieldCondition.ts'
import {
  canonicalValue,
  fieldPathText,
  matchesField,
  type FieldKind,
  type FieldPath,
} from '@attestry/core/model/fieldValues.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { parseAddress } from '@attestry/core/model/hex.ts'
import { replaceInJson } from '@attestry/core/model/nesting.ts'

/**
 * Content as filters see it: the values of JSON that are neither objects nor arrays, with the names that lead to them.
 * Elements of an array stand at the path of the array, as those of payloads do.
 */
export interface ContentLeaf {
  readonly path: readonly string[]
  readonly type: 'number' | 'string' | 'boolean'
  /** Numbers as they are written. */
  readonly value: string
}

/** Values of one content that filters find; later values are only shown. */
const leavesMax = 256

/** Characters of a name or value that filters find. */
const lengthMax = 1_000

/** @param json text that is JSON. */
export function listContentLeaves(json: string): readonly ContentLeaf[] {
  const leaves: ContentLeaf[] = []
  visit([], JSON.parse(markTokens(json)), leaves)
  return leaves
}

/**
 * Makes numbers texts, which keep all their digits, and marks both: `{"a":1}` becomes `{"sa":"n1"}`.
 */
function markTokens(json: string): string {
  return replaceInJson(
    json,
    (quoted) => (quoted === '' ? '' : `"s${quoted.slice(1)}`),
    (text) => text.replaceAll(/-?\d[\d.eE+-]*/g, '"n$&"'),
  )
}

function visit(path: readonly string[], value: unknown, leaves: ContentLeaf[]): void {
  if (leaves.length >= leavesMax || value === null) return
  if (Array.isArray(value)) {
    for (const element of value) visit(path, element, leaves)
  } else if (typeof value === 'object') {
    for (const [name, member] of Object.entries(value)) visit([...path, name.slice(1)], member, leaves)
  } else if (path.length > 0) {
    const leaf: ContentLeaf =
      typeof value === 'string'
        ? { path, ...unmark(value) }
        : { path, type: 'boolean', value: value === true ? 'true' : 'false' }
    // No text of PostgreSQL has a NUL.
    const isStorable = [leaf.value, ...path].every((each) => each.length <= lengthMax && !each.includes('\0'))
    if (isStorable) leaves.push(leaf)
  }
}

function unmark(text: string): Pick<ContentLeaf, 'type' | 'value'> {
  return { type: text.startsWith('n') ? 'number' : 'string', value: text.slice(1) }
}

/** The key under which values are found that may be equal, whatever their kind. */
export function leafKey(value: string): string {
  return shortHash(canonicalValue('integer', value) ?? canonicalValue('bytes', value) ?? value)
}

export function pathKey(path: readonly string[]): string {
  return shortHash(fieldPathText(path))
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** Whether a leaf fulfils a condition. `fields`: those of the schema at its path; null: the kinds of the content itself. */
export function fulfilsCondition(
  { path, type, value }: ContentLeaf,
  condition: FieldCondition,
  fields: readonly FieldPath[] | null,
): boolean {
  const kinds = fields === null ? kindsOf[type] : fields.map(({ kind }) => kind)
  return kinds.some(
    (kind) => canonicalValue(kind, value) !== null && matchesField([{ path, kind, value }], condition),
  )
}

const kindsOf: Readonly<Record<ContentLeaf['type'], readonly FieldKind[]>> = {
  number: ['integer'],
  string: ['text', 'bytes'],
  boolean: ['boolean'],
}

/** The value as payloads print values of a field; null if the field cannot have it. */
export function printAsField(value: string, fields: readonly FieldPath[]): string | null {
  for (const { kind, type } of fields) {
    const canonical = canonicalValue(kind, value)
    if (canonical === null) continue
    const address = type.startsWith('address') ? parseAddress(canonical) : null
    return address === null ? canonical : checksumAddress(address)
  }
  return null
}
