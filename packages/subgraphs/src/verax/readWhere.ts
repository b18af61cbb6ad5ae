import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { ArgumentValues } from '@attestry/server/graphql/execution/plan.ts'
import { readListArguments, type ListArguments } from '../engine/graphNode/listArguments.ts'
import { quoteInput } from '@attestry/server/pipeline/quoteInput.ts'
import type { GraphNodeKind } from '../engine/graphNode/types.ts'
import { parsePattern } from '../engine/textPattern.ts'
import {
  checkNeedle,
  likeTest,
  notNull,
  type BytesPart,
  type Condition,
  type FieldTest,
  type FieldValue,
  type Reading,
} from '../engine/condition.ts'
import {
  createWhereReader,
  patternOfPart,
  readFieldFilter,
  readListFilter,
  type GraphNodeFilter,
} from '../engine/graphNode/readWhere.ts'
import { fieldsOfEntity, relatedEntities, type VeraxEntity } from './models.ts'

/** @throws BadParameterError where a value is null or none of its field, or the condition is too large. */
const readWhere = createWhereReader<VeraxEntity>({
  relatedOf: (entity, name) => (entity === 'Attestation' ? relatedEntities[name] : undefined),
  given: notNull,
  readFilter,
})

/**
 * The arguments of a list.
 * @throws BadParameterError as `readWhere`, and for a page that is none.
 */
export function readList(entity: VeraxEntity, values: ArgumentValues): ListArguments {
  return readListArguments(values, (where) => readWhere(entity, where), 'id_gt or skip')
}

function readFilter(reading: Reading, entity: VeraxEntity, own: string, sent: GraphNodeFilter): Condition {
  const kind = fieldsOfEntity(entity)[own]?.kind ?? 'text'
  const { name, given } = sent
  // The id of a related record is the field `schema` or `portal`.
  const filter = { ...sent, field: sent.field.replace(/\.id$/, '') }
  if (kind === 'bytesList') {
    return readListFilter(reading, filter, (item) => String(readValue('bytes', name, item)), bytesListValue)
  }
  const valueOf = (value: unknown) => readValue(kind, name, value)
  const folds = kind === 'hex' || kind === 'bytes'
  return readFieldFilter(reading, filter, folds, valueOf, (part, isNocase) =>
    partTest(kind, name, part, String(kind === 'hex' ? given : valueOf(given)), isNocase),
  )
}

/** A list of bytes as one text, in which each stands between commas. */
export function bytesListValue(items: readonly string[]): string {
  return items.length === 0 ? '' : `,${items.join(',')},`
}

/**
 * The test for a part of a value. An id passes by its text, as with graph-node, and where the needle is whole bytes, by
 * its bytes: with `0x` before it, a needle would else stand at the beginning alone.
 */
function partTest(
  kind: GraphNodeKind,
  name: string,
  part: BytesPart,
  needle: string,
  isNocase: boolean,
): FieldTest {
  const pattern = patternOfPart(part, needle)
  const folded = kind === 'bytes' ? needle : kind === 'hex' ? wholeBytes(needle) : null
  if (folded === null) return likeTest(name, needle, pattern, kind === 'hex' || isNocase)
  checkNeedle(name, needle)
  const bytes = Buffer.from(folded.slice(2), 'hex')
  return { kind: 'bytes', part, bytes, pattern: kind === 'hex' ? parsePattern(pattern.toLowerCase()) : null }
}

/** Digits of whole bytes, with or without `0x`, as rows have them: behind `0x`, in lower case. Null for other text. */
function wholeBytes(text: string): string | null {
  const [, digits] = /^(?:0x)?((?:[\da-f]{2})*)$/i.exec(text) ?? []
  return digits === undefined ? null : `0x${digits.toLowerCase()}`
}

/** The value as rows have it: hexadecimal text in lower case, a uint64 as 20 digits. */
function readValue(kind: GraphNodeKind, name: string, value: unknown): FieldValue {
  if (typeof value === 'boolean' && kind === 'bool') return value
  if (kind === 'bytes') {
    const bytes = typeof value === 'string' ? wholeBytes(value) : null
    if (bytes !== null) return bytes
    const expected = 'a string of hexadecimal digits, two for each byte, with or without 0x'
    throw new BadParameterError(`where.${name} is ${quoteInput(JSON.stringify(value))}; give ${expected}.`)
  }
  const isNumber = kind === 'int' || kind === 'uint64'
  const printed = typeof value === 'string' || Number.isSafeInteger(value) ? String(value) : null
  if (printed === null || (isNumber && !/^\d{1,20}$/.test(printed))) {
    const expected = isNumber ? 'a whole number from 0 on, as digits or as a string of digits' : 'a string'
    throw new BadParameterError(`where.${name} is ${quoteInput(JSON.stringify(value))}; give ${expected}.`)
  }
  if (kind === 'int') return Number(printed)
  if (kind === 'uint64') return sortableUint64(printed)
  if (kind !== 'hex') return printed
  // Pages by id begin with an empty text.
  return (printed === '' ? null : wholeBytes(printed)) ?? printed.toLowerCase()
}

/** Digits of a uint64 in a form whose order as text is that of the numbers. */
export function sortableUint64(digits: string): string {
  return digits.padStart(20, '0')
}
