import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BlockHeader } from '../chain/chainClient.ts'
import { zeroHash, type Hex } from '../model/hex.ts'
import { unixSeconds } from '../model/time.ts'
import { findBlocksAt } from './findBlocksAt.ts'

test('finds all blocks of a second, or null if the second has no block', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(0, 0, 1, 2, 12), { minLength: 1, maxLength: 60 }),
      fc.nat(200),
      async (gaps, wanted) => {
        let time = 0
        const times = gaps.map((gap) => (time += gap))
        const client = {
          fetchHeaders: (from: number, to: number) =>
            Promise.resolve(times.slice(from, to + 1).map((timestamp, i) => headerOf(from + i, timestamp))),
        }
        const found = await findBlocksAt(
          client,
          wanted,
          { fromBlock: 0, toBlock: times.length - 1 },
          new AbortController().signal,
        )
        const first = times.indexOf(wanted)
        expect(found).toEqual(
          first < 0 ? null : { fromBlock: first, toBlock: Math.min(times.lastIndexOf(wanted), first + 63) },
        )
      },
    ),
  )
})

test('asks for few headers where the second has one block', async () => {
  let asked = 0
  const client = {
    fetchHeaders: (from: number, to: number) => {
      asked += to - from + 1
      return Promise.resolve(
        Array.from({ length: to - from + 1 }, (_, i) => headerOf(from + i, 12 * (from + i))),
      )
    },
  }
  const within = { fromBlock: 0, toBlock: 1_023 }
  const found = await findBlocksAt(client, 12 * 700, within, new AbortController().signal)
  expect({ found, asked }).toEqual({ found: { fromBlock: 700, toBlock: 700 }, asked: 10 + 1 + 1 })
})

function headerOf(number: number, timestamp: number): BlockHeader {
  return {
    number,
    hash: zeroHash,
    parentHash: zeroHash,
    timestamp: unixSeconds(timestamp),
    logsBloom: '0x' as Hex,
  }
}
