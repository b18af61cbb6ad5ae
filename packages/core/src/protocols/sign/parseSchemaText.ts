import { isJsonObject } from '../../model/jsonObject.ts'
import { abiNestingMax } from '../abi/abiType.ts'
import type { SchemaDefinition, SchemaField } from '../../model/records.ts'

/**
 * The definition in a schema's text, which should be the SDK's JSON, `{"name","description","data":[{name,type}…]}`.
 * Any text is accepted; its irregular parts are read as follows:
 * - A missing `name` or `description`, or one that is not a string, is empty.
 * - A `data` that is not an array is empty.
 * - An item without a string `name`, or whose `type` is absent or null, is left out.
 * - A `type` that is not a string becomes its JSON text.
 * - A `tuple`, or an array of tuples, with `components` becomes Solidity's spelling: `(uint8 level,string city)[]`.
 * - A `storage` of `arweave` or `ipfs` says that payloads hold a string in place of the value: sp-sdk encodes the pointer
 *   to the value that it stored there.
 * - Other keys are ignored. Of duplicate keys the last counts, as in `JSON.parse`.
 * - Unpaired surrogates, which JSON can escape but UTF-8 cannot hold, become U+FFFD.
 */
export function parseSchemaText(text: string): SchemaDefinition {
  const parsed = parseJson(text)
  if (!isJsonObject(parsed)) return emptyDefinition
  const items = Array.isArray(parsed['data']) ? parseFields(parsed['data']) : []
  const fields = items.map(({ field }) => field)
  const definition = {
    name: stringOrEmpty(parsed['name']),
    description: stringOrEmpty(parsed['description']),
    fields,
  }
  if (items.every(({ field, isPointer }) => !isPointer || field.type === 'string')) return definition
  const payloadFields = items.map(({ field, isPointer }) =>
    isPointer ? { ...field, type: 'string' } : field,
  )
  return { ...definition, payloadFields }
}

/** The definition in a text that is not a JSON object. */
const emptyDefinition: SchemaDefinition = { name: '', description: '', fields: [] }

interface DefinedField {
  readonly field: SchemaField
  /** Whether the value is stored elsewhere. */
  readonly isPointer: boolean
}

function parseFields(items: readonly unknown[]): DefinedField[] {
  const fields: DefinedField[] = []
  for (const item of items) {
    if (!isJsonObject(item) || typeof item['name'] !== 'string') continue
    const type = item['type']
    if (type === undefined || type === null) continue
    fields.push({
      field: { name: item['name'].toWellFormed(), type: typeOf(item, type) },
      isPointer: item['storage'] === 'arweave' || item['storage'] === 'ipfs',
    })
  }
  return fields
}

function typeOf(item: Readonly<Record<string, unknown>>, type: unknown): string {
  return spellTuple(item, 0) ?? (typeof type === 'string' ? type.toWellFormed() : formatJson(type))
}

/** A tuple with components in Solidity's spelling; null for any other type, and for components that have none. */
function spellTuple({ type, components }: Readonly<Record<string, unknown>>, depth: number): string | null {
  const suffix = typeof type === 'string' ? /^tuple((?:\[[0-9]*\])*)$/.exec(type)?.[1] : undefined
  if (suffix === undefined || !Array.isArray(components) || components.length === 0) return null
  if (depth >= abiNestingMax) return null
  const members: string[] = []
  for (const component of components as readonly unknown[]) {
    if (!isJsonObject(component) || typeof component['type'] !== 'string') return null
    const spelled = component['type'].startsWith('tuple')
      ? spellTuple(component, depth + 1)
      : component['type']
    if (spelled === null) return null
    const name = stringOrEmpty(component['name'])
    // These characters end a name there.
    if (/[\s,()[\]]/.test(name)) return null
    members.push(name === '' ? spelled : `${spelled} ${name}`)
  }
  return `(${members.join(',')})${suffix}`.toWellFormed()
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function stringOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : ''
}

/**
 * `JSON.stringify` for a result of `JSON.parse`, with an explicit stack. A text can nest deeper than the call stack;
 * the depth at which the call stack overflows differs between runs, and the index must not.
 */
function formatJson(root: unknown): string {
  const parts: string[] = []
  // Either text that is ready, or a value still to be written; taken from the end.
  const pending: ({ readonly text: string } | { readonly value: unknown })[] = [{ value: root }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if ('text' in next) {
      parts.push(next.text)
    } else if (Array.isArray(next.value)) {
      pending.push({ text: ']' })
      for (let i = next.value.length - 1; i >= 0; i--) {
        pending.push({ value: next.value[i] })
        if (i > 0) pending.push({ text: ',' })
      }
      pending.push({ text: '[' })
    } else if (isJsonObject(next.value)) {
      const entries = Object.entries(next.value)
      pending.push({ text: '}' })
      for (let i = entries.length - 1; i >= 0; i--) {
        const [key, value] = entries[i] ?? ['', null]
        pending.push({ value }, { text: `${i > 0 ? ',' : ''}${JSON.stringify(key)}:` })
      }
      pending.push({ text: '{' })
    } else {
      parts.push(JSON.stringify(next.value))
    }
  }
  return parts.join('')
}
