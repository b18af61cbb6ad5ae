import type { ParquetWriter } from 'hyparquet-writer'
import type { DecodedPayload, PayloadValue } from '@attestry/core/model/decodedPayload.ts'
import type { SchemaField } from '@attestry/core/model/records.ts'
import type { KnownContent } from '@attestry/core/model/knownContent.ts'
import { decodeErrorOf, payloadColumns, plainPayload, plainValue } from '../payloadColumns.ts'

/** DuckDB reads a time without this as one of no time zone. */
const utc = { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' } as const

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

/** An attestation as a row of the file. */
export interface ParquetRow {
  /** The kind of change since the cursor; `new` without a cursor. */
  readonly change: 'new' | 'changed' | 'taken back'
  /** Members of the record as exports have them; of a reverted record only the id. */
  readonly record: Readonly<Record<string, unknown>>
  /** null for a reverted record. */
  readonly payload: DecodedPayload | null
  /** The content behind its pointer, in files that have contents; null without one. */
  readonly content?: Pick<KnownContent, 'state' | 'json'> | null
}

export interface ParquetColumn {
  readonly name: string
  /** The column as Parquet's schema has it, and its parts where it is nested. */
  readonly elements: readonly SchemaElement[]
  readonly valueOf: (row: ParquetRow) => unknown
}

/** Columns of every file. Times of records without an end, and beyond any calendar, are null. */
const recordColumns: readonly ParquetColumn[] = [
  textColumn('change', ({ change }) => change),
  recordText('id', 'id'),
  recordColumn('chain_id', 'INT64', ({ chainId }) => integerOrNull(chainId)),
  recordText('protocol', 'protocol'),
  recordText('schema_id', 'fullSchemaId'),
  recordText('attester', 'attester'),
  {
    name: 'recipients',
    elements: list('recipients', text('element')),
    valueOf: ({ record }) => record['recipients'] ?? null,
  },
  recordTime('attested_at', 'attestTimestamp'),
  recordTime('valid_until', 'validUntil'),
  recordText('portal', 'portal'),
  recordColumn('revocable', 'BOOLEAN', ({ revocable }) => revocable ?? null),
  recordColumn('revoked', 'BOOLEAN', ({ revoked }) => revoked ?? null),
  recordTime('revoked_at', 'revokeTimestamp'),
  recordText('revoke_reason', 'revokeReason'),
  textColumn('linked_attestation', ({ record }) => record['linkedAttestation'] || null),
  recordText('indexing_value', 'indexingValue'),
  recordText('transaction_hash', 'transactionHash'),
  recordText('data_location', 'dataLocation'),
  recordText('data', 'data'),
  textColumn('decode_error', ({ payload }) => decodeErrorOf(payload)),
]

/** The columns of a file of edges. */
export const columnsOfEdges: readonly ParquetColumn[] = [
  recordText('from', 'from'),
  recordText('to', 'to'),
  recordText('schema', 'schema'),
  recordColumn('count', 'INT64', ({ count }) => BigInt(Number(count))),
  recordTime('first', 'first'),
  recordTime('last', 'last'),
]

/** The columns that contents add. The JSON is a text, which keeps all digits. */
export const contentColumns: readonly ParquetColumn[] = [
  textColumn('content_state', ({ content }) => content?.state ?? null),
  textColumn('content_json', ({ content }) => content?.json ?? null),
]

/** The columns of a file of all schemas: those of records, and the decoded payload as JSON. */
export function columnsOfAll(): readonly ParquetColumn[] {
  const valueOf = ({ payload }: ParquetRow) => plainPayload(payload)
  return [...recordColumns, { name: 'decoded', elements: [json('decoded')], valueOf }]
}

/** The columns of a file of one schema: those of records, and one of its own type for each field. */
export function columnsOfSchema(fields: readonly SchemaField[]): readonly ParquetColumn[] {
  const taken = [...recordColumns, ...contentColumns].map(({ name }) => name)
  return [
    ...recordColumns,
    ...payloadColumns(fields, taken).map(({ name, type, valueOf }): ParquetColumn => {
      const { elements, convert } = fieldType(name, type)
      return {
        name,
        elements,
        valueOf: ({ payload }) => {
          const value = valueOf(payload)
          return value === null ? null : convert(value)
        },
      }
    }),
  ]
}

/** The columns of an attestation about its revocation. */
const revocationColumns = ['revoked', 'revoked_at', 'revoke_reason']

/**
 * The same of a table of events, which never change: without what happened to the record since, with the block of the
 * event, whose number is a member of the record.
 */
export function columnsOfEvents(columns: readonly ParquetColumn[]): readonly ParquetColumn[] {
  const left = columns.filter(({ name }) => name !== 'change' && !revocationColumns.includes(name))
  return [...left, blockColumn]
}

/** The columns of a table of revocations, whose rows stand under the id of their attestation. */
export function columnsOfRevocations(): readonly ParquetColumn[] {
  const names = ['id', 'chain_id', 'protocol', 'revoked_at', 'revoke_reason']
  return [
    ...recordColumns.filter(({ name }) => names.includes(name)),
    recordText('transaction_hash', 'revokeTransactionHash'),
    blockColumn,
  ]
}

const blockColumn = recordColumn('block_number', 'INT64', ({ blockNumber }) => BigInt(Number(blockNumber)))

interface FieldType {
  readonly elements: readonly SchemaElement[]
  readonly convert: (value: PayloadValue) => unknown
}

/** An elementary Solidity type has a type of Parquet, an array of one is a list, and all else is JSON. */
function fieldType(name: string, type: string): FieldType {
  const [, element, array] = /^\s*([a-z]+[0-9]*)\s*(\[[0-9]*\])?\s*$/.exec(type) ?? []
  const scalar = element === undefined ? null : scalarType(array === undefined ? name : 'element', element)
  if (scalar === null) {
    return { elements: [json(name)], convert: plainValue }
  }
  const convertOne = (value: PayloadValue) =>
    typeof value === 'object' ? null : scalar.convert(String(value))
  if (array === undefined) return { elements: [scalar.element], convert: convertOne }
  return {
    elements: list(name, scalar.element),
    convert: (value) => (Array.isArray(value) ? value.map((each: PayloadValue) => convertOne(each)) : null),
  }
}

interface ScalarType {
  readonly element: SchemaElement
  readonly convert: (text: string) => unknown
}

/** null for a type that is not elementary. Integers of more than 64 bits, addresses and bytes are texts. */
function scalarType(name: string, type: string): ScalarType | null {
  const optional = { name, repetition_type: 'OPTIONAL' } as const
  const [, unsigned, digits] = /^(u?)int([0-9]*)$/.exec(type) ?? []
  if (digits !== undefined) {
    const bits = (digits === '' ? 256 : Number(digits)) + (unsigned === 'u' ? 1 : 0)
    if (bits <= 32) return { element: { ...optional, type: 'INT32' }, convert: Number }
    if (bits <= 64) return { element: { ...optional, type: 'INT64' }, convert: BigInt }
    if (bits === 65)
      return { element: { ...optional, type: 'INT64', converted_type: 'UINT_64' }, convert: BigInt }
    return { element: text(name), convert: (digitText) => digitText }
  }
  if (type === 'bool') {
    return { element: { ...optional, type: 'BOOLEAN' }, convert: (word) => word === 'true' }
  }
  return /^(string|address|bytes[0-9]*)$/.test(type)
    ? { element: text(name), convert: (value) => value }
    : null
}

function text(name: string): SchemaElement {
  return { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' }
}

function json(name: string): SchemaElement {
  return { ...text(name), converted_type: 'JSON' }
}

function list(name: string, element: SchemaElement): readonly SchemaElement[] {
  return [
    { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    element,
  ]
}

type RecordMembers = ParquetRow['record']

function recordColumn(
  name: string,
  type: 'BOOLEAN' | 'INT64',
  valueOf: (record: RecordMembers) => unknown,
): ParquetColumn {
  return {
    name,
    elements: [{ name, type, repetition_type: 'OPTIONAL' }],
    valueOf: ({ record }) => valueOf(record),
  }
}

function textColumn(name: string, valueOf: ParquetColumn['valueOf']): ParquetColumn {
  return { name, elements: [text(name)], valueOf }
}

function recordText(name: string, member: string): ParquetColumn {
  return textColumn(name, ({ record }) => record[member] ?? null)
}

/** Milliseconds of the last time that every reader of Parquet can show, the year 9999. */
const timeMsMax = 253_402_300_799_000

function recordTime(name: string, member: string): ParquetColumn {
  return {
    name,
    elements: [
      {
        name,
        type: 'INT64',
        converted_type: 'TIMESTAMP_MILLIS',
        logical_type: utc,
        repetition_type: 'OPTIONAL',
      },
    ],
    valueOf: ({ record }) => timeOrNull(record[member]),
  }
}

/** The time of Unix seconds as a record has them; null if the column of a time is null. */
export function timeOrNull(seconds: unknown): Date | null {
  const timeMs = Number(seconds ?? 0) * 1_000
  return timeMs > 0 && timeMs <= timeMsMax ? new Date(timeMs) : null
}

function integerOrNull(value: unknown): bigint | null {
  return typeof value === 'string' ? BigInt(value) : null
}
