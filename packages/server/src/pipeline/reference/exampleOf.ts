import type { TSchema } from 'typebox'

/** A schema as plain JSON Schema, as far as payloads use it. */
interface JsonSchema {
  readonly type?: string
  readonly examples?: readonly unknown[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly pattern?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
}

/** Values for the patterns of payloads; the first that matches a pattern is its example. */
const texts = [
  'onchain_evm_11155111_0x1a',
  '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5',
  '0x5a5a6f2a1c6b5f3f1e0d9c8b7a69584736251403f2e1d0c9b8a7968574635241',
  '1718000000',
  '0x1a',
  '2024-06-10',
  '',
]

/**
 * A value of a schema: the schema's own example, or an example composed of its members' examples.
 * @throws TypeError for a text whose pattern matches none of the known examples.
 */
export function exampleOf(schema: TSchema): unknown {
  return makeExample(schema)
}

function makeExample(schema: JsonSchema): unknown {
  if (schema.examples !== undefined) return schema.examples[0]
  if ('const' in schema) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if ('default' in schema) return schema.default
  if (schema.anyOf !== undefined) return makeExample(schema.anyOf[0] ?? {})
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, member]) => [name, makeExample(member)]),
      )
    case 'array':
      return schema.items === undefined ? [] : [makeExample(schema.items)]
    case 'integer':
    case 'number':
      return Math.min(Math.max(1, schema.minimum ?? 1), schema.maximum ?? Number.POSITIVE_INFINITY)
    case 'boolean':
      return false
    case 'string':
      return exampleText(schema.pattern)
    default:
      return null
  }
}

function exampleText(pattern: string | undefined): string {
  if (pattern === undefined) return 'text'
  const text = texts.find((candidate) => new RegExp(pattern).test(candidate))
  if (text === undefined) throw new TypeError(`give the schema with the pattern ${pattern} an example`)
  return text
}
