import { daySeconds } from '@attestry/core/model/time.ts'
import type { DaySpan } from '@attestry/core/index/indexQueries.ts'

/** A span of days as statements take it, both ends included. */
export interface DayRange {
  readonly first: number
  readonly last: number
}

/** Beyond the day of any timestamp, on both sides. */
const dayMax = Math.ceil(Number.MAX_SAFE_INTEGER / daySeconds)

export function dayRange({ from, before }: DaySpan): DayRange {
  return { first: from ?? -dayMax, last: before === null ? dayMax : before - 1 }
}

export function isWithin({ first, last }: DayRange, day: number): boolean {
  return day >= first && day <= last
}
