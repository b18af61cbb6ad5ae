import { expect, test } from 'vitest'
import type { Difference } from '@attestry/core/index/indexAudit.ts'
import { createRepairPlanner } from './planRepair.ts'

test('blocks become spans, the deepest rewind counts, and only a comparison settles a doubt', () => {
  const planner = createRepairPlanner()
  for (const block of [7, 5, 6, 9])
    planner.add(difference({ chainId: 1, blockNumber: block, remedy: 'reindex' }))
  for (const block of [40, 30, 35])
    planner.add(difference({ chainId: 2, blockNumber: block, remedy: 'rewind' }))
  planner.add(difference({ chainId: 3, remedy: 'recount' }))
  planner.add(difference({ chainId: 4, remedy: 'recount' }))
  planner.add(difference({ chainId: 6, remedy: 'recount' }))
  const compared = { kind: 'compared', name: '', blocks: 1, events: 0, upToBlock: 9, isByOne: false } as const
  planner.add({ ...compared, chainId: 3, isComplete: true })
  planner.add({ ...compared, chainId: 6, isComplete: false })
  planner.add({ kind: 'unasked', chainId: 4, reason: 'away' })
  const plan = planner.plan()
  expect(plan.reindex).toEqual(
    new Map([
      [
        1,
        [
          { fromBlock: 5, toBlock: 7 },
          { fromBlock: 9, toBlock: 9 },
        ],
      ],
    ]),
  )
  expect(plan.rewinds).toEqual(new Map([[2, 30]]))
  expect(plan).toMatchObject({ rebuild: true, undecided: [4, 6] })
})

test('a difference without a remedy plans no repair', () => {
  const planner = createRepairPlanner()
  planner.add(difference({ remedy: 'none' }))
  expect(planner.plan()).toEqual({ rewinds: new Map(), reindex: new Map(), rebuild: false, undecided: [] })
})

function difference(given: Partial<Difference>) {
  const base = { what: 'derived', chainId: null, blockNumber: null, subject: '', field: null } as const
  return {
    kind: 'difference' as const,
    difference: { ...base, stored: null, expected: null, remedy: 'none' as const, ...given },
  }
}
