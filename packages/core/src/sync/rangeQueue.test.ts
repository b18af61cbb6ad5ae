import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { BlockRange } from './fetchRange.ts'
import { createRangeQueue, rangeBlocks } from './rangeQueue.ts'

describe('the size of a range', () => {
  test('is a part of a request while the load is unknown and many requests are ahead', () => {
    expect(rangeBlocks(1_000, null, 100_000)).toBe(125)
    expect(rangeBlocks(1_000, null, 4_000)).toBe(1_000)
  })

  test('is several requests where events are sparse, and never more than 32', () => {
    expect(rangeBlocks(1_000, 10, 100_000)).toBe(5_000)
    expect(rangeBlocks(1_000, 10_000, 10_000_000)).toBe(32_000)
  })

  test('is a part of a request where events are dense, and never empty', () => {
    expect(rangeBlocks(10_000, 1, 100_000)).toBe(1_250)
    expect(rangeBlocks(10_000, 1 / 1_000_000, 100_000)).toBe(1)
  })
})

describe('the ranges of a backfill', () => {
  function queueOf(toBlock: number) {
    const fetched: BlockRange[] = []
    const ranges = createRangeQueue(
      { fromBlock: 1, toBlock },
      () => 10,
      (range) => {
        fetched.push(range)
        return Promise.resolve(range)
      },
    )
    return { ranges, fetched }
  }

  test('cover every block once, in order, four in flight where they are fetched before their turn', async () => {
    const { ranges, fetched } = queueOf(95)
    const taken: BlockRange[] = []
    for (let range = ranges.next(); range !== undefined; range = ranges.next()) {
      expect(fetched.length - taken.length).toBeLessThanOrEqual(4)
      taken.push(await range.fetched)
      await nextTurn()
      ranges.noteLoad(range, 5)
    }
    expect(taken).toEqual(fetched)
    expect(taken[0]?.fromBlock).toBe(1)
    expect(taken.at(-1)?.toBlock).toBe(95)
    for (const [index, range] of taken.slice(1).entries())
      expect(range.fromBlock).toBe((taken[index]?.toBlock ?? 0) + 1)
  })

  test('are up to sixteen in flight while the next one is not fetched in time, and four again behind a slow store', async () => {
    const waiting: (() => void)[] = []
    const ranges = createRangeQueue(
      { fromBlock: 1, toBlock: 100_000 },
      () => 10,
      () => new Promise<void>((resolve) => void waiting.push(resolve)),
    )
    let taken = 0
    const take = () => {
      const range = ranges.next()
      taken++
      if (range !== undefined) ranges.noteLoad(range, 1_000)
      return waiting.length - taken
    }
    for (let turn = 0; turn < 20; turn++) take()
    expect(take()).toBe(16)
    for (let turn = 0; turn < 20; turn++) {
      for (const resolve of waiting) resolve()
      await nextTurn()
      take()
    }
    expect(waiting.length - taken).toBe(4)
  })

  test('are four in flight where each takes many requests, however late they are', () => {
    let begun = 0
    const ranges = createRangeQueue(
      { fromBlock: 1, toBlock: 100_000 },
      () => 10,
      () => new Promise<void>(() => void begun++),
    )
    const inFlight = Array.from({ length: 20 }, (_, index) => {
      if (ranges.next() !== undefined) ranges.noteLoad({ fromBlock: 1, toBlock: 10_000 }, 1)
      return begun - index - 1
    })
    expect(inFlight.slice(5)).toEqual(Array.from({ length: 15 }, () => 4))
  })

  test('have the next one fetched as soon as the load of one is noted', () => {
    const { ranges, fetched } = queueOf(95)
    const first = ranges.next()
    expect(fetched).toHaveLength(4)
    if (first !== undefined) ranges.noteLoad(first, 1)
    expect(fetched).toHaveLength(5)
  })

  test('do not exist where there is no block', () => {
    expect(queueOf(0).ranges.next()).toBeUndefined()
  })

  test('reject in their turn, and settle all the same', async () => {
    const ranges = createRangeQueue(
      { fromBlock: 1, toBlock: 20 },
      () => 10,
      ({ fromBlock }) => (fromBlock === 1 ? Promise.resolve() : Promise.reject(new Error('no answer'))),
    )
    await ranges.next()?.fetched
    await ranges.settle()
    await expect(ranges.next()?.fetched).rejects.toThrow('no answer')
  })
})
