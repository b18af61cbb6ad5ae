import { StoreTooMuchWorkError } from '../../errors/storeErrors.ts'
import type { Reads, SqlText } from '../port/reads.ts'
import { countArm, type OrderValueOf, type WalkArm, type WalkRange } from './rowWalk.ts'

/** The rows to be counted: those of disjoint arms within a range that fulfil a condition. */
export interface CountPlan {
  readonly arms: readonly WalkArm[]
  readonly condition: SqlText
  readonly range: WalkRange
  readonly orderValueOf: OrderValueOf
  /** Where rows must also be compared outside of the database. */
  readonly check: CountCheck | null
}

export interface CountCheck {
  /** Rows that are compared at a time. */
  readonly rowsMax: number
  /**
   * How many rows of an arm within a range fulfil the condition and the comparison.
   * @param goOn called for each row; throws to end the count.
   */
  count(arm: WalkArm, range: WalkRange, goOn: () => void): Promise<number>
}

/** How much work one count may be. */
export interface CountBudget {
  readonly rowsMax: number
  readonly durationMaxMs: number
  /** Rows that are counted like any other read; more of them on a connection of their own. */
  readonly atOnceMax: number
}

/** The count where at most `rowsMax` rows are passed over for it; null where there are more. */
export async function countUpTo(reads: Reads, plan: CountPlan, rowsMax: number): Promise<number | null> {
  const { arms, condition, range, orderValueOf } = plan
  let sum = 0
  let left = rowsMax
  for (const arm of arms) {
    const { count, passed } = await countArm(reads, arm, range, condition, left + 1, orderValueOf)
    if (passed > left) return null
    left -= passed
    sum += count
  }
  return sum
}

/** The error of a count beyond its budget. */
export function tooMuchWork({ rowsMax, durationMaxMs }: CountBudget, cause?: unknown): StoreTooMuchWorkError {
  return new StoreTooMuchWorkError('more rows would have to be counted than one answer may cost', {
    ...(cause === undefined ? {} : { cause }),
    facts: { rowsMax, durationMaxMs },
  })
}
