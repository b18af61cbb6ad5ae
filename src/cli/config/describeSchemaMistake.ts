import type { TSchema } from 'typebox'
// `typebox/value` offers the same, and takes 10 MB more.
import { Errors } from 'typebox/schema'
import { describeValue, formatKeyPath, type KeyPath } from './describeValue.ts'
import { suggestName } from './suggestName.ts'

/** Where a mistake is, and one clause that says what would be right and what was found. */
export interface Mistake {
  readonly path: KeyPath
  readonly text: string
}

/**
 * The first mistake to mend in a configuration, or null when the configuration matches the schema. An unknown key goes
 * before all other mistakes: a misspelt key is also a missing key, and only the spelling helps.
 * `raw` is the configuration before environment variables were substituted; sentences quote values from there.
 */
export function findSchemaMistake(schema: TSchema, value: unknown, raw: unknown): Mistake | null {
  const [, errors] = Errors(schema, value)
  const unknownKey = errors.find((error) => error.keyword === 'additionalProperties')
  const error = unknownKey ?? errors.find(({ keyword }) => keyword !== 'boolean')
  if (error === undefined) return null
  const path = parsePointer(error.instancePath, value)
  const place = schemaAt(schema, path)
  switch (error.keyword) {
    case 'additionalProperties': {
      const [key = ''] = error.params.additionalProperties
      return { path: [...path, key], text: `is not a known key${unknownKeyHint(key, place)}` }
    }
    case 'required': {
      const [key = ''] = error.params.requiredProperties
      const expected = describeExpectation(schemaAt(schema, [...path, key]))
      return { path: [...path, key], text: `is missing; it must be ${expected}` }
    }
    case 'enum': {
      const found = valueAt(raw, path)
      const suggestion = typeof found === 'string' ? suggestName(found, namesOf(place)) : null
      const hint = suggestion === null ? '' : `; did you mean ${suggestion}?`
      return {
        path,
        text: `must be ${describeExpectation(place)}, but is ${describeValue(path, found)}${hint}`,
      }
    }
    default:
      return {
        path,
        text: `must be ${describeExpectation(place)}, but is ${describeValue(path, valueAt(raw, path))}${kindHint(valueAt(raw, path), place)}`,
      }
  }
}

/** The value at a path; undefined where there is none. */
export function valueAt(root: unknown, path: KeyPath): unknown {
  let value = root
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Object.entries(value).find(([key]) => key === String(part))?.[1]
  }
  return value
}

/** The keywords of a JSON Schema that this file reads. */
interface SchemaNode {
  readonly type?: string
  /** The kind of string that is expected, as a noun with its article. */
  readonly title?: string
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly items?: SchemaNode
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly examples?: readonly unknown[]
}

function schemaAt(schema: TSchema, path: KeyPath): SchemaNode {
  // A TypeBox schema is a JSON Schema; its static type hides the keywords, which this file reads.
  let node = schema as SchemaNode
  for (const part of path) {
    node = (typeof part === 'number' ? node.items : node.properties?.[part]) ?? {}
  }
  return node
}

function namesOf(node: SchemaNode): readonly string[] {
  return (node.enum ?? []).map(String)
}

function describeExpectation(node: SchemaNode): string {
  const [example] = node.examples ?? []
  const such = example === undefined ? '' : `, such as ${JSON.stringify(example)}`
  if (node.enum !== undefined) {
    return node.enum.length === 1 ? namesOf(node).join('') : `one of ${namesOf(node).join(', ')}`
  }
  switch (node.type) {
    case 'integer':
      return `a whole number ${describeRange(node)}${such}`
    case 'boolean':
      return 'true or false'
    case 'array':
      return `a list${(node.minItems ?? 0) > 0 ? ' of at least one' : ''}${such}`
    case 'object':
      return `a block of keys (${Object.keys(node.properties ?? {}).join(', ')})`
    default:
      return `${node.title ?? 'a text'}${such}`
  }
}

function describeRange({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: SchemaNode): string {
  return maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`
}

/** A number or a boolean in quotes looks right: the hint says that the quotes are wrong. */
function kindHint(value: unknown, node: SchemaNode): string {
  const wantsNoText = node.type === 'integer' || node.type === 'boolean'
  return typeof value === 'string' && wantsNoText ? ' (a text)' : ''
}

function unknownKeyHint(key: string, node: SchemaNode): string {
  const names = Object.keys(node.properties ?? {})
  const suggestion = suggestName(key, names)
  return suggestion === null ? `; the keys here are ${names.join(', ')}` : `; did you mean ${suggestion}?`
}

/** Parses a JSON pointer. Parts that index an array become numbers. */
function parsePointer(pointer: string, root: unknown): KeyPath {
  const path: (string | number)[] = []
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(valueAt(root, path)) ? Number(key) : key)
  }
  return path
}

/** The key's path and the mistake, as one clause. */
export function formatMistake({ path, text }: Mistake): string {
  const shown = path.map((part) =>
    typeof part === 'string' && !/^[\w-]{1,64}$/.test(part) ? describeValue([], part) : part,
  )
  return `${formatKeyPath(shown)} ${text}`
}
