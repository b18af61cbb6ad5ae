import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  answerNumbered,
  numberedDeployment,
  type RecordTimes,
} from '@attestry/test/harness/numberedRecords.ts'
import type { ChainClient } from '../chain/chainClient.ts'
import { RpcRefusedError, RpcUnreachableError } from '../errors/rpcErrors.ts'
import { systemClock } from '../model/clock.ts'
import type { ContractRead, RecordKind } from '../protocols/protocolAdapter.ts'
import { createEventSource } from './fetchEvents.ts'
import type { TalliedKind, TalliedRange } from './recordSeries.ts'
import { createRecordTally } from './recordTally.ts'

/** A block has its number times ten as its time. */
const timestampOf = (block: number) => Promise.resolve(block * 10)

const noFailure: (read: ContractRead) => Error | null = () => null

/** The tally of a contract with these records, from a block on, and the reads that it made. */
async function tallyOf(
  records: Partial<RecordTimes>,
  { fromBlock = 0, startBlock = 0, fail = noFailure } = {},
) {
  const times = { schema: [], attestation: [], ...records }
  const asked: number[] = []
  const timed: number[] = []
  const client: Pick<ChainClient, 'readContracts' | 'isAlone'> = {
    isAlone: () => true,
    readContracts: (reads) => {
      asked.push(reads.length)
      const error = reads.map(fail).find((each) => each !== null)
      if (error !== undefined) return Promise.reject(error)
      return Promise.resolve(reads.map((read) => answerNumbered(times, read)))
    },
  }
  const indexed = numberedDeployment(startBlock)
  const options = { transactionSenders: false, finality: 0, clock: systemClock, unannounced: [] }
  const source = createEventSource(client as ChainClient, [indexed], options)
  const tally = await createRecordTally(
    source,
    fromBlock,
    (block) => {
      timed.push(block)
      return timestampOf(block)
    },
    new AbortController().signal,
  )
  /** Takes blocks whose logs are those of these records. */
  const take = (blocks: [from: number, to: number], logs: Partial<Record<RecordKind, number[]>> = {}) => {
    const kinds = (['schema', 'attestation'] as const).map((what): TalliedKind => {
      const numbers = (logs[what] ?? []).map(BigInt)
      const following = numbers.at(-1)
      const followingTime = following === undefined ? null : (times[what]?.[Number(following) + 1] ?? null)
      return { indexed, what, numbers, unreadable: [], lastBlock: blocks[0], followingTime }
    })
    const range: TalliedRange = {
      fromBlock: blocks[0],
      toBlock: blocks[1],
      lastTimestamp: blocks[1] * 10,
      kinds,
    }
    return tally.take(range)
  }
  return { tally, take, asked, timed, indexed }
}

describe('a tally expects', () => {
  test('the first record of a block from its first one on, whatever the number of records', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(300),
        fc.array(fc.nat(3), { maxLength: 9_000, size: 'max' }),
        fc.nat(3_000),
        async (unreadable, gaps, fromBlock) => {
          let time = 0
          const readable = gaps.map((gap) => (time += gap))
          const attestation = [...Array.from({ length: unreadable }, () => null), ...readable]
          const { take, tally, asked } = await tallyOf({ attestation }, { fromBlock })
          const before = fromBlock === 0 ? -1 : (fromBlock - 1) * 10
          const first = attestation.findIndex((created) => created !== null && created > before)
          const exists = first >= 0
          const expectedTime = attestation[first] ?? Infinity
          expect(tally.awaitsRecordBefore(expectedTime)).toBe(false)
          expect(tally.awaitsRecordBefore(Infinity)).toBe(exists)
          expect(tally.awaitsRecordAt(expectedTime)).toBe(exists)
          expect(take([fromBlock, 10_000])?.first ?? null).toBe(exists ? BigInt(first) : null)
          // The numbers of schemas, and of attestations, then of at most 64 records a step.
          expect(Math.max(...asked)).toBeLessThanOrEqual(64)
          expect(asked.length).toBeLessThanOrEqual(2 + 3)
        },
      ),
      { numRuns: 50 },
    )
  })

  test('no record from before the first block of its contract', async () => {
    const attestation = [5, 55, 205]
    const late = await tallyOf({ attestation }, { fromBlock: 3, startBlock: 20 })
    expect(late.timed).toEqual([19])
    expect(late.take([3, 30])).toMatchObject({ first: 2n, last: 2n, fromBlock: 20, toBlock: 30 })
    const early = await tallyOf({ attestation }, { fromBlock: 3, startBlock: 0 })
    expect(early.take([3, 30])).toMatchObject({ first: 1n, fromBlock: 3 })
  })

  test('a record of the first block of the chain, whose time may be zero', async () => {
    const { take, timed } = await tallyOf({ attestation: [0] })
    expect(timed).toEqual([])
    expect(take([0, 1])).toMatchObject({ first: 0n, fromBlock: 0 })
  })

  test('the next record of all if every record is earlier', async () => {
    const { take, tally } = await tallyOf({ attestation: [5, 15] }, { fromBlock: 100 })
    expect(tally.awaitsRecordBefore(Infinity)).toBe(false)
    expect(take([100, 200])).toBeNull()
    expect(take([201, 300], { attestation: [3] })).toMatchObject({ first: 2n, last: 2n, fromBlock: 100 })
  })
})

describe('a series is not followed', () => {
  const attestation = [5, 15, 25]

  test.each([
    ['how many records it has', '0xattestation'],
    ['for its records', '0xattestation 0x0'],
  ])('where the endpoints refuse to say %s', async (_, data) => {
    const fail = (read: ContractRead) =>
      read.data === data ? new RpcRefusedError('no', { retryable: true }) : null
    const { take, tally } = await tallyOf({ attestation, schema: [7] }, { fail })
    expect(tally.awaitsRecordAt(5)).toBe(false)
    expect(take([0, 0], { attestation: [9] })).toBeNull()
    // The other series of the contract is followed all the same.
    expect(take([1, 10])).toMatchObject({ what: 'schema', first: 0n })
  })

  test('where the contract does not answer', async () => {
    const { tally } = await tallyOf({ attestation: null, schema: [7] })
    expect(tally.awaitsRecordAt(5)).toBe(false)
    expect(tally.awaitsRecordAt(7)).toBe(true)
  })

  test('any more where its numbers do not ascend', async () => {
    const { take, tally } = await tallyOf({ attestation })
    expect(take([0, 1], { attestation: [0, 1] })).toBeNull()
    expect(tally.awaitsRecordAt(25)).toBe(true)
    expect(take([2, 2], { attestation: [0] })).toBeNull()
    expect(tally.awaitsRecordAt(25)).toBe(false)
  })

  test('any more once its gap is given up', async () => {
    const { take, tally } = await tallyOf({ attestation, schema: [205] })
    const gap = take([0, 10])
    expect(gap).toMatchObject({ what: 'attestation', first: 0n, last: 0n })
    if (gap !== null) tally.giveUp(gap)
    expect(take([0, 10])).toBeNull()
    expect(tally.awaitsRecordAt(205)).toBe(true)
    expect(tally.awaitsRecordBefore(205)).toBe(false)
  })
})

test('endpoints that fail end the tally: their answers may be those of a pruned node by then', async () => {
  const fail = () => new RpcUnreachableError('away', { retryable: true })
  await expect(tallyOf({ attestation: [5] }, { fail })).rejects.toThrow('away')
})

test('a range with a gap is taken as a whole later, or not at all', async () => {
  const { take, tally } = await tallyOf({ schema: [5, 205], attestation: [5, 15] })
  // The logs of schemas are as expected. Taken now and again, they would seem to be numbered twice.
  const logs = { schema: [0], attestation: [1] }
  const gap = take([0, 10], logs)
  expect(gap).toMatchObject({ what: 'attestation', first: 0n, last: 0n, fromBlock: 0, toBlock: 10 })
  expect(tally.awaitsRecordAt(5)).toBe(true)
  if (gap !== null) tally.giveUp(gap)
  expect(take([0, 10], logs)).toBeNull()
  expect(tally.awaitsRecordAt(205)).toBe(true)
  expect(take([11, 30], { schema: [1] })).toBeNull()
})

test('a record of the time of an unreadable log is not awaited', async () => {
  const { tally, indexed } = await tallyOf({ attestation: [55] })
  const kind: TalliedKind = {
    indexed,
    what: 'attestation',
    numbers: [],
    unreadable: [55],
    lastBlock: 0,
    followingTime: null,
  }
  expect(tally.awaitsRecordAt(55)).toBe(true)
  expect(tally.take({ fromBlock: 0, toBlock: 5, lastTimestamp: 55, kinds: [kind] })).toBeNull()
  expect(tally.awaitsRecordAt(55)).toBe(false)
})
