import { expect, test } from 'vitest'
import type { Hash } from '../model/hex.ts'
import { unixSeconds } from '../model/time.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import { createRecordCheck, type RecordCheckPorts } from './recordCheck.ts'
import type { RecordGap } from './recordSeries.ts'
import type { RecordTally } from './recordTally.ts'

const gap = { first: 3n, last: 3n } as RecordGap
const log = { blockNumber: 5 } as ChainLog

/** A tally in which `gaps` come one after another, and a record is expected at or before the given times. */
function tallyOf(times: { at?: number; before?: number; gaps?: RecordGap[] }): RecordTally {
  const gaps = [...(times.gaps ?? [])]
  return {
    take: () => gaps.shift() ?? null,
    awaitsRecordAt: (timestamp) => timestamp === times.at,
    awaitsRecordBefore: (timestamp) => times.before !== undefined && times.before < timestamp,
    giveUp: () => undefined,
  }
}

function checkWith(tally: RecordTally | null, isAlone: boolean, ports: Partial<RecordCheckPorts> = {}) {
  const target = { headBlock: 300, lastBlock: { number: 200, timestamp: unixSeconds(2_000) } }
  const check = createRecordCheck(target, Promise.resolve(tally), isAlone, {
    onGap: () => Promise.resolve(),
    fetchTimestamp: () => Promise.resolve(2_010),
    assertKept: () => Promise.resolve(),
    ...ports,
  })
  return async (toBlock: number, firstRecord: ChainLog | null = null) => {
    const hash = `0x${toBlock}` as Hash
    const lastHeader = { number: toBlock, hash, parentHash: hash, timestamp: unixSeconds(toBlock * 10) }
    return await check({ fromBlock: 1, toBlock, kinds: [], firstRecord, lastHeader })
  }
}

test('blocks are complete if nothing is counted', async () => {
  expect(await checkWith(null, false)(100)).toBe('complete')
})

test('blocks are unproved while a record is expected and no endpoint returned a log of one', async () => {
  const kept: ChainLog[] = []
  const check = checkWith(tallyOf({ before: 1_500 }), false, {
    assertKept: (asked) => {
      kept.push(asked)
      return Promise.resolve()
    },
  })
  expect(await check(100)).toBe('unproved')
  expect(await check(110, log)).toBe('complete')
  expect(await check(120, log)).toBe('complete')
  expect(kept).toEqual([log])
})

test('an endpoint that is alone needs no proof', async () => {
  expect(await checkWith(tallyOf({ before: 1_500 }), true)(100)).toBe('complete')
})

test('an endpoint that does not return a known log ends the backfill', async () => {
  const check = checkWith(tallyOf({}), false, { assertKept: () => Promise.reject(new Error('pruned')) })
  await expect(check(100, log)).rejects.toThrow('pruned')
})

test('a record of the time of the last block is expected, and the check asks for no later block before the end', async () => {
  const asked: number[] = []
  const fetchTimestamp = (block: number) => {
    asked.push(block)
    return Promise.resolve(2_010)
  }
  expect(await checkWith(tallyOf({ at: 1_000 }), true, { fetchTimestamp })(100)).toBe('recordExpected')
  expect(asked).toEqual([])
  expect(await checkWith(tallyOf({ at: 2_000 }), true, { fetchTimestamp })(200)).toBe('recordExpected')
  expect(asked).toEqual([201])
})

test('every gap is reported, and given up if the backfill continues without its records', async () => {
  const met: RecordGap[] = []
  const onGap = (each: RecordGap) => {
    met.push(each)
    return Promise.resolve()
  }
  expect(await checkWith(tallyOf({ gaps: [gap, gap] }), true, { onGap })(100)).toBe('complete')
  expect(met).toEqual([gap, gap])
  const fails = checkWith(tallyOf({ gaps: [gap] }), true, {
    onGap: () => Promise.reject(new Error('kept back')),
  })
  await expect(fails(100)).rejects.toThrow('kept back')
})
