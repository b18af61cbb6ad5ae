import { describe, expect, test } from 'vitest'
import { numberedDeployment, numberedLog } from '@attestry/test/harness/numberedRecords.ts'
import type { ChainClient } from '../chain/chainClient.ts'
import { zeroHash } from '../model/hex.ts'
import { eventPosition } from '../model/position.ts'
import { unixSeconds } from '../model/time.ts'
import type { FetchedLog } from '../protocols/protocolAdapter.ts'
import { createEventSource } from './fetchEvents.ts'
import { createHistoryShape, firstLacking, judgeSample } from './historySample.ts'

const source = createEventSource({} as ChainClient, [numberedDeployment(0)], {
  transactionSenders: false,
  finality: 12,
  clock: { nowMs: () => 0, sleep: () => Promise.resolve() },
  unannounced: [],
})

/** One log for each number of a block. */
function logsIn(...blocks: readonly number[]): readonly FetchedLog[] {
  return blocks.map((blockNumber, number) => ({
    ...numberedLog('attestation', number),
    blockNumber,
    blockHash: zeroHash,
    blockTimestamp: unixSeconds(blockNumber),
    transactionHash: zeroHash,
  }))
}

describe('of several answers', () => {
  test('the answer with the most logs of a block counts, even if one endpoint is against two', () => {
    const whole = logsIn(3, 5, 5, 9)
    const { logs, omissions } = judgeSample(source, [
      { host: 'silent', logs: [] },
      { host: 'silent too', logs: [] },
      { host: 'whole', logs: whole },
    ])
    expect(logs).toEqual(whole)
    expect(omissions.map(({ host, log }) => [host, log.blockNumber])).toEqual([
      ['silent', 3],
      ['silent too', 3],
    ])
  })

  test('each may lack logs of other blocks', () => {
    const { logs, omissions } = judgeSample(source, [
      { host: 'first', logs: logsIn(3, 5) },
      { host: 'last', logs: logsIn(5, 9) },
    ])
    expect(logs.map(({ blockNumber }) => blockNumber)).toEqual([3, 5, 9])
    expect(omissions.map(({ host }) => host).toSorted()).toEqual(['first', 'last'])
  })
})

describe('the index', () => {
  const at = (block: number, ...indexes: readonly number[]) =>
    indexes.map((index) => eventPosition(block, index))

  test('lacks a block without its events, or without the last of them', () => {
    expect(firstLacking(source, logsIn(3, 5, 5), [...at(3, 0), ...at(5, 0, 1)])).toBeNull()
    expect(firstLacking(source, logsIn(3, 5, 5), at(5, 0, 1))).toBe(3)
    expect(firstLacking(source, logsIn(3, 5, 5), [...at(3, 0), ...at(5, 0)])).toBe(5)
  })

  test('has all logs of a block if it has an event of the last one: positions count logs', () => {
    expect(firstLacking(source, logsIn(5, 5, 5), at(5, 0, 2))).toBeNull()
  })
})

test('the shape of a history knows where logs are dense, and the longest ranges without any', () => {
  const shape = createHistoryShape()
  shape.note({ fromBlock: 0, toBlock: 99 }, [10, 11, 12, 80], 5)
  shape.note({ fromBlock: 100, toBlock: 299 }, [], 5)
  shape.note({ fromBlock: 300, toBlock: 399 }, [350], 5)
  expect(shape.dense()[0]).toEqual({ fromBlock: 10, toBlock: 14 })
  expect(shape.empty().slice(0, 2)).toEqual([
    { fromBlock: 81, toBlock: 349 },
    { fromBlock: 13, toBlock: 79 },
  ])
})
