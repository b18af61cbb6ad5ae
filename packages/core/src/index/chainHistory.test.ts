import { expect, test } from 'vitest'
import { zeroHash } from '../model/hex.ts'
import type { ChainDigest } from './storedRecords.ts'
import { historyInParts, type HistoryEvent, type HistoryReads } from './chainHistory.ts'

/** Three events a block, in groups that are no parts. */
const events = Array.from({ length: 24_000 }, (_, index): HistoryEvent => {
  return { block: Math.floor(index / 3), line: String(index) }
})
const digestAt = (block: number): ChainDigest => {
  return { version: 1, blockNumber: block, eventCount: 3 * (block + 1), value: zeroHash }
}

/** A chain that has `more` final blocks each time that it is asked; `open` counts the states that are held. */
function createChain(blocks: number, more: number) {
  const held = { open: 0, asked: 0 }
  const reader: HistoryReads = {
    async *chainHistory({ fromBlock, toBlock: lastBlock = Infinity, eventsMax = Infinity }) {
      held.open += 1
      try {
        const toBlock = blocks - 1 + more * held.asked++
        const [digest, digestBefore] = [digestAt(toBlock), digestAt(fromBlock - 1)]
        yield {
          kind: 'chain',
          name: '',
          contracts: [],
          toBlock,
          timestamp: null,
          digest,
          digestBefore,
          defect: null,
        }
        const end = Math.min(toBlock, lastBlock, fromBlock + Math.ceil(eventsMax / 3) - 1)
        if (end < fromBlock) return
        const wanted = events.filter(({ block }) => block >= fromBlock && block <= end)
        for (let at = 0; at < wanted.length; at += 512) {
          yield { kind: 'events', events: wanted.slice(at, at + 512) }
          await Promise.resolve()
        }
        yield { kind: 'end', toBlock: end, digest: digestAt(end) }
      } finally {
        held.open -= 1
      }
    },
  }
  return { reader, held }
}

const request = { chainId: 1, fromBlock: 0, finality: 0 }

async function linesOf(reader: HistoryReads, held: { open: number }, limits: object) {
  const lines: string[] = []
  const ends: (number | undefined)[] = []
  let block = -1
  for await (const part of historyInParts(reader, { ...request, ...limits })) {
    expect(held.open).toBe(0)
    expect(part.chain.digestBefore).toEqual(digestAt(block))
    block = part.end?.toBlock ?? block
    ends.push(part.end?.toBlock)
    for (const { line } of part.events) lines.push(line)
  }
  return { lines, ends }
}

test.each([
  [{}, 0, [3_333, 6_667, 7_899]],
  // Blocks that become final meanwhile are read too.
  [{}, 50, [3_333, 6_667, 7_999]],
  [{ toBlock: 100 }, 50, [100]],
  [{ toBlock: 5_000 }, 50, [3_333, 5_000]],
  [{ eventsMax: 12_000 }, 0, [3_333, 3_999]],
])(
  'no state of the index is held while a part of a history is worked on: %j, %s',
  async (limits, more, ends) => {
    const { reader, held } = createChain(7_900, more)
    const found = await linesOf(reader, held, limits)
    expect(found.ends).toEqual(ends)
    expect(found.lines).toEqual(events.slice(0, 3 * ((ends.at(-1) ?? -1) + 1)).map(({ line }) => line))
  },
)

test('a history without new final blocks has one part without an end', async () => {
  const parts: unknown[] = []
  for await (const part of historyInParts(createChain(7_900, 0).reader, { ...request, fromBlock: 7_950 })) {
    parts.push([part.events, part.end])
  }
  expect(parts).toEqual([[[], null]])
})
