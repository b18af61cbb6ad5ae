import { StoreTooMuchWorkError, StoreUnavailableError } from '../../errors/storeErrors.ts'
import type { Connection } from './connection.ts'
import {
  countArm,
  findBoundary,
  type OrderValueOf,
  type SqlCondition,
  type WalkArm,
  type WalkRange,
} from './rowWalk.ts'

/** What is counted: the rows of disjoint arms within a range that fulfil a condition. */
export interface CountPlan {
  readonly arms: readonly WalkArm[]
  readonly condition: SqlCondition
  readonly range: WalkRange
  readonly orderValueOf: OrderValueOf
}

/** How much work one count may be. */
export interface CountBudget {
  readonly rowsMax: number
  readonly durationMaxMs: number
  /** Rows of the first step, and those that are counted without any; later steps are as large as the time for one allows. */
  readonly firstStepRows: number
}

const stepMax = 20_000
/** By how much a step may be larger than the one before. */
const stepGrowthMax = 4
/** How long a step should take at most: other reads wait for it. */
const stepTargetMs = 4

/**
 * Counts rows step by step, each in a turn of the event loop of its own. The connection must hold one snapshot.
 * @throws StoreTooMuchWorkError beyond the budget.
 * @throws StoreUnavailableError when `isClosed` says so.
 */
export async function countInSteps(
  connection: Connection,
  plan: CountPlan,
  budget: CountBudget,
  turn: () => Promise<void>,
  isClosed: () => boolean,
): Promise<number> {
  const { condition, orderValueOf } = plan
  const startMs = performance.now()
  let sum = 0
  let passed = 0
  let step = budget.firstStepRows
  for (const arm of plan.arms) {
    let { range } = plan
    for (;;) {
      await turn()
      if (isClosed()) throw new StoreUnavailableError('the database was closed while rows were counted')
      const stepMs = performance.now()
      const left = budget.rowsMax - passed
      if (left < 1 || stepMs - startMs > budget.durationMaxMs) throw tooMuchWork(budget)
      const count = Math.min(step, left)
      const upTo = findBoundary(connection, [arm], range, count, orderValueOf)
      sum += countArm(connection, arm, { ...range, upTo }, condition, orderValueOf)
      if (upTo === null) break
      passed += count
      range = { ...range, after: upTo }
      const tookMs = Math.max(performance.now() - stepMs, 0.1)
      const growth = Math.min(stepGrowthMax, stepTargetMs / tookMs)
      step = Math.max(1, Math.min(stepMax, Math.floor(count * growth)))
    }
  }
  return sum
}

/** The count where a few rows tell it all; null where there are more than that. */
export function countAtOnce(connection: Connection, plan: CountPlan, rowsMax: number): number | null {
  const { arms, condition, range, orderValueOf } = plan
  if (findBoundary(connection, arms, range, rowsMax, orderValueOf) !== null) return null
  return arms.reduce((sum, arm) => sum + countArm(connection, arm, range, condition, orderValueOf), 0)
}

function tooMuchWork({ rowsMax, durationMaxMs }: CountBudget): StoreTooMuchWorkError {
  return new StoreTooMuchWorkError('more rows would have to be counted than one answer may cost', {
    facts: { rowsMax, durationMaxMs },
  })
}
