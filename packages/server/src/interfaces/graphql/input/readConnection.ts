import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import { quoteInput } from '../../../pipeline/quoteInput.ts'
import { parseRowCursor } from '../../../pipeline/rowCursor.ts'
import type { ArgumentValues } from '../execution/plan.ts'

/** The requested rows of a connection. */
export interface ConnectionRequest {
  readonly order: 'newestFirst' | 'oldestFirst'
  /** `forward`: the first ones behind `after`. `backward`: the last ones before `before`. */
  readonly direction: 'forward' | 'backward'
  readonly count: number
  readonly after: RowPlace | null
  readonly before: RowPlace | null
}

const countMax = 100
const countDefault = 10

/**
 * Reads `orderBy`, `first`, `after`, `last` and `before`.
 * @throws BadParameterError
 */
export function readConnection(values: ArgumentValues): ConnectionRequest {
  const first = readCount('first', values['first'])
  const last = readCount('last', values['last'])
  if (first !== null && last !== null) {
    throw new BadParameterError('first and last are both given; give one of them.')
  }
  return {
    order: values['orderBy'] === 'OLDEST_FIRST' ? 'oldestFirst' : 'newestFirst',
    direction: last === null ? 'forward' : 'backward',
    count: first ?? last ?? countDefault,
    after: readCursor('after', values['after']),
    before: readCursor('before', values['before']),
  }
}

/**
 * The rows that the arguments ask for, as the cost counts them; arguments that `readConnection` refuses cost at most
 * the maximum.
 */
export function connectionSize(values: ArgumentValues): number {
  const count = values['first'] ?? values['last'] ?? countDefault
  return typeof count === 'number' ? count : countMax
}

function readCount(name: string, value: unknown): number | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' && value >= 0 && value <= countMax) return value
  throw new BadParameterError(
    `${name} must be a whole number from 0 to ${countMax}; it was ${JSON.stringify(value)}.`,
  )
}

function readCursor(name: string, value: unknown): RowPlace | null {
  if (typeof value !== 'string') return null
  const place = parseRowCursor(value)
  if (place !== null) return place
  throw new BadParameterError(`${name} must be a cursor of an earlier answer; it was ${quoteInput(value)}.`)
}
