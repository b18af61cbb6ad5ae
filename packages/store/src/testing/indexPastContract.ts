import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChainId, LocalId, RecordKey } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { zeroHash } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { daySeconds, unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { everyAttestation, type AsOf, type AttestationFilter } from '@attestry/core/index/indexQueries.ts'
import type { CreateQueryStore, TestLimits } from './indexQueriesContract.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { ChainIdentity, IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { expectPast, type AskedRecords } from './expectPast.ts'
import {
  addresses,
  attestationId,
  blockTimestamp,
  generateBlocks,
  schemaId,
  steps,
  type GeneratedBlock,
  type Step,
} from './generatedChain.ts'
import { historyRuns } from './historyShare.ts'
import {
  attestationFilters,
  createNarrowings,
  filteredChainIds,
  groupings,
  holdings,
  schemaFilters,
} from './queryFilters.ts'
import { batchOf, identityOf } from './storeFactory.ts'

const ample: TestLimits = {
  sliceRowsMax: 20_000,
  countRowsMax: 2_000_000,
  countAtOnceMax: 1_000,
  countDurationMaxMs: 60_000,
}

/** Two chains; the first lives, loses the blocks above `keep`, and lives on. */
const histories = fc.record({
  first: steps(60).map(inOrder),
  keep: fc.nat(40),
  second: steps(60).map(inOrder),
  other: steps(60).map(inOrder),
})

type History = typeof histories extends fc.Arbitrary<infer Value> ? Value : never

/** The blocks of a real chain never go back in time. */
function inOrder(life: readonly Step[]): Step[] {
  return life.map((step) => ({ ...step, what: step.what % 98 }))
}

/** A moment: a block of a chain (its number as a share of the chain), or a time. */
export const moments = fc.array(
  fc.record({
    chain: fc.constantFrom(0, 1, null),
    share: fc.integer({ min: -1, max: 20 }),
    knowsTime: fc.boolean(),
  }),
  { minLength: 4, maxLength: 4 },
)

/** The values that may occur in generated chains. */
const generated: AskedRecords = {
  keys: keysOf(40, attestationId),
  schemaKeys: keysOf(9, schemaId),
  addresses,
  chainIds: filteredChainIds,
  protocols: ['sign', 'eas'],
}

function keysOf(count: number, idOf: (index: number) => LocalId): readonly RecordKey[] {
  return filteredChainIds.flatMap((chainId) =>
    Array.from({ length: count }, (_, index) => index).flatMap((index) =>
      [null, 'sign', 'eas'].map((protocol) => ({ chainId, localId: idOf(index), protocol })),
    ),
  )
}

const holdingRequests = fc
  .tuple(holdings, createNarrowings())
  .map(([{ schema }, narrowing]) => ({ schema, ...narrowing }))

/**
 * The contract of answers as of a moment that every store must fulfil: they equal those of a second store that stopped
 * there; `share` is as for `describeIndexStore`.
 */
export function describeIndexPast(name: string, create: CreateQueryStore, share = 1): void {
  describe(name, () => {
    test('answers as of a moment are those of an index that stopped there', async () => {
      await fc.assert(
        fc.asyncProperty(
          histories,
          fc.constantFrom(1, 3, 1_000),
          moments,
          fc.array(attestationFilters, { minLength: 8, maxLength: 8 }),
          fc.array(schemaFilters, { minLength: 4, maxLength: 4 }),
          fc.array(groupings, { minLength: 6, maxLength: 6 }),
          fc.array(holdingRequests, { minLength: 4, maxLength: 4 }),
          fc.integer({ min: 1, max: 9 }),
          async (history, rankThreshold, asked, filters, schemas, groups, held, size) => {
            const chains = chainsOf(history)
            const store = await create({ rankThreshold })
            const writer = store.openWriter('all')
            const reader = store.openReader(ample)
            try {
              await fill(writer, history)
              for (const each of asked) {
                const { moment, stopped: blocks } = momentOf(chains, each)
                await withStopped(create, rankThreshold, blocks, async (stopped) => {
                  await compareMoments(reader, chains, moment)
                  const readers = { past: reader.asOf(moment), stopped, moment }
                  await expectPast(readers, generated, {
                    filters,
                    schemaFilters: schemas,
                    groups,
                    holdings: held,
                    size,
                  })
                })
              }
            } finally {
              await reader.close()
              await writer.close()
              await store.remove()
            }
          },
        ),
        { numRuns: historyRuns(40, share), verbose: 1 },
      )
    })

    test('counts leave out a later block of the last second of a UTC day', async () => {
      const [one = 5, two = 137] = filteredChainIds
      const life = Array.from({ length: 16 }, () => ({ kind: 7, gap: 1, who: 1, whom: 1, what: 0, text: 0 }))
      const block = 12
      const seconds = [block, block + 1].map((number) => blockTimestamp(number) % daySeconds)
      expect(seconds).toEqual([daySeconds - 1, daySeconds - 1])
      const blocks = generateBlocks(one, [], life, 'a')
      const chains = new Map([
        [one, blocks],
        [two, generateBlocks(two, [], life, 'b')],
      ])
      for (const timestamp of [blockTimestamp(block), null]) {
        await withStopped(create, 1, chains, async (reader) => {
          const past = reader.asOf({ blocks: new Map([[one, { number: block, timestamp }]]), at: timestamp })
          const count = (filter: Partial<AttestationFilter>) =>
            past.countAttestations({ ...everyAttestation, ...filter })
          // Blocks 1 to 12 have one attestation each, in turn of two protocols.
          expect(
            await Promise.all([count({}), count({ chainId: one }), count({ protocol: 'sign' })]),
          ).toEqual([block, block, block / 2])
        })
      }
    })

    test('a record that was born revoked is revoked as of its block, whichever block showed that', async () => {
      const [one = 5] = filteredChainIds
      // The record of each block claims to be revoked five blocks later; no event ever revokes it.
      const life = Array.from({ length: 16 }, () => ({ kind: 7, gap: 1, who: 1, whom: 1, what: 5, text: 1 }))
      await withStopped(create, 1, new Map([[one, generateBlocks(one, [], life, 'a')]]), async (reader) => {
        const timestamp = blockTimestamp(3)
        const past = reader.asOf({ blocks: new Map([[one, { number: 3, timestamp }]]), at: timestamp })
        expect(await past.countAttestations({ ...everyAttestation, revoked: true })).toBe(3)
      })
    })

    test('a claim between the times around a block of unknown time refuses what depends on it', async () => {
      const [one = 5] = filteredChainIds
      const life = Array.from({ length: 16 }, (_, index) => {
        return { kind: 10, gap: 1, who: 1, whom: 1, what: 5, text: index === 0 ? 1 : 3 }
      })
      // The record of block 1 claims to be revoked at the time of block 6; the event comes in block 14.
      const blocks = generateBlocks(one, [], life, 'a').map((block): GeneratedBlock => {
        if (block.number > 3 && block.number < 10) return { ...block, events: [] }
        if (block.number !== 14) return block
        const timestamp = unixSeconds(block.timestamp)
        const of = { protocol: 'sign', localId: attestationId(0), transactionHash: zeroHash, reason: '' }
        const position = eventPosition(14, 1)
        const revocation = { kind: 'attestationRevoked', position, ...of, timestamp } as const
        return { ...block, events: [...block.events, revocation] }
      })
      const chains = new Map([[one, blocks]])
      await withStopped(
        create,
        1,
        chains,
        async (reader) => {
          const unknown = new Error('unknown time')
          const pastOf = (number: number) =>
            reader.asOf({
              blocks: new Map([[one, { number, timestamp: null }]]),
              at: null,
              timeUnknown: () => unknown,
            })
          const revoked = { ...everyAttestation, revoked: true }
          const counts = [2, 11, 14].map((number) => pastOf(number).countAttestations(revoked))
          expect(await Promise.all(counts)).toEqual([0, 1, 1])
          const past = pastOf(5)
          const key = { chainId: one, localId: attestationId(0), protocol: null }
          const page = { page: 1, size: 5 }
          const fields = { detail: false, schema: false }
          for (const read of [
            () => past.countAttestations(revoked),
            () => past.listAttestations({ filter: { ...everyAttestation, validAt: 1 } }, page, fields),
            () => past.listAttestations({ filter: everyAttestation }, page, fields),
            () => past.findAttestation(key),
            () => past.findStatuses([key], 1),
            () => past.listTotals(),
            () => past.groupAttestations({ by: 'revoked', filter: everyAttestation, ...page }),
          ]) {
            await expect(read()).rejects.toBe(unknown)
          }
          expect(await past.countAttestations(everyAttestation)).toBe(3)
        },
        identityOf,
        15,
      )
    })
  })
}

function chainsOf({ first, keep, second, other }: History): Map<ChainId, readonly GeneratedBlock[]> {
  const [one = 5, two = 137] = filteredChainIds
  const before = generateBlocks(one, [], first, 'a')
  const kept = before.slice(0, keep)
  const after = keep < before.length ? generateBlocks(one, kept, second, 'b') : []
  return new Map([
    [two, generateBlocks(two, [], other, 'c')],
    [one, [...kept, ...after]],
  ])
}

/** The first chain is indexed with the blocks that it loses. */
async function fill(writer: IndexWriter, history: History): Promise<void> {
  const [one = 5, two = 137] = filteredChainIds
  const chains = chainsOf(history)
  const before = generateBlocks(one, [], history.first, 'a')
  for (const chainId of chains.keys()) await writer.openChain(identityOf(chainId))
  await writer.applyBlocks(two, batchOf(chains.get(two) ?? []))
  await writer.applyBlocks(one, batchOf(before))
  if (history.keep >= before.length) return
  await writer.revertBlocks(one, history.keep - 1, unixMilliseconds(1))
  await writer.applyBlocks(one, batchOf((chains.get(one) ?? []).slice(history.keep)))
}

/**
 * The blocks as seen by a reader that has seen all of them. A claim that the last block settled is of a record that was
 * born revoked, and revokes the record from the beginning.
 */
function withSettledClaims(blocks: readonly GeneratedBlock[]): GeneratedBlock[] {
  const end = BigInt(blocks.at(-1)?.timestamp ?? 0)
  const revokedLater = new Set<string>()
  const settled = (event: DomainEvent): DomainEvent => {
    if (event.kind === 'attestationRevoked') revokedLater.add(`${event.protocol} ${event.localId}`)
    if (event.kind !== 'attestationMade') return event
    const { protocol, key, revocationAtRead: read } = event.attestation
    const isOpen = revokedLater.has(`${protocol} ${key.localId}`) || read.kind !== 'claimed'
    if (isOpen || read.timestamp >= end) return event
    return {
      ...event,
      attestation: { ...event.attestation, revocationAtRead: { ...read, kind: 'supposed' } },
    }
  }
  return blocks
    .toReversed()
    .map((block) => ({ ...block, events: block.events.toReversed().map(settled).toReversed() }))
    .toReversed()
}

/** A moment, and the blocks of an index that stopped there. */
export function momentOf(
  all: ReadonlyMap<ChainId, readonly GeneratedBlock[]>,
  { chain, share, knowsTime }: { chain: number | null; share: number; knowsTime: boolean },
): { moment: AsOf; stopped: ReadonlyMap<ChainId, readonly GeneratedBlock[]> } {
  const chains = new Map([...all].map(([chainId, blocks]) => [chainId, withSettledClaims(blocks)] as const))
  const length = (chainId: ChainId) => chains.get(chainId)?.length ?? 0
  if (chain !== null) {
    const chainId = filteredChainIds[chain] ?? 5
    const block = share < 0 ? -1 : Math.floor(((length(chainId) - 1) * share) / 20)
    const at = knowsTime && block >= 0 ? blockTimestamp(block) : null
    return {
      moment: { blocks: new Map([[chainId, { number: block, timestamp: at }]]), at },
      stopped: new Map([[chainId, (chains.get(chainId) ?? []).slice(0, block + 1)]]),
    }
  }
  const longest = Math.max(...[...chains.keys()].map(length))
  const at = blockTimestamp(Math.floor((longest * share) / 20)) + 500
  const stopped = new Map(
    [...chains].map(
      ([chainId, blocks]) => [chainId, blocks.filter(({ timestamp }) => timestamp <= at)] as const,
    ),
  )
  const blocks = new Map(
    [...stopped].map(([chainId, blocks]) => [
      chainId,
      { number: blocks.length - 1, timestamp: blocks.at(-1)?.timestamp ?? null },
    ]),
  )
  return { moment: { blocks, at }, stopped }
}

/** All blocks are remembered: each is found by its number, and by its time. */
async function compareMoments(
  reader: IndexReader,
  chains: ReadonlyMap<ChainId, readonly GeneratedBlock[]>,
  { blocks }: AsOf,
): Promise<void> {
  for (const [chainId, { number }] of blocks) {
    const all = chains.get(chainId) ?? []
    const [first, last] = [all[0], all.at(-1)]
    const asked = all[Math.max(number, 0)] ?? first
    if (asked === undefined || last === undefined) continue
    const { hash, timestamp } = asked
    expect(await reader.locateBlock(chainId, asked.number)).toEqual({
      indexedBlock: last.number,
      block: { number: asked.number, hash, timestamp },
      from: timestamp,
      to: timestamp,
    })
    const newest = all.findLast((each) => each.timestamp <= timestamp)
    const next = all.find((each) => each.timestamp > timestamp)
    expect(await reader.findBlockAt(chainId, timestamp)).toEqual({
      block: { number: newest?.number, timestamp },
      next: next === undefined ? null : { number: next.number, timestamp: next.timestamp },
      isExact: true,
    })
    expect((await reader.findBlockAt(chainId, 1)).block).toBeNull()
  }
  expect(await reader.locateBlock(99, 1)).toBeNull()
}

/** Runs a test over a store of these chains. */
export async function withStopped(
  create: CreateQueryStore,
  rankThreshold: number,
  chains: ReadonlyMap<ChainId, readonly GeneratedBlock[]>,
  run: (reader: IndexReader) => Promise<void>,
  identify: (chainId: ChainId) => ChainIdentity = identityOf,
  forgetBlocksBelow = 0,
): Promise<void> {
  const store = await create({ rankThreshold })
  const writer = store.openWriter('all')
  const reader = store.openReader(ample)
  try {
    for (const [chainId, blocks] of chains) {
      await writer.openChain(identify(chainId))
      if (blocks.length > 0) await writer.applyBlocks(chainId, { ...batchOf(blocks), forgetBlocksBelow })
    }
    await run(reader)
  } finally {
    await reader.close()
    await writer.close()
    await store.remove()
  }
}
