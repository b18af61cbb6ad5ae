import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { ArgumentValues } from '../execution/plan.ts'

/** An argument that says how many rows a list may have. */
export interface LimitArgument {
  readonly name: string
  readonly minimum: number
  readonly maximum: number
  readonly absent: number
}

/** @throws BadParameterError */
export function readLimit({ name, minimum, maximum, absent }: LimitArgument, values: ArgumentValues): number {
  const value = values[name] ?? absent
  if (typeof value === 'number' && value >= minimum && value <= maximum) return value
  throw new BadParameterError(
    `${name} must be a whole number from ${minimum} to ${maximum}; it was ${JSON.stringify(value)}.`,
  )
}

/** The rows that the argument asks for, as the cost counts them. */
export function limitSize({ name, absent }: LimitArgument, values: ArgumentValues): number {
  const value = values[name]
  return typeof value === 'number' ? value : absent
}
