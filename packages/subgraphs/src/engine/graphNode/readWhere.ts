import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { quoteInput } from '@attestry/server/pipeline/quoteInput.ts'
import {
  checkDepth,
  checkNeedle,
  conditionsMax,
  everything,
  hasText,
  isOneOf,
  likeTest,
  notNull,
  spend,
  type BytesPart,
  type Condition,
  type FieldTest,
  type FieldValue,
  type Reading,
} from '../condition.ts'
import { nullValue, rootOf } from '../rowSource.ts'
import { parsePattern } from '../textPattern.ts'
import {
  listText,
  sortableUint,
  type EntityShape,
  type FieldShape,
  type GraphNodeDialect,
  type GraphNodeKind,
} from './entity.ts'

type Input = Readonly<Record<string, unknown>>

/**
 * Reads a `where` in graph-node's form, whose types GraphQL has checked. Fields of a related row are named
 * `<relation>.<field>`, and its id `<relation>`.
 * @throws BadParameterError if a field does not take a value, or the condition is too large.
 */
export function readWhere(dialect: GraphNodeDialect, entity: EntityShape, where: unknown): Condition {
  const given = (value: unknown, name: string) => (dialect.takesNull ? value : notNull(value, name))
  const read = (
    reading: Reading,
    shape: EntityShape,
    prefix: string,
    input: Input,
    depth: number,
  ): Condition => {
    checkDepth('where', depth)
    const of = Object.entries(input)
      .filter(([, value]) => value !== undefined)
      .map(([name, sent]): Condition => {
        spend(reading, 1)
        const value = given(sent, name)
        if (name === 'and' || name === 'or') {
          const parts = ((value as readonly unknown[] | null) ?? []).map((part) =>
            read(reading, shape, prefix, (given(part, name) ?? {}) as Input, depth + 1),
          )
          return { kind: name === 'or' ? 'any' : 'all', of: parts }
        }
        // Names of fields and relations have no underscore: what follows the first one is the operator.
        const [own = '', ...suffix] = name.split('_')
        const isRelation = name === `${own}_`
        const unanswered = isRelation ? dialect.unanswered?.[shape.name]?.[own] : undefined
        if (unanswered !== undefined) throw notAnswered(name, shape.name, unanswered)
        const related = isRelation ? dialect.entities[shape.related?.[own] ?? ''] : undefined
        if (related !== undefined)
          return read(reading, related, `${prefix}${own}.`, (value ?? {}) as Input, depth + 1)
        const field = prefix !== '' && own === 'id' ? prefix.slice(0, -1) : `${prefix}${own}`
        const filter = { name, field, operator: suffix.join('_'), given: value }
        const declared = shape.fields[own]
        if (declared === undefined) throw new TypeError(`${shape.name} has no field ${own}`)
        return readFilter(reading, declared, filter)
      })
    return { kind: 'all', of }
  }
  return where == null ? everything : read({ left: conditionsMax }, entity, '', where as Input, 0)
}

function notAnswered(name: string, entity: string, listed: string): BadParameterError {
  return new BadParameterError(
    `where.${name} is not answered; ask for ${rootOf(listed)}s instead, whose where takes ${rootOf(entity)}_: {…}.`,
  )
}

/** A member of a `where`. */
interface Filter {
  /** As the client wrote it. */
  readonly name: string
  /** The field of rows. */
  readonly field: string
  /** The part of the name after the field and its underscore; empty: equals. */
  readonly operator: string
  readonly given: unknown
}

/** A suffix that looks for a part of a text: a negation, the part, and whether case counts. */
const partOperator = /^(not_)?(contains|starts_with|ends_with)(_nocase)?$/

function readFilter(reading: Reading, declared: FieldShape, filter: Filter): Condition {
  const { kind } = declared
  const { name, field, operator, given } = filter
  if (given === null) return nullFilter(kind, filter)
  if (kind === 'texts' || kind === 'bytesList') return readListFilter(reading, kind, filter)
  const valueOf = (value: unknown) => readValue(kind, name, value)
  const test = (tested: FieldTest): Condition => ({ kind: 'field', field, test: tested })
  switch (operator) {
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return test({ kind: operator, value: valueOf(given) as string | number, folds: false })
    case '':
    case 'not':
    case 'in':
    case 'not_in': {
      const sent = operator.endsWith('in') ? (given as readonly unknown[]) : [given]
      spend(reading, sent.length)
      const values = sent.map(valueOf)
      const isNegated = operator.startsWith('not')
      if (kind !== 'bool' || !isNegated || isNeverNull(declared, field))
        return negated(isOneOf(field, values), isNegated)
      // A value that is not true is false or null.
      return isOneOf(
        field,
        [true, false, nullValue].filter((value) => !values.includes(value)),
      )
    }
    default: {
      const [, negation, part = '', nocase] = partOperator.exec(operator) ?? []
      const tested = partTest(kind, name, part as BytesPart, given, nocase !== undefined)
      return negated(test(tested), negation !== undefined)
    }
  }
}

/** Whether a field of the row itself always has a value. A related row may be absent. */
function isNeverNull({ type }: FieldShape, field: string): boolean {
  return type?.endsWith('!') === true && !field.includes('.')
}

/** The condition that a value is null, or is not. Texts that are not null are greater than the text for null. */
function nullFilter(kind: GraphNodeKind, { name, field, operator }: Filter): Condition {
  if (operator === '') return isOneOf(field, [nullValue])
  if (operator !== 'not') {
    throw new BadParameterError(`where.${name} is null; give it a value, or leave it out.`)
  }
  if (kind === 'bool') return isOneOf(field, [true, false])
  return kind === 'number' || kind === 'whole'
    ? { kind: 'not', of: isOneOf(field, [nullValue]) }
    : hasText(field)
}

/** A filter on a list: it holds all of the given items, or none of them; or it is the given list. */
function readListFilter(
  reading: Reading,
  kind: 'texts' | 'bytesList',
  { name, field, operator, given }: Filter,
): Condition {
  const values = given as readonly unknown[]
  spend(reading, values.length)
  const items = values.map((item) => (kind === 'texts' ? String(item) : readBytes(name, item)))
  const isNegated = operator.startsWith('not')
  if (!operator.includes('contains')) return negated(isOneOf(field, [listText(items)]), isNegated)
  const folds = operator.endsWith('nocase')
  const of = items.map((item): Condition => {
    const test = likeTest(name, item, patternOfPart('contains', listText([item])), folds)
    return negated({ kind: 'field', field, test }, isNegated)
  })
  return { kind: 'all', of }
}

/**
 * The test for a part of a value. An id passes by its text, as with graph-node. It also passes by its bytes if the
 * needle is whole bytes: otherwise a needle with `0x` would only match at the beginning.
 */
function partTest(
  kind: GraphNodeKind,
  name: string,
  part: BytesPart,
  given: unknown,
  isNocase: boolean,
): FieldTest {
  const needle =
    kind === 'bytes' ? readBytes(name, given) : kind === 'hex' ? String(given).toLowerCase() : String(given)
  const pattern = patternOfPart(part, needle)
  const folded = kind === 'bytes' ? needle : kind === 'bytesId' ? wholeBytes(needle) : null
  if (folded === null)
    return likeTest(name, needle, pattern, kind === 'hex' || kind === 'bytesId' || isNocase)
  checkNeedle(name, needle)
  const bytes = Buffer.from(folded.slice(2), 'hex')
  return {
    kind: 'bytes',
    part,
    bytes,
    pattern: kind === 'bytes' ? null : parsePattern(pattern.toLowerCase()),
  }
}

/** The pattern of texts with `needle` at a place. */
function patternOfPart(part: BytesPart, needle: string): string {
  const escaped = needle.replaceAll(/[%_\\]/g, '\\$&')
  return `${part === 'starts_with' ? '' : '%'}${escaped}${part === 'ends_with' ? '' : '%'}`
}

/** Digits of whole bytes, with or without `0x`, as rows have them: behind `0x`, in lower case. Null for other text. */
function wholeBytes(text: string): string | null {
  const [, digits] = /^(?:0x)?((?:[\da-f]{2})*)$/i.exec(text) ?? []
  return digits === undefined ? null : `0x${digits.toLowerCase()}`
}

function readBytes(name: string, value: unknown): string {
  const bytes = typeof value === 'string' ? wholeBytes(value) : null
  return bytes ?? refuse(name, value, 'a string of hexadecimal digits, two for each byte, with or without 0x')
}

/** The value as rows have it. */
function readValue(kind: GraphNodeKind, name: string, value: unknown): FieldValue {
  const printed = String(value)
  switch (kind) {
    case 'bool':
      return value === true
    case 'number':
      if (!/^-?\d{1,80}(\.\d{1,80})?(e[+-]?\d{1,3})?$/i.test(printed))
        return refuse(name, value, 'a number, or a string of digits')
      return Number(printed)
    case 'whole':
    case 'uint': {
      const isSafe = typeof value === 'string' || Number.isSafeInteger(value)
      if (!isSafe || !/^\d{1,78}$/.test(printed))
        return refuse(name, value, 'a whole number from 0 on, as digits or as a string of digits')
      return kind === 'whole' ? Number(printed) : sortableUint(printed)
    }
    case 'bytes':
      return readBytes(name, value)
    case 'bytesId':
      // Pages by id begin with an empty text.
      return (printed === '' ? null : wholeBytes(printed)) ?? printed.toLowerCase()
    case 'hex':
      return printed.toLowerCase()
    default:
      return printed
  }
}

function refuse(name: string, value: unknown, expected: string): never {
  throw new BadParameterError(`where.${name} is ${quoteInput(JSON.stringify(value))}; give ${expected}.`)
}

function negated(of: Condition, isNegated: boolean): Condition {
  return isNegated ? { kind: 'not', of } : of
}
