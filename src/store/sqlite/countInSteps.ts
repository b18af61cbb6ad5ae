import { StoreUnavailableError } from '../../errors/storeErrors.ts'
import type { Reads } from '../port/reads.ts'
import { tooMuchWork, type CountBudget, type CountPlan } from '../reading/countRows.ts'
import { armRows, findBoundary } from '../reading/rowWalk.ts'

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
  const { condition, orderValueOf } = plan
  const startMs = performance.now()
  let sum = 0
  let passed = 0
  let step = budget.atOnceMax
  for (const arm of plan.arms) {
    let { range } = plan
    for (;;) {
      await turn()
      if (isClosed()) throw new StoreUnavailableError('the database was closed while rows were counted')
      const stepMs = performance.now()
      const left = budget.rowsMax - passed
      if (left < 1 || stepMs - startMs > budget.durationMaxMs) throw tooMuchWork(budget)
      const count = Math.min(step, left)
      const upTo = await findBoundary(reads, [arm], range, count, orderValueOf)
      const isChecked = condition.sql !== '' || arm.rowCondition !== null
      const rows = armRows(arm, { ...range, upTo }, condition, orderValueOf, isChecked ? arm.join : '')
      const counted = await reads.get<[number]>(`SELECT count(*) FROM ${rows.sql}`, ...rows.parameters)
      sum += counted?.[0] ?? 0
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
