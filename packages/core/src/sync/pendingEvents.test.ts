import { describe, expect, test } from 'vitest'
import type { Clock } from '../model/clock.ts'
import type { DomainEvent } from '../model/domainEvent.ts'
import type { Hash } from '../model/hex.ts'
import { eventPosition } from '../model/position.ts'
import { unixSeconds } from '../model/time.ts'
import type { BlockBatch } from '../index/indexWriter.ts'
import { createPendingEvents, eventLoad, isCommitDue, type BackfillCommit } from './pendingEvents.ts'

describe('waiting events are', () => {
  const waiting = { isLast: false, records: 'complete', load: 10, waitedMs: 0, isStoreIdle: true } as const
  const full = { ...waiting, load: 5_000 }
  const late = { ...waiting, waitedMs: 2_000 }

  test('committed when they fill a commit or waited long enough', () => {
    expect(isCommitDue(waiting)).toBe(false)
    expect(isCommitDue(full)).toBe(true)
    expect(isCommitDue(late)).toBe(true)
  })

  test('left for the next commit while one is in flight, unless they fill one', () => {
    expect(isCommitDue({ ...late, isStoreIdle: false })).toBe(false)
    expect(isCommitDue({ ...full, isStoreIdle: false })).toBe(true)
  })

  test('kept while no endpoint is proved, unless they fill a commit', () => {
    expect(isCommitDue({ ...late, records: 'unproved' })).toBe(false)
    expect(isCommitDue({ ...full, records: 'unproved' })).toBe(true)
  })

  test('kept, however many, while a record of the last block is expected, and committed at the end all the same', () => {
    const expecting = { ...full, waitedMs: 9_000, records: 'recordExpected' } as const
    expect(isCommitDue(expecting)).toBe(false)
    expect(isCommitDue({ ...expecting, isLast: true })).toBe(true)
  })
})

describe('the load', () => {
  test('of events is their number, or more where their payloads are large', () => {
    expect(eventLoad([])).toBe(0)
    expect(eventLoad([eventIn(1), eventIn(2)])).toBe(2)
    expect(eventLoad([eventIn(1, 8_000)])).toBe(4)
  })
})

describe('a commit', () => {
  test('is due with the first events, however few and soon, and not with the next few', async () => {
    const { pending } = pendingTo(300)
    const addBlock = (toBlock: number, events: readonly DomainEvent[]) =>
      pending.add({ toBlock, events, remembered: [headerOf(toBlock)], lastTimestamp: null }, events.length)
    const due: boolean[] = []
    for (const [index, events] of [[], [eventIn(2)], [eventIn(3)]].entries()) {
      addBlock(index + 1, events)
      due.push(pending.isDue('complete'))
      if (pending.isDue('complete')) await pending.commit()
      await pending.settle()
    }
    expect(due).toEqual([false, true, false])
  })

  test('of many events goes to the store in parts of whole blocks that follow one another', async () => {
    const { pending, batches, commits } = pendingTo(300)
    const many = Array.from({ length: 10_000 }, (_, index) => eventIn(1 + Math.floor(index / 100)))
    pending.add(
      { toBlock: 150, events: many, remembered: [headerOf(150)], lastTimestamp: unixSeconds(99) },
      10_000,
    )
    expect(pending.isDue('complete')).toBe(true)
    await pending.commit()
    await pending.settle()
    expect(
      batches.map(({ fromBlock, checkpoint, events }) => [fromBlock, checkpoint.blockNumber, events.length]),
    ).toEqual([
      [1, 50, 5_000],
      [51, 150, 5_000],
    ])
    expect(batches.map(({ recentBlocks }) => recentBlocks)).toEqual([[], [headerOf(150)]])
    expect(batches.every(({ moreFollows }) => moreFollows)).toBe(true)
    expect(
      commits.map(({ blockNumber, remembered, timestamp }) => [
        blockNumber,
        remembered.at(-1)?.number ?? null,
        timestamp,
      ]),
    ).toEqual([
      [50, null, 99],
      [150, 150, 1_500],
    ])
  })

  test('begins where the one before ended, and the last one says that nothing follows', async () => {
    const { pending, batches } = pendingTo(20)
    for (const block of [10, 20]) {
      pending.add({ toBlock: block, events: [], remembered: [headerOf(block)], lastTimestamp: null }, 0)
      expect(pending.isDue('recordExpected')).toBe(block === 20)
      await pending.commit()
    }
    await pending.settle()
    expect(
      batches.map(({ fromBlock, checkpoint, moreFollows }) => [
        fromBlock,
        checkpoint.blockNumber,
        moreFollows,
      ]),
    ).toEqual([
      [1, 10, true],
      [11, 20, false],
    ])
  })

  test('remembers blocks without a gap, and forgets those before a gap', async () => {
    const { pending, batches } = pendingTo(90, undefined, 5)
    const add = async (toBlock: number, ...numbers: readonly number[]) => {
      pending.add({ toBlock, events: [], remembered: numbers.map(headerOf), lastTimestamp: null }, 0)
      await pending.commit()
    }
    await add(3, 1, 2, 3)
    await add(50, 50)
    await add(60, 57, 58, 59, 60)
    await add(62, 61, 62)
    await pending.settle()
    expect(
      batches.map(({ recentBlocks, forgetBlocksBelow }) => [
        recentBlocks.map(({ number }) => number),
        forgetBlocksBelow,
      ]),
    ).toEqual([
      [[1, 2, 3], 5],
      [[50], 50],
      [[57, 58, 59, 60], 57],
      [[61, 62], 57],
    ])
  })

  test('that fails makes the next one reject', async () => {
    const { pending } = pendingTo(20, () => Promise.reject(new Error('the disk is full')))
    pending.add({ toBlock: 10, events: [], remembered: [headerOf(10)], lastTimestamp: null }, 0)
    await pending.commit()
    await expect(pending.settle()).rejects.toThrow('the disk is full')
    await expect(pending.commit()).rejects.toThrow('the disk is full')
  })
})

const noSummary = { schemas: 0, attestations: 0, revocations: 0, anchors: 0, undecodable: 0 }

function pendingTo(
  lastNumber: number,
  applyBlocks?: () => Promise<typeof noSummary>,
  oldestBlock: number | null = null,
) {
  const batches: BlockBatch[] = []
  const commits: BackfillCommit[] = []
  const clock: Clock = { nowMs: () => 0, sleep: () => Promise.resolve() }
  const pending = createPendingEvents(
    { chainId: 1, fromBlock: 1, lastBlock: headerOf(lastNumber), oldestBlock },
    {
      applyBlocks: (_, batch) => {
        batches.push(batch)
        return applyBlocks?.() ?? Promise.resolve(noSummary)
      },
    },
    (commit) => void commits.push(commit),
    clock,
    new AbortController().signal,
  )
  return { pending, batches, commits }
}

function headerOf(number: number) {
  const hash = (of: number) => `0x${of}` as Hash
  return { number, hash: hash(number), parentHash: hash(number - 1), timestamp: unixSeconds(number * 10) }
}

function eventIn(block: number, dataLength = 0): DomainEvent {
  return {
    kind: 'undecodableLog',
    position: eventPosition(block, 0),
    data: '0'.repeat(dataLength),
  } as unknown as DomainEvent
}
