import type { TSchema } from 'typebox'
import type { KeyPath } from './describeValue.ts'
import type { Environment } from './interpolateVariables.ts'
import { parseConfigText } from './parseConfigText.ts'
import { suggestName } from './suggestName.ts'
import type { SchemaNode } from './describeSchemaMistake.ts'
import { formsOf } from './schemaForms.ts'

/** A key of the configuration that an environment variable sets. */
export interface EnvironmentKey {
  /** The name of the variable: ATTESTRY_SERVER_WORKERS. */
  readonly name: string
  readonly path: KeyPath
  readonly value: unknown
}

/**
 * The keys that variables `ATTESTRY_…` set, parents before their children and lists in order, and a sentence for each
 * variable that sets none. An empty variable counts as missing. The names follow from the schema: `server.rateLimit.max`
 * is ATTESTRY_SERVER_RATE_LIMIT_MAX, and `chains[0].rpc` is ATTESTRY_CHAINS_0_RPC.
 */
export function readEnvironmentKeys(
  schema: TSchema,
  environment: Environment,
): { readonly keys: readonly EnvironmentKey[]; readonly sentences: readonly string[] } {
  // A TypeBox schema is a JSON Schema; its static type hides the keywords, which this file reads.
  const root = schema as SchemaNode
  const keys: EnvironmentKey[] = []
  const sentences: string[] = []
  for (const [name, text = ''] of Object.entries(environment)) {
    if (!name.startsWith(prefix) || text === '' || isOfOthers(name, text)) continue
    const found = findKey(root, name.slice(prefix.length))
    if (found === null) sentences.push(describeUnknown(root, name))
    else keys.push({ name, path: found.path, value: readValue(found.node, text) })
  }
  return { keys: keys.toSorted((a, b) => comparePaths(a.path, b.path)), sentences }
}

/** The names of the variables of all keys, with `N` for the index of a list. */
export function listVariableNames(schema: TSchema): readonly string[] {
  return listNames(schema as SchemaNode).map((name) => `${prefix}${name}`)
}

const prefix = 'ATTESTRY_'

/**
 * Whether the variable does not belong to the configuration: another variable of this program, or one that Kubernetes
 * or Docker sets for a service called attestry or attestry-server.
 */
function isOfOthers(name: string, text: string): boolean {
  if (name === 'ATTESTRY_DEBUG' || name === 'ATTESTRY_URL') return true
  if (/_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_[0-9]+_(?:TCP|UDP|SCTP)(?:_|$)/.test(name)) return true
  return name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(text)
}

/** The key whose name, in upper case with `_` between words, is `rest`. */
function findKey(
  node: SchemaNode,
  rest: string,
): { readonly path: KeyPath; readonly node: SchemaNode } | null {
  for (const form of formsOf(node)) {
    for (const [key, child] of Object.entries(form.properties ?? {})) {
      const found = followKey(child, key, upperSnake(key), rest)
      if (found !== null) return found
    }
    const index = /^(?:0|[1-9][0-9]{0,4})(?=_|$)/.exec(rest)?.[0]
    if (form.items === undefined || index === undefined) continue
    const found = followKey(form.items, Number(index), index, rest)
    if (found !== null) return found
  }
  return null
}

function followKey(child: SchemaNode, key: string | number, word: string, rest: string) {
  if (rest === word) return { path: [key], node: child }
  if (!rest.startsWith(`${word}_`)) return null
  const found = findKey(child, rest.slice(word.length + 1))
  return found === null ? null : { path: [key, ...found.path], node: found.node }
}

function listNames(node: SchemaNode): readonly string[] {
  return formsOf(node).flatMap((form) => [
    ...Object.entries(form.properties ?? {}).flatMap(([key, child]) => withNames(upperSnake(key), child)),
    ...(form.items === undefined ? [] : withNames('N', form.items)),
  ])
}

function withNames(word: string, child: SchemaNode): readonly string[] {
  return [word, ...listNames(child).map((name) => `${word}_${name}`)]
}

function upperSnake(key: string): string {
  return key.replaceAll(/[A-Z]/g, '_$&').toUpperCase()
}

function describeUnknown(root: SchemaNode, name: string): string {
  const indexes = name.match(/(?<=_)[0-9]+(?=_|$)/g) ?? []
  const pattern = name.slice(prefix.length).replaceAll(/(?<=^|_)[0-9]+(?=_|$)/g, 'N')
  const nearest = suggestName(pattern, listNames(root))
  const shown = /^[A-Z0-9_]{1,100}$/i.test(name) ? name : `${name.slice(0, 100).replaceAll(/[^\w]/g, '?')}…`
  const start = `The environment variable ${shown} sets no key of the configuration`
  if (nearest === null) return `${start}; docs/configure.md says how the variables are named`
  const numbers = indexes.values()
  const suggestion = nearest.replaceAll(/(?<=^|_)N(?=_|$)/g, () => numbers.next().value ?? '0')
  return `${start}; did you mean ${prefix}${suggestion}?`
}

/**
 * The value that a text means for a key: numbers and booleans where the key takes those, lists by commas or as YAML,
 * blocks as YAML. A text that is nothing of the kind stays, and the schema refuses it.
 */
function readValue(node: SchemaNode, text: string): unknown {
  const forms = formsOf(node)
  const has = (type: string) => forms.some((form) => form.type === type)
  if (forms.some((form) => form.enum?.includes(text) === true)) return text
  if (has('integer') && /^[0-9]{1,16}$/.test(text)) return Number(text)
  if (has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if ((has('array') && /^\s*\[/.test(text)) || (has('object') && /^\s*\{/.test(text))) return readYaml(text)
  const isListOfTexts = forms.some(({ items }) => items !== undefined && items.properties === undefined)
  if (isListOfTexts && !forms.some(({ type, enum: names }) => type === 'string' && names === undefined)) {
    return text.split(',').map((part) => part.trim())
  }
  return text
}

function readYaml(text: string): unknown {
  const parsed = parseConfigText(text)
  return 'value' in parsed ? parsed.value : text
}

function comparePaths(a: KeyPath, b: KeyPath): number {
  for (const [index, part] of a.entries()) {
    const other = b[index]
    if (other === undefined) return 1
    if (part === other) continue
    return typeof part === 'number' && typeof other === 'number' ? part - other : part < other ? -1 : 1
  }
  return a.length - b.length
}
