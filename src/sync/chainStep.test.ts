import { describe, expect, test } from 'vitest'
import type { BlockHeader } from '../chain/chainClient.ts'
import type { Hash, Hex } from '../model/hex.ts'
import { unixSeconds } from '../model/time.ts'
import { chooseStep, findFork, type IndexedBlocks } from './chainStep.ts'

const finality = 10

function indexed(fork: string, from: number, to: number, startBlock = 1): IndexedBlocks {
  return { startBlock, blockNumber: to, recentBlocks: chainOf(fork, from, to) }
}

describe('the next step', () => {
  const at100 = indexed('a', 90, 100)

  test('takes a head below the checkpoint first', () => {
    expect(chooseStep(at100, headerOf('a', 99), finality)).toEqual({ kind: 'meetShortHead' })
  })

  test('indexes final blocks before those that may change', () => {
    expect(chooseStep(at100, headerOf('a', 111), finality)).toEqual({
      kind: 'indexFinalBlocks',
      finalBlock: 101,
    })
    expect(chooseStep(at100, headerOf('a', 110), finality)).toEqual({ kind: 'indexHeadBlocks' })
    expect(chooseStep(at100, headerOf('a', 101), finality)).toEqual({ kind: 'indexHeadBlocks' })
  })

  test('takes back a checkpoint that the head replaced, and waits where it is the head', () => {
    expect(chooseStep(at100, headerOf('b', 100), finality)).toEqual({ kind: 'takeBack' })
    expect(chooseStep(at100, headerOf('a', 100), finality)).toEqual({ kind: 'wait' })
  })

  test('of an empty index compares nothing', () => {
    const empty: IndexedBlocks = { startBlock: 50, blockNumber: 49, recentBlocks: [] }
    expect(chooseStep(empty, headerOf('a', 100), finality)).toEqual({
      kind: 'indexFinalBlocks',
      finalBlock: 90,
    })
    expect(chooseStep(empty, headerOf('a', 55), finality)).toEqual({ kind: 'indexHeadBlocks' })
    expect(chooseStep(empty, headerOf('a', 20), finality)).toEqual({ kind: 'wait' })
  })
})

describe('the fork', () => {
  test('lies above the newest block that the chain still has', () => {
    const canonical = [...chainOf('a', 90, 95), ...chainOf('b', 96, 100)]
    expect(findFork(indexed('a', 90, 100), canonical)).toMatchObject({ kind: 'ancestor', keptBlock: 95 })
  })

  test('is deep where no remembered block is left and older blocks are indexed', () => {
    expect(findFork(indexed('a', 90, 100), chainOf('b', 90, 100))).toEqual({ kind: 'deep', oldest: 90 })
  })

  test('lies before the first block to index where all blocks are remembered and none is left', () => {
    const fork = findFork(indexed('a', 90, 100, 90), chainOf('b', 90, 100))
    expect(fork).toEqual({ kind: 'ancestor', keptBlock: 89, ancestor: null })
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
