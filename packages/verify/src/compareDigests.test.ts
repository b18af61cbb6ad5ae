import { expect, test } from 'vitest'
import type { Address, Hash } from '@attestry/core/model/hex.ts'
import { compareDigests, type DigestSource, type ToldDigest, type ToldEvent } from './compareDigests.ts'

const chainId = 10
const never = new AbortController().signal
const contracts = [
  { protocol: 'eas', address: `0x${'42'.repeat(20)}` as Address, schemaRegistry: null, startBlock: 3 },
]

/** Blocks by number, each with the digests of its events; the digest of a block is their sum. */
type Blocks = Readonly<Record<number, readonly number[]>>

interface FakeIndex {
  newest: number | null
  blocks: Blocks
  version?: number
  contracts?: ToldDigest['contracts']
  /** Called before each answer. */
  onAsk?: (block: number | null) => void
  /** A digest that contradicts the events. */
  damagedFrom?: number
}

const events: Blocks = { 5: [1, 2], 70: [3], 71: [4, 5], 900: [6] }

test('two indexes are equal at the lower of their blocks', async () => {
  const ahead = { newest: 1_000, blocks: { ...events, 960: [8] } }
  expect(await compare({ newest: 950, blocks: events }, ahead)).toEqual([
    { kind: 'agreed', chainId, upToBlock: 950, events: 6 },
  ])
})

test.each([0, 1, 70, 71, 899, 900, 950])('a record only there is found, in block %i', async (block) => {
  const more = { ...events, [block]: [...(events[block] ?? []), 77] }
  expect(await compare({ newest: 950, blocks: events }, { newest: 950, blocks: more })).toEqual([
    {
      kind: 'disagreement',
      chainId,
      blockNumber: block,
      holder: 'there',
      event: { type: 'attestation', eventIndex: events[block]?.length ?? 0, id: idOf(77) },
    },
  ])
})

test('reports the first block that differs, with each of its differing events', async () => {
  const found = await compare(
    { newest: 950, blocks: events },
    { newest: 950, blocks: { ...events, 71: [9], 900: [] } },
  )
  expect(found).toEqual([
    expect.objectContaining({
      blockNumber: 71,
      holder: 'both',
      event: expect.objectContaining({ eventIndex: 0 }),
    }),
    expect.objectContaining({
      blockNumber: 71,
      holder: 'here',
      event: expect.objectContaining({ eventIndex: 1 }),
    }),
  ])
})

test('no more blocks are asked for than halving needs', async () => {
  let asked = 0
  const newest = 100_000_000
  const here = { newest, blocks: events, onAsk: () => void asked++ }
  await compare(here, { newest, blocks: { ...events, 70: [] } })
  expect(asked).toBeLessThanOrEqual(2 + Math.ceil(Math.log2(newest + 1)))
})

test.each([
  ['is not indexed', null, 'the chain is not indexed'],
  ['has no block yet', { newest: null, blocks: {} }, 'no block is indexed there'],
  ['makes digests of another version', { newest: 9, blocks: {}, version: 2 }, /here have version 1, there 2/],
  [
    'indexes other contracts',
    { newest: 9, blocks: {}, contracts: [] },
    `other contracts are indexed: only here eas 0x${'42'.repeat(20)}; only there none`,
  ],
] as const)('a chain that %s there is not compared', async (_, there, reason) => {
  const found = await compare({ newest: 950, blocks: events }, there)
  expect(found).toEqual([{ kind: 'unasked', chainId, reason: expect.stringMatching(reason) as string }])
})

test('the same contracts from other first blocks are compared', async () => {
  const earlier = contracts.map((contract) => ({ ...contract, startBlock: 0 }))
  const there = { newest: 950, blocks: events, contracts: earlier }
  expect(await compare({ newest: 950, blocks: events }, there)).toMatchObject([{ kind: 'agreed' }])
})

test('a chain that is reorganised meanwhile is compared again', async () => {
  const here: FakeIndex = { newest: 950, blocks: events }
  const there: FakeIndex = { newest: 950, blocks: { ...events, 945: [7] } }
  there.onAsk = (block) => {
    // Reverted below the block that is asked for next.
    if (block !== null && block < 950) Object.assign(there, { newest: 930, blocks: events, onAsk: undefined })
  }
  expect(await compare(here, there)).toEqual([{ kind: 'agreed', chainId, upToBlock: 930, events: 6 }])
})

test('a digest that contradicts its events is not reported as a difference of events', async () => {
  const found = await compare(
    { newest: 950, blocks: events },
    { newest: 950, blocks: events, damagedFrom: 80 },
  )
  expect(found).toEqual([
    {
      kind: 'unasked',
      chainId,
      reason: expect.stringMatching(/^the digests differ at block 80, but not/) as string,
    },
  ])
})

function compare(here: FakeIndex, there: FakeIndex | null) {
  return compareDigests(chainId, sourceOf(here), sourceOf(there), never)
}

function sourceOf(index: FakeIndex | null): DigestSource {
  return {
    findDigest: async (_, block) => {
      index?.onAsk?.(block)
      if (index === null) return { kind: 'none', reason: 'the chain is not indexed' }
      const at = block ?? index.newest
      if (at !== null && at > (index.newest ?? -1))
        return { kind: 'none', reason: 'the block was taken back' }
      return tellDigest(index, at)
    },
  }
}

function tellDigest(index: FakeIndex, at: number | null): ToldDigest {
  const counted = Object.entries(index.blocks).flatMap(([number, each]) =>
    Number(number) <= (at ?? -1) ? each : [],
  )
  const damage = at !== null && at >= (index.damagedFrom ?? Number.POSITIVE_INFINITY) ? 1 : 0
  const value =
    `0x${(counted.reduce((sum, each) => sum + each, 0) + damage).toString(16).padStart(64, '0')}` as Hash
  return {
    kind: 'told',
    digest: { version: index.version ?? 1, blockNumber: at, eventCount: counted.length, value },
    contracts: index.contracts ?? contracts,
    events: (index.blocks[at ?? -1] ?? []).map((event, eventIndex): ToldEvent => {
      return { type: 'attestation', eventIndex, id: idOf(event), digest: String(event) }
    }),
  }
}

function idOf(event: number): string {
  return `onchain_evm_10_0x${event}`
}
