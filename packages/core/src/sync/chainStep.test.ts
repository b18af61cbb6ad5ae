import { describe, expect, test } from 'vitest'
import type { BlockHeader } from '../chain/chainClient.ts'
import type { Hash, Hex } from '../model/hex.ts'
import { unixSeconds } from '../model/time.ts'
import {
  chooseStep,
  findFork,
  lastIndexed,
  withBlocks,
  withoutBlocksAbove,
  type IndexedBlocks,
} from './chainStep.ts'

const finality = 10

function indexed(fork: string, from: number, to: number, startBlock = 1): IndexedBlocks {
  return { startBlock, blockNumber: to, recentBlocks: chainOf(fork, from, to) }
}

describe('the next step', () => {
  const at100 = indexed('a', 90, 100)
  const next = (blocks: IndexedBlocks, head: BlockHeader, awaited = 0) =>
    chooseStep(blocks, head, finality, awaited)

  test('awaits a head below the checkpoint, until it has stayed there for fifteen polls', () => {
    for (let awaited = 0; awaited < 14; awaited++)
      expect(next(at100, headerOf('a', 99), awaited)).toEqual({ kind: 'awaitHead' })
    expect(next(at100, headerOf('a', 99), 14)).toEqual({ kind: 'revert' })
  })

  test('reverts blocks at once if a lower head replaced one of them', () => {
    expect(next(at100, headerOf('b', 90))).toEqual({ kind: 'revert' })
  })

  test('refuses a head below all remembered blocks, however often', () => {
    expect(next(at100, headerOf('a', 89))).toEqual({ kind: 'refuseHead' })
    expect(next(at100, headerOf('a', 89), 99)).toEqual({ kind: 'refuseHead' })
  })

  test('indexes final blocks before those that may change', () => {
    expect(next(at100, headerOf('a', 111))).toEqual({ kind: 'indexFinalBlocks', finalBlock: 101 })
    expect(next(at100, headerOf('a', 110))).toEqual({ kind: 'indexHeadBlocks' })
    expect(next(at100, headerOf('a', 101))).toEqual({ kind: 'indexHeadBlocks' })
  })

  test('reverts a checkpoint that the head replaced, and waits if the checkpoint is the head', () => {
    expect(next(at100, headerOf('b', 100))).toEqual({ kind: 'revert' })
    expect(next(at100, headerOf('a', 100))).toEqual({ kind: 'wait' })
  })

  test('of an empty index compares nothing', () => {
    const empty: IndexedBlocks = { startBlock: 50, blockNumber: 49, recentBlocks: [] }
    expect(lastIndexed(empty)).toBeNull()
    expect(lastIndexed({ ...empty, blockNumber: 50 })).toBe(50)
    expect(next(empty, headerOf('a', 100))).toEqual({ kind: 'indexFinalBlocks', finalBlock: 90 })
    expect(next(empty, headerOf('a', 55))).toEqual({ kind: 'indexHeadBlocks' })
    expect(next(empty, headerOf('a', 20))).toEqual({ kind: 'wait' })
  })
})

describe('the index', () => {
  test('grows by blocks, of which it remembers those that may still change', () => {
    const grown = withBlocks(indexed('a', 90, 100), 103, chainOf('a', 101, 103), 93)
    expect(grown).toEqual(indexed('a', 93, 103))
    expect(lastIndexed(grown)).toBe(103)
    // Of final blocks it remembers the last one, or none where the commit ends before the end of a range.
    expect(withBlocks(grown, 200, chainOf('a', 200, 200), 200)).toEqual(indexed('a', 200, 200))
    expect(withBlocks(grown, 200, [], 200)).toEqual({ startBlock: 1, blockNumber: 200, recentBlocks: [] })
  })

  test('loses the blocks above a kept one, which it may not remember', () => {
    const before = indexed('a', 90, 100)
    expect(withoutBlocksAbove(before, 95)).toEqual(indexed('a', 90, 95))
    expect(withoutBlocksAbove(before, 80)).toEqual({ startBlock: 1, blockNumber: 80, recentBlocks: [] })
    expect(lastIndexed(withoutBlocksAbove(before, 0))).toBeNull()
  })
})

describe('the fork', () => {
  test('lies above the newest block that the chain still has', () => {
    const canonical = [...chainOf('a', 90, 95), ...chainOf('b', 96, 100)]
    expect(findFork(indexed('a', 90, 100), canonical)).toEqual({ kind: 'ancestor', keptBlock: 95 })
  })

  test('is deep where no remembered block is left and older blocks are indexed', () => {
    expect(findFork(indexed('a', 90, 100), chainOf('b', 90, 100))).toEqual({ kind: 'deep', oldest: 90 })
  })

  test('lies before the first block to index where all blocks are remembered and none is left', () => {
    const fork = findFork(indexed('a', 90, 100, 90), chainOf('b', 90, 100))
    expect(fork).toEqual({ kind: 'ancestor', keptBlock: 89 })
  })
})

function chainOf(fork: string, from: number, to: number): BlockHeader[] {
  return Array.from({ length: to - from + 1 }, (_, i) => headerOf(fork, from + i))
}

function headerOf(fork: string, number: number): BlockHeader {
  const hash = (of: number) => `0x${fork}${of}` as Hash
  return {
    number,
    hash: hash(number),
    parentHash: hash(number - 1),
    timestamp: unixSeconds(1_700_000_000 + number),
    logsBloom: '0x' as Hex,
  }
}
