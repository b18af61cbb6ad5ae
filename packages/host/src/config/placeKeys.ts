import { isJsonObject } from '@attestry/core/model/jsonObject.ts'
import type { TSchema } from 'typebox'
import type { KeyPath } from './describeValue.ts'
import { readEnvironmentKeys, type EnvironmentKey } from './environmentKeys.ts'
import type { SchemaNode } from './describeSchemaMistake.ts'
import { memberSchema, shortKeyOf } from './schemaForms.ts'
import type { Environment } from './interpolateVariables.ts'

/**
 * The keys by which environment variables override the values of a file, and one sentence for each invalid variable.
 * A variable is invalid if it sets no key, or a list item that would leave a gap before it.
 */
export function findPlaceableKeys(
  schema: TSchema,
  fileValue: unknown,
  environment: Environment,
): { readonly keys: readonly EnvironmentKey[]; readonly sentences: readonly string[] } {
  const found = readEnvironmentKeys(schema, environment)
  const keys: EnvironmentKey[] = []
  const sentences = [...found.sentences]
  let placed = fileValue
  for (const key of found.keys) {
    const hole = findHole(placed, key)
    if (hole !== null) {
      sentences.push(hole)
      continue
    }
    keys.push(key)
    placed = place(schema, placed, key.path, key.value)
  }
  return { keys, sentences }
}

/** A copy of a configuration in which the keys have the values that `valueOf` gives. */
export function placeKeys(
  schema: TSchema,
  root: unknown,
  keys: readonly EnvironmentKey[],
  valueOf: (key: EnvironmentKey) => unknown,
): unknown {
  return keys.reduce((placed, key) => place(schema, placed, key.path, valueOf(key)), root)
}

/** The value with the reference to its variable for each text and number, so that messages show no variable. */
export function hideValue({ name, value }: EnvironmentKey): unknown {
  return hide(value)

  function hide(part: unknown): unknown {
    if (Array.isArray(part)) return part.map(hide)
    if (typeof part !== 'object' || part === null) return `\${${name}}`
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, hide(item)]))
  }
}

function findHole(root: unknown, { name, path }: EnvironmentKey): string | null {
  let value = root
  for (const part of path) {
    const length = Array.isArray(value) ? value.length : 0
    if (typeof part === 'number' && part > length) {
      return `The environment variable ${name} names item ${part} of a list that has ${length}; items count from 0`
    }
    value = memberOf(value, part)
  }
  return null
}

function place(node: SchemaNode, root: unknown, path: KeyPath, value: unknown): unknown {
  const [part, ...rest] = path
  if (part === undefined) return value
  const inner = memberSchema(node, part)
  if (typeof part === 'number') {
    const list: unknown[] = Array.isArray(root) ? root.slice() : []
    list[part] = place(inner, list[part], rest, value)
    return list
  }
  const given = memberOf(root, part)
  const meant = rest.length > 0 && typeof given === 'string' ? shortKeyOf(inner) : undefined
  const block = meant === undefined ? given : { [meant]: given }
  return { ...(isJsonObject(root) ? root : {}), [part]: place(inner, block, rest, value) }
}

function memberOf(root: unknown, part: string | number): unknown {
  if (Array.isArray(root)) return root[Number(part)]
  return isJsonObject(root) && Object.hasOwn(root, part) ? root[part] : undefined
}
