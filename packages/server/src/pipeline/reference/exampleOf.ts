import type { TSchema } from 'typebox'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { parseAddress } from '@attestry/core/model/hex.ts'
import { attestationDetailMembers, attestationMembers, detailOf } from '@attestry/core/model/recordJson.ts'

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

/** Values of a record of the index, by the names of members and parameters: each has those that it may have. */
export type Sample = Readonly<Record<string, readonly string[]>>

/** For an index without records. */
export const noSample: Sample = {}

/** Longer texts, such as payloads, are no examples. */
const textLengthMax = 300

/** The examples that a record gives, which was read with its detail. */
export function sampleOfRecord(attestation: StoredAttestation): Sample {
  const { key, schemaId, attester, detail } = attestation
  const members = {
    ...attestationMembers(attestation),
    ...attestationDetailMembers(attestation, detailOf(detail)),
  }
  const own = Object.entries(members).flatMap(([name, value]) =>
    typeof value === 'string' && value.length <= textLengthMax ? [[name, [value]] as const] : [],
  )
  const { id, transactionHash, fullSchemaId, attestTimestamp } = members
  const account = members.recipients.find((text) => parseAddress(text) !== null) ?? attester
  const accounts = ['address', 'addresses', 'subject', 'subjects', 'recipient', 'recipients']
  return {
    ...Object.fromEntries(own),
    ...Object.fromEntries(accounts.map((name) => [name, [account]])),
    ids: [id],
    attestationId: [id, key.localId],
    attestation: [id],
    because: [id],
    schema: [fullSchemaId],
    schemaId: [fullSchemaId, schemaId],
    hash: [transactionHash],
    revokeTransactionHash: [''],
    asOf: [attestTimestamp],
  }
}

/** The ids of a path about schemas are those of schemas. */
export function sampleOfPath(path: string, sample: Sample): Sample {
  return /\/schemas(\/|$)/.test(path) ? ofSchema(sample) : sample
}

function ofSchema(sample: Sample): Sample {
  const { schema: id } = sample
  return id === undefined ? sample : { ...sample, id, ids: id }
}

/** The forms of values that a sample has. */
const forms = [/^onchain_evm_[0-9]+_0x[0-9a-f]+$/, /^0x[0-9a-fA-F]{40}$/, /^0x[0-9a-f]{64}$/, /^[0-9]+$/]

/**
 * The value that a sample has for a member or parameter; undefined if none fits its pattern, or is of the form of its
 * example.
 */
export function sampleOf(
  { pattern, examples: [example] = [] }: JsonSchema,
  name: string,
  sample: Sample,
): string | undefined {
  const form = pattern === undefined ? forms.find((each) => each.test(String(example))) : new RegExp(pattern)
  return sample[name]?.find((text) => form?.test(text) ?? example === undefined)
}

/** An example, with the values that a sample has for its members. */
export function withSample(schema: JsonSchema, example: unknown, sample: Sample, name = ''): unknown {
  if (Array.isArray(example)) {
    return example.map((item) => withSample(schema.items ?? {}, item, sample, name))
  }
  if (typeof example === 'string')
    return sampleOf({ ...schema, examples: [example] }, name, sample) ?? example
  if (typeof example !== 'object' || example === null) return example
  return Object.fromEntries(
    Object.entries(example).map(([member, value]) => [
      member,
      withSample(schema.properties?.[member] ?? {}, value, sample, member),
    ]),
  )
}

/**
 * A value of a schema: a value of the sample, the schema's own example, or an example composed of its members' examples.
 * @throws TypeError for a text whose pattern matches none of the known examples.
 */
export function exampleOf(schema: TSchema, sample: Sample = noSample): unknown {
  return makeExample(schema, '', sample)
}

function makeExample(schema: JsonSchema, name: string, sample: Sample): unknown {
  const own = schema.type === 'string' ? sampleOf(schema, name, sample) : undefined
  if (own !== undefined) return own
  if (schema.examples !== undefined) return schema.examples[0]
  if ('const' in schema) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if ('default' in schema) return schema.default
  if (schema.anyOf !== undefined) return makeExample(schema.anyOf[0] ?? {}, name, sample)
  switch (schema.type) {
    case 'object': {
      const within = name === 'schema' || name === 'schemas' ? ofSchema(sample) : sample
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([member, each]) => [
          member,
          makeExample(each, member, within),
        ]),
      )
    }
    case 'array':
      return schema.items === undefined ? [] : [makeExample(schema.items, name, sample)]
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
