import { expect, test } from 'vitest'
import type { Slice } from '@attestry/core/index/indexQueries.ts'
import { readInSteps, type SliceStep } from './readInSteps.ts'

/** Reads rows 0 to 9,999, of which those pass whose number is a multiple of `every`. */
function stepsOf(every: number) {
  const steps: number[] = []
  const readStep = ({ after, limit, rowsMax }: SliceStep): Promise<Slice<{ readonly row: number }>> => {
    steps.push(rowsMax)
    const start = after === null ? 0 : after.position + 1
    const rows: Slice<{ readonly row: number }>['rows'][number][] = []
    for (let row = start; row < Math.min(10_000, start + rowsMax); row++) {
      if (row % every === 0) rows.push({ row, place: placeOf(row) })
      if (rows.length === limit) return Promise.resolve({ rows, hasMore: true, scannedTo: null })
    }
    const end = start + rowsMax
    const isEnd = end >= 10_000
    return Promise.resolve({ rows, hasMore: !isEnd, scannedTo: isEnd ? null : placeOf(end - 1) })
  }
  return { steps, readStep }
}

const placeOf = (row: number) => ({ timestamp: 0, chainId: 1, position: row })

async function read(every: number, limit: number, rowsMax: number, sharesThread = true) {
  const { steps, readStep } = stepsOf(every)
  let turns = 0
  const turn = () => {
    turns += 1
    return Promise.resolve()
  }
  const slice = await readInSteps({ after: null, limit, rowsMax }, sharesThread ? turn : null, readStep)
  return { slice, steps, turns }
}

test('others go on between steps that find too little', async () => {
  const { slice, steps, turns } = await read(3_000, 3, 20_000)
  expect(slice.rows.map(({ row }) => row)).toEqual([0, 3_000, 6_000])
  expect([slice.hasMore, slice.scannedTo]).toEqual([true, null])
  expect(steps).toEqual([2_000, 2_000, 2_000, 2_000])
  expect(turns).toBe(3)
})

test('a slice ends where its work does, and says how far it came', async () => {
  const { slice, steps } = await read(20_000, 3, 5_000)
  expect(steps).toEqual([2_000, 2_000, 1_000])
  expect(slice).toEqual({
    rows: [{ row: 0, place: placeOf(0) }],
    hasMore: true,
    scannedTo: placeOf(4_999),
  })
})

test('a slice ends with its list', async () => {
  const { slice, steps } = await read(4_000, 30, 20_000)
  expect(steps).toHaveLength(5)
  expect(slice.rows).toHaveLength(3)
  expect([slice.hasMore, slice.scannedTo]).toEqual([false, null])
})

test('a slice that keeps no other read waiting is one step', async () => {
  const { steps, turns } = await read(20_000, 3, 5_000, false)
  expect([steps, turns]).toEqual([[5_000], 0])
})
