import { describe, expect, test } from 'vitest'
import type { BlockHeader } from '../chain/chainClient.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import type { Hash, Hex } from '../model/hex.ts'
import { unixSeconds } from '../model/time.ts'
import { assertLinked, findCommonAncestor } from './reorganisation.ts'

describe('the common ancestor', () => {
  test('is the newest remembered block that the chain still holds', () => {
    const remembered = chainOf('a', 10, 20)
    const canonical = [...chainOf('a', 10, 14), ...chainOf('b', 15, 20)]
    expect(findCommonAncestor(remembered, canonical)?.number).toBe(14)
  })

  test('is the checkpoint itself if nothing changed', () => {
    expect(findCommonAncestor(chainOf('a', 10, 20), chainOf('a', 10, 20))?.number).toBe(20)
  })

  test('is found below the end of a chain that became shorter', () => {
    expect(findCommonAncestor(chainOf('a', 10, 20), chainOf('a', 10, 12))?.number).toBe(12)
  })

  test('does not exist if all remembered blocks were replaced', () => {
    expect(findCommonAncestor(chainOf('a', 10, 20), chainOf('b', 10, 20))).toBeNull()
    expect(findCommonAncestor(chainOf('a', 10, 20), [])).toBeNull()
  })
})

describe('headers', () => {
  test('that follow one another are accepted', () => {
    expect(() => assertLinked(chainOf('a', 1, 5))).not.toThrow()
    expect(() => assertLinked([])).not.toThrow()
  })

  test('of two forks are refused for now', () => {
    const mixed = [...chainOf('a', 1, 3), ...chainOf('b', 4, 5)]
    expect(() => assertLinked(mixed)).toThrow(InconsistentChainError)
    expect(() => assertLinked(mixed)).toThrow(/block 4 does not follow the block 3/)
  })

  test('with a gap are refused for now', () => {
    expect(() => assertLinked([...chainOf('a', 1, 1), ...chainOf('a', 3, 3)])).toThrow(InconsistentChainError)
  })
})

function chainOf(fork: string, from: number, to: number): BlockHeader[] {
  const hash = (number: number) => `0x${fork}${number}` as Hash
  return Array.from({ length: to - from + 1 }, (_, i) => ({
    number: from + i,
    hash: hash(from + i),
    parentHash: hash(from + i - 1),
    timestamp: unixSeconds(1_700_000_000 + from + i),
    logsBloom: '0x' as Hex,
  }))
}
