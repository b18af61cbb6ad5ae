import { Type } from 'typebox'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { quoteInput } from '../quoteInput.ts'
import type { Parameter } from './parameter.ts'

export interface IntegerParameterOptions<Absent extends number | null> {
  readonly name: string
  readonly description: string
  readonly minimum: number
  readonly maximum: number
  /** The value of an absent parameter. */
  readonly absent: Absent
  /** Numbers below `minimum` that are read as `minimum`: clients of the original service send page 0. */
  readonly readAsMinimum?: number
}

/** A whole number in the query, in decimal digits and nothing else; leading zeros are digits. */
export function integerParameter<Absent extends number | null>(
  options: IntegerParameterOptions<Absent>,
): Parameter<number | Absent> {
  const { name, description, minimum, maximum, absent, readAsMinimum } = options
  const lowest = readAsMinimum ?? minimum
  return {
    name,
    in: 'query',
    schema: Type.Integer({
      minimum: lowest,
      maximum,
      description,
      ...(absent === null ? {} : { default: absent }),
    }),
    absent: { value: absent },
    read: (text) => {
      // Seventeen digits suffice to see that a number is out of range.
      const value = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN
      if (!(value >= lowest && value <= maximum)) {
        throw new BadParameterError(
          `${name} must be a whole number from ${minimum} to ${maximum}, in decimal digits; it was ${quoteInput(text)}.`,
        )
      }
      return Math.max(value, minimum)
    },
  }
}
