import { BadParameterError, BadRequestError } from '@attestry/core/errors/apiErrors.ts'
import { describeInput } from '../describeInput.ts'
import { quoteInput } from '../quoteInput.ts'
import type { Parameter } from './parameter.ts'

/** Most ids or addresses of one request. */
export const manyMax = 10_000

/** The members of the JSON object in the body of a POST. */
export type BodyMembers = Readonly<Record<string, unknown>>

/**
 * Reads the body of a POST: a JSON object with no other members than the known ones.
 * @throws BadRequestError
 */
export function readBodyMembers(text: string, known: readonly string[]): BodyMembers {
  const names = known.join(', ')
  if (text === '') throw new BadRequestError(`The body is missing; send a JSON object with ${names}.`)
  const sent = parseJson(text)
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    throw new BadRequestError(`The body is not a JSON object; send one with ${names}.`)
  }
  const unknown = Object.keys(sent).find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new BadRequestError(`${quoteInput(unknown)} is no member of this body; its members are ${names}.`)
  }
  return sent as BodyMembers
}

/**
 * Reads a list of texts.
 * @param items what they are: `composite ids`.
 * @param readItem reads one; `place` names it in a message: `ids[3]`.
 * @throws BadParameterError naming the list, or the place in the list.
 */
export function readList<Item>(
  name: string,
  value: unknown,
  { items, itemsMax }: { readonly items: string; readonly itemsMax: number },
  readItem: (place: string, text: string) => Item,
): readonly Item[] {
  const must = `${name} must be a list of 1 to ${itemsMax.toLocaleString('en')} ${items}`
  if (!Array.isArray(value)) throw new BadParameterError(`${must}; it ${was(value)}.`)
  if (value.length === 0 || value.length > itemsMax) {
    throw new BadParameterError(`${must}; it has ${value.length.toLocaleString('en')}.`)
  }
  return value.map((item: unknown, index) =>
    readItem(`${name}[${index}]`, readText(`${name}[${index}]`, item)),
  )
}

/**
 * Reads an optional member by a parameter of the same name and rules.
 * @throws BadParameterError
 */
export function readOptional<Value>({ name, read }: Parameter<Value>, value: unknown): Value | null {
  return value === undefined || value === null ? null : read(readText(name, value))
}

/** @throws BadParameterError */
export function readText(name: string, value: unknown): string {
  if (typeof value !== 'string') throw new BadParameterError(`${name} must be a text; it ${was(value)}.`)
  return value
}

/**
 * A whole number, 0 or more; null if it is absent.
 * @throws BadParameterError
 */
export function readInteger(name: string, value: unknown, maximum: number): number | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maximum) return value
  throw new BadParameterError(`${name} must be a whole number from 0 to ${maximum}; it ${was(value)}.`)
}

function was(value: unknown): string {
  return `${value === undefined ? 'is' : 'was'} ${describeInput(value)}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new BadRequestError('The body is not valid JSON; send a JSON object.')
  }
}
