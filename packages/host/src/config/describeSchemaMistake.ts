import type { TSchema } from 'typebox'
// `typebox/value` offers the same, and takes 10 MB more.
import { Errors } from 'typebox/schema'
import { Settings } from 'typebox/system'
import { describeValue, formatKeyPath, type KeyPath } from './describeValue.ts'
import type { Mistake } from './mistakes.ts'
import { suggestName } from './suggestName.ts'

/**
 * The mistakes of a configuration against the schema. A key that is missing where a misspelt one stands for it is no
 * mistake of its own. `raw` is the configuration before environment variables were substituted; sentences quote values
 * from there.
 */
export function findSchemaMistakes(schema: TSchema, value: unknown, raw: unknown): readonly Mistake[] {
  const { maxErrors } = Settings.Get()
  Settings.Set({ maxErrors: errorsMax })
  const [, errors] = Errors(schema, value)
  Settings.Set({ maxErrors })
  const unknownKeys: Mistake[] = []
  /** The intended keys for misspelt ones, as formatted paths. */
  const meant = new Set<string>()
  for (const error of errors) {
    if (error.keyword !== 'additionalProperties') continue
    const path = parsePointer(error.instancePath, value)
    const place = schemaAt(schema, path)
    for (const key of error.params.additionalProperties) {
      const suggestion = suggestName(key, Object.keys(place.properties ?? {}))
      if (suggestion !== null) meant.add(formatKeyPath([...path, suggestion]))
      const text =
        removedKeys[formatKeyPath([...path, key])] ?? `is not a known key${unknownKeyHint(key, place)}`
      unknownKeys.push({ path: [...path, key], text })
    }
  }
  const others = errors.flatMap((error): readonly Mistake[] => {
    // `boolean` repeats what `additionalProperties` says.
    if (error.keyword === 'additionalProperties' || error.keyword === 'boolean') return []
    const path = parsePointer(error.instancePath, value)
    const place = schemaAt(schema, path)
    if (error.keyword === 'required') {
      return error.params.requiredProperties
        .filter((key) => !meant.has(formatKeyPath([...path, key])))
        .map((key) => {
          const expected = describeExpectation(schemaAt(schema, [...path, key]))
          return { path: [...path, key], text: `is missing; it must be ${expected}` }
        })
    }
    const found = valueAt(raw, path)
    const suggestion =
      error.keyword === 'enum' && typeof found === 'string' ? suggestName(found, namesOf(place)) : null
    const hint = suggestion === null ? '' : `; did you mean ${suggestion}?`
    const kind = error.keyword === 'enum' ? '' : kindHint(valueAt(value, path), place)
    return [
      {
        path,
        text: `must be ${describeExpectation(place)}, but is ${describeValue(path, found)}${kind}${hint}`,
      },
    ]
  })
  return [...unknownKeys, ...others]
}

/** Keys of older versions by their paths, and what an operator does instead. */
const removedKeys: Readonly<Record<string, string>> = {
  'database.replicas':
    'is no longer a key; take it out, and run `attestry serve` for each replica, with the URL of the replica as its database',
  peers: 'is no longer a key; take it out, and compare two services by `attestry verify --against URL`',
}

/** The library's own number is eight. */
const errorsMax = 1_000

/** The value at a path; undefined if the path does not exist. */
export function valueAt(root: unknown, path: KeyPath): unknown {
  let value = root
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Object.entries(value).find(([key]) => key === String(part))?.[1]
  }
  return value
}

/** The keywords of a JSON Schema that are read here, and for environment variables. */
export interface SchemaNode {
  readonly type?: string
  /** The kind of string that is expected, as a noun with its article. */
  readonly title?: string
  readonly properties?: Readonly<Record<string, SchemaNode>>
  /** Of a block whose keys are free: one schema for all values. */
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>
  readonly items?: SchemaNode
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly SchemaNode[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly examples?: readonly unknown[]
}

function schemaAt(schema: TSchema, path: KeyPath): SchemaNode {
  // A TypeBox schema is a JSON Schema; its static type hides the keywords, which this file reads.
  let node = schema as SchemaNode
  for (const part of path) {
    const [free] = Object.values(node.patternProperties ?? {})
    node = (typeof part === 'number' ? node.items : (node.properties?.[part] ?? free)) ?? {}
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
