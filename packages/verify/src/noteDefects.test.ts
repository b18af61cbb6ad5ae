import { expect, test } from 'vitest'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Difference } from '@attestry/core/index/indexAudit.ts'
import type { Finding } from './findings.ts'
import { createDefectNotes } from './noteDefects.ts'

const difference = (chainId: ChainId | null, blockNumber: number | null) =>
  ({ kind: 'difference', difference: { chainId, blockNumber } as Difference }) as const
const compared = (chainId: ChainId, isComplete = true) =>
  ({ kind: 'compared', chainId, isComplete }) as Finding
const defectsOf = (...findings: readonly Finding[]) => {
  const notes = createDefectNotes('2026-11-25')
  for (const finding of findings) notes.add(finding)
  return Object.fromEntries(notes.defects())
}

test('the differences of a chain are kept with the blocks concerned, as far as they are known', () => {
  const kept = defectsOf(
    difference(1, 9),
    difference(1, null),
    difference(1, 5),
    difference(2, null),
    compared(1),
  )
  expect(kept).toMatchObject({ 1: { fromBlock: 5, toBlock: 9 }, 2: { fromBlock: null, toBlock: null } })
  expect(kept[1]?.text).toContain('found 3 differences in the blocks 5 to 9 on 2026-11-25')
  expect(kept[2]?.text).toContain('found 1 difference on 2026-11-25')
})

test('a chain without a difference is right where it was compared as a whole, and unknown otherwise', () => {
  const unasked: Finding = { kind: 'unasked', chainId: 2, reason: 'no endpoint' }
  expect(defectsOf(compared(1), unasked, compared(2), compared(3, false), difference(null, 7))).toEqual({
    1: null,
  })
})

test('the last verification of a chain says how much was compared, how much differs, and whether that is all', () => {
  const notes = createDefectNotes('2026-11-25')
  const [upToBlock, blocks, events] = [90, 40, 7]
  const whole = {
    kind: 'compared',
    chainId: 1,
    name: 'one',
    upToBlock,
    blocks,
    events,
    isByOne: false,
  } as const
  notes.add(difference(1, 9))
  notes.add({ ...whole, isComplete: true })
  notes.add({ kind: 'unasked', chainId: 2, reason: 'its counters cannot be read' })
  notes.add({ ...whole, chainId: 2, isComplete: true })
  notes.add({ kind: 'unasked', chainId: 3, reason: 'no endpoint' })
  expect(Object.fromEntries(notes.verifications())).toEqual({
    1: { upToBlock, blocks, events, differences: 1, isComplete: true },
    2: { upToBlock, blocks, events, differences: 0, isComplete: false },
  })
})
