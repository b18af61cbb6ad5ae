import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { parsePattern, type TextPattern } from './textPattern.ts'

/** A condition on the rows of a model; `all` of nothing holds, `any` of nothing does not. */
export type Condition =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | FieldCondition
  | RelationCondition

export interface FieldCondition {
  readonly kind: 'field'
  readonly field: string
  readonly test: FieldTest
}

export interface RelationCondition {
  readonly kind: 'relation'
  readonly relation: string
  /** Whether one of the related rows has to match (the only one, where there is only one). */
  readonly of: Condition
}

/**
 * The kinds of scalar fields. `hex` is text that is the same in any case: ids, addresses, hashes, payloads. `int` has
 * 32 bits.
 */
export type FieldKind = 'hex' | 'text' | 'int' | 'bool'

export type FieldValue = string | number | boolean

export type FieldTest =
  /** One of the values; texts in lower case where `folds`. */
  | {
      readonly kind: 'in'
      readonly values: ReadonlySet<FieldValue>
      readonly folds: boolean
    }
  | {
      readonly kind: Comparison
      readonly value: string | number
      readonly folds: boolean
    }
  | {
      readonly kind: 'like'
      readonly pattern: TextPattern
      readonly folds: boolean
      /** As it was sent. */
      readonly needle: string
    }
  /** Bytes at the place of a byte, for fields of hexadecimal digits behind `0x`. */
  | {
      readonly kind: 'bytes'
      readonly part: BytesPart
      readonly bytes: Buffer
      /** A text that passes too, of fields that are texts and bytes alike; null if only bytes pass. */
      readonly pattern: TextPattern | null
    }

export type BytesPart = 'contains' | 'starts_with' | 'ends_with'

export type Comparison = 'lt' | 'lte' | 'gt' | 'gte'

export const everything: Condition = { kind: 'all', of: [] }

/** Whether every row matches. */
export function isEverything(condition: Condition): boolean {
  return condition.kind === 'all' && condition.of.length === 0
}

/** Most conditions and values in one `where`, and how deep they may nest. */
export const conditionsMax = 10_000
const nestingMax = 24
/** A pattern with `_` costs its length for each character of a text. */
const needleLengthMax = 4_094

/** How many conditions and values a `where` may still hold. */
export interface Reading {
  left: number
}

/** @throws BadParameterError for a condition that nests too deep. */
export function checkDepth(name: string, depth: number): void {
  if (depth <= nestingMax) return
  throw new BadParameterError(`${name} nests more than ${nestingMax} conditions; write it with fewer levels.`)
}

/** The condition that a row has one of these values in a field. */
export function isOneOf(field: string, values: Iterable<FieldValue>): FieldCondition {
  return { kind: 'field', field, test: { kind: 'in', values: new Set(values), folds: false } }
}

/** The condition that a text is not null, which is the empty text. */
export function hasText(field: string): FieldCondition {
  return { kind: 'field', field, test: { kind: 'gt', value: '', folds: false } }
}

export function allOf(...of: readonly Condition[]): Condition {
  return { kind: 'all', of }
}

/**
 * The test by a pattern of `LIKE` that was made of a needle; `folds`: in any case.
 * @throws BadParameterError if the pattern is too long.
 */
export function likeTest(field: string, needle: string, pattern: string, folds: boolean): FieldTest {
  checkNeedle(field, needle)
  return { kind: 'like', pattern: parsePattern(folds ? pattern.toLowerCase() : pattern), folds, needle }
}

/** @throws BadParameterError for a text that is too long to be looked for. */
export function checkNeedle(field: string, needle: string): void {
  if (needle.length <= needleLengthMax) return
  throw new BadParameterError(
    `where.${field} looks for a text of ${needle.length} characters; at most ${needleLengthMax} are looked for.`,
  )
}

/** @throws BadParameterError */
export function notNull(value: unknown, name: string): unknown {
  if (value === null) throw new BadParameterError(`where.${name} is null; give it a value, or leave it out.`)
  return value
}

/** Counts conditions and values of one `where`. @throws BadParameterError beyond the limit. */
export function spend(reading: Reading, count: number): void {
  reading.left -= count
  if (reading.left >= 0) return
  throw new BadParameterError(
    `where holds more than ${conditionsMax.toLocaleString('en')} conditions and values; ask in several requests.`,
  )
}
