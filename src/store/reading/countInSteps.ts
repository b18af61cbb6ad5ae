import { StoreUnavailableError } from '../../errors/storeErrors.ts'
import type { Reads, SqlText } from '../port/reads.ts'
import { countFrom } from './countFrom.ts'
import { tooMuchWork, type CountBudget, type CountPlan } from './countRows.ts'
import { armRows, findBoundary, type OrderValueOf, type WalkArm, type WalkRange } from './rowWalk.ts'

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
  reads: Reads,
  plan: CountPlan,
  budget: CountBudget,
  turn: () => Promise<void>,
  isClosed: () => boolean,
): Promise<number> {
  const { check, condition, orderValueOf } = plan
  const startMs = performance.now()
  // A page whose rows are decoded for the count decodes them again when it is read.
  const durationMaxMs = check === null ? budget.durationMaxMs : budget.durationMaxMs / 2
  const goOn = () => {
    if (performance.now() - startMs > durationMaxMs) throw tooMuchWork(budget)
  }
  const rowsMax = check?.rowsMax ?? stepMax
  let sum = 0
  let passed = 0
  let step = Math.min(budget.atOnceMax, rowsMax)
  for (const arm of plan.arms) {
    let { range } = plan
    for (;;) {
      await turn()
      if (isClosed()) throw new StoreUnavailableError('the database was closed while rows were counted')
      const stepMs = performance.now()
      const left = budget.rowsMax - passed
      if (left < 1) throw tooMuchWork(budget)
      goOn()
      const count = Math.min(step, left)
      const upTo = await findBoundary(reads, [arm], range, count, orderValueOf)
      const part = { ...range, upTo }
      sum +=
        check === null
          ? await countPart(reads, arm, part, condition, orderValueOf)
          : await check.count(arm, part, goOn)
      if (upTo === null) break
      passed += count
      range = { ...range, after: upTo }
      const tookMs = Math.max(performance.now() - stepMs, 0.1)
      const growth = Math.min(stepGrowthMax, stepTargetMs / tookMs)
      step = Math.max(1, Math.min(rowsMax, Math.floor(count * growth)))
    }
  }
  return sum
}

async function countPart(
  reads: Reads,
  arm: WalkArm,
  range: WalkRange,
  condition: SqlText,
  orderValueOf: OrderValueOf,
): Promise<number> {
  const hasCondition = condition.sql !== '' || arm.rowCondition !== null
  const { sql, parameters } = armRows(arm, range, condition, orderValueOf, hasCondition ? arm.join : '')
  return await countFrom(reads, sql, parameters)
}
