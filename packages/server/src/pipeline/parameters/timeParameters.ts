import { integerParameter } from './integerParameter.ts'
import type { Parameter } from './parameter.ts'

/** The last second of the year 9999. Milliseconds that are taken for seconds lie far beyond it, and are refused. */
export const unixSecondsMax = 253_402_300_799

/** A time as an optional filter, in Unix seconds; null when it is absent. */
export function timeFilterParameter(name: string, description: string): Parameter<number | null> {
  return integerParameter({
    name,
    description: `${description} Unix seconds.`,
    minimum: 0,
    maximum: unixSecondsMax,
    absent: null,
  })
}
