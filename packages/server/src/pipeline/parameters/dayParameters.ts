import { Type } from 'typebox'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { quoteInput } from '../quoteInput.ts'
import { optionalParameter, type Parameter } from './parameter.ts'

const dayMs = 86_400_000

/** A UTC day as an optional bound, `YYYY-MM-DD`; in days since the epoch, null when it is absent or empty. */
export function dayParameter(name: string, description: string): Parameter<number | null> {
  return optionalParameter(
    name,
    Type.String({ format: 'date', description, examples: ['2024-06-10'] }),
    (text) => {
      const time = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) ? Date.parse(text) : Number.NaN
      // `Date` reads a day beyond its month as one of the next month, or as invalid.
      if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text) {
        throw new BadParameterError(`${name} must be a date such as 2024-06-10; it was ${quoteInput(text)}.`)
      }
      return time / dayMs
    },
  )
}

/** The span of a series of days. */
export const daySpanParameters = {
  from: dayParameter('from', 'First day of the series, in UTC.'),
  before: dayParameter('before', 'Day before which the series ends, in UTC.'),
} as const
