import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChainId, RecordKey } from '../model/compositeId.ts'
import { parseHash } from '../model/hex.ts'
import { daySeconds, unixMilliseconds } from '../model/time.ts'
import {
  everyAttestation,
  everyDay,
  everySchema,
  type ActivitySubject,
  type AddressListing,
  type AsOf,
  type AttestationFilter,
  type DaySpan,
  type SchemaFilter,
} from './indexQueries.ts'
import type { CreateQueryStore, TestLimits } from './indexQueriesContract.ts'
import type { IndexReader } from './indexReader.ts'
import type { ProtocolTotals, StoredAttestation } from './storedRecords.ts'
import type { IndexWriter } from './indexWriter.ts'
import {
  addresses,
  attestationId,
  blockTimestamp,
  generateBlocks,
  schemaId,
  steps,
  type GeneratedBlock,
  type Step,
} from './testing/generatedChain.ts'
import { historyRuns } from './testing/historyShare.ts'
import {
  attestationFilters,
  createNarrowings,
  filteredChainIds,
  groupings,
  holdings,
  schemaFilters,
} from './testing/queryFilters.ts'
import { batchOf, identityOf } from './testing/storeFactory.ts'

const ample: TestLimits = {
  sliceRowsMax: 20_000,
  countRowsMax: 2_000_000,
  countAtOnceMax: 1_000,
  countDurationMaxMs: 60_000,
}

const whole = { detail: true, schema: true }

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
const moments = fc.array(
  fc.record({
    chain: fc.constantFrom(0, 1, null),
    share: fc.integer({ min: -1, max: 20 }),
    knowsTime: fc.boolean(),
  }),
  { minLength: 4, maxLength: 4 },
)

const holdingRequests = fc
  .tuple(holdings, createNarrowings())
  .map(([{ schema }, narrowing]) => ({ schema, ...narrowing }))

/**
 * What every store must show as of a moment: the answers of a second store that stopped there; `share` is as for
 * `describeIndexStore`.
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
          async (history, rankThreshold, asked, filters, schemaQueries, groups, held, size) => {
            const chains = chainsOf(history)
            const store = await create({ rankThreshold })
            const writer = store.openWriter('all')
            const reader = store.openReader(ample)
            try {
              await fill(writer, history)
              for (const each of asked) {
                const { moment, stopped } = momentOf(chains, each)
                await withStopped(create, rankThreshold, stopped, async (then) => {
                  await compareMoments(reader, chains, moment)
                  const past = reader.asOf(moment)
                  await compareRecords(past, then, moment)
                  await compareListings(past, then, size)
                  await compareFilters(
                    past,
                    then,
                    filters.map((filter) => clocked(filter, moment)),
                    size,
                  )
                  await compareSchemaFilters(past, then, schemaQueries, size)
                  await compareRegistered(past, then)
                  // Without the time of the block, the day that it divides is that of the records.
                  await compareActivity(past, then)
                  for (const request of groups) {
                    const asked = { ...request, filter: clocked(request.filter, moment) }
                    const isKnown = moment.at !== null || request.by !== 'revoked'
                    expect(isKnown ? await past.groupAttestations(asked) : null).toEqual(
                      isKnown ? await then.groupAttestations(asked) : null,
                    )
                  }
                  for (const holding of held) {
                    if (moment.at === null) break
                    const request = { ...holding, addresses, valid: { kind: 'now', at: moment.at } } as const
                    expect(await past.findHoldings(request)).toEqual(await then.findHoldings(request))
                  }
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

/** A moment, and the blocks of an index that stopped there. */
function momentOf(
  chains: ReadonlyMap<ChainId, readonly GeneratedBlock[]>,
  { chain, share, knowsTime }: { chain: number | null; share: number; knowsTime: boolean },
): { moment: AsOf; stopped: ReadonlyMap<ChainId, readonly GeneratedBlock[]> } {
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
    expect(await reader.findBlockAt(chainId, timestamp)).toMatchObject({
      block: { number: newest?.number, timestamp },
      isExact: true,
    })
    expect((await reader.findBlockAt(chainId, 1)).block).toBeNull()
  }
  expect(await reader.locateBlock(99, 1)).toBeNull()
}

async function withStopped(
  create: CreateQueryStore,
  rankThreshold: number,
  chains: ReadonlyMap<ChainId, readonly GeneratedBlock[]>,
  run: (reader: IndexReader) => Promise<void>,
): Promise<void> {
  const store = await create({ rankThreshold })
  const writer = store.openWriter('all')
  const reader = store.openReader(ample)
  try {
    for (const [chainId, blocks] of chains) {
      await writer.openChain(identityOf(chainId))
      if (blocks.length > 0) await writer.applyBlocks(chainId, batchOf(blocks))
    }
    await run(reader)
  } finally {
    await reader.close()
    await writer.close()
    await store.remove()
  }
}

/** The filter with the clock of the moment. */
function clocked(filter: AttestationFilter, { at }: AsOf): AttestationFilter {
  const holds = (holding: AttestationFilter['recipientHolds']) =>
    holding && { ...holding, valid: { kind: 'now', at: at ?? 0 } as const }
  return {
    ...filter,
    recipientHolds: holds(filter.recipientHolds),
    attesterHolds: holds(filter.attesterHolds),
    // Claims of revocations are settled by the time of the block.
    ...(at === null ? { revoked: null, validAt: null, recipientHolds: null, attesterHolds: null } : {}),
  }
}

/** Times of storing aside. */
function timeless<Record>(record: Record): Record {
  if (record === null) return record
  return { ...record, syncAt: 0, ...('lastSyncAt' in (record as object) ? { lastSyncAt: null } : {}) }
}

const keys: readonly RecordKey[] = filteredChainIds.flatMap((chainId) =>
  Array.from({ length: 40 }, (_, index) => index).flatMap((index) =>
    [null, 'sign', 'eas'].map((protocol) => ({ chainId, localId: attestationId(index), protocol })),
  ),
)
const schemaKeys: readonly RecordKey[] = filteredChainIds.flatMap((chainId) =>
  Array.from({ length: 9 }, (_, index) => index).flatMap((index) =>
    [null, 'sign', 'eas'].map((protocol) => ({ chainId, localId: schemaId(index), protocol })),
  ),
)

async function compareRecords(past: IndexReader, then: IndexReader, { at }: AsOf): Promise<void> {
  const [attestations, expected] = await Promise.all([
    past.findAttestations(keys, whole),
    then.findAttestations(keys, whole),
  ])
  // Without the time of the block, claims of revocations are settled as they were indexed.
  const shown = (each: StoredAttestation | null) => (at === null ? (each?.key ?? null) : timeless(each))
  expect(attestations.map(shown)).toEqual(expected.map(shown))
  for (const key of keys.slice(0, 12)) {
    expect(await past.findAttestation(key)).toEqual(attestations[keys.indexOf(key)] ?? null)
  }
  if (at === null) return
  const schemas = await then.findSchemas(schemaKeys)
  expect((await past.findSchemas(schemaKeys)).map(timeless)).toEqual(schemas.map(timeless))
  for (const key of schemaKeys.slice(0, 6)) {
    expect(timeless(await past.findSchema(key))).toEqual(timeless(await then.findSchema(key)))
  }
  expect((await past.findStatuses(keys, at)).statuses).toEqual((await then.findStatuses(keys, at)).statuses)
}

async function compareListings(past: IndexReader, then: IndexReader, size: number): Promise<void> {
  for (const schema of [null, ...schemaKeys.filter(({ protocol }) => protocol === null)]) {
    for (const page of [1, 2, 3]) {
      expect(await past.listAttestationSummaries(schema, { page, size })).toEqual(
        await then.listAttestationSummaries(schema, { page, size }),
      )
    }
  }
  for (const address of addresses) {
    expect(await past.addressStatistics(address)).toEqual(await then.addressStatistics(address))
    const request = { page: 1, size }
    const [found, expected] = [
      await past.listSchemas({ filter: { ...everySchema, registrant: address } }, request),
      await then.listSchemas({ filter: { ...everySchema, registrant: address } }, request),
    ]
    expect(keysOf(found)).toEqual(keysOf(expected))
    for (const role of ['created', 'received', 'either'] as const) {
      for (const chainId of [null, filteredChainIds[0] ?? 5]) {
        const listing: AddressListing = { address, role, attester: null, chainId, schema: null }
        for (const page of [1, 2]) {
          expect(keysOf(await past.listAttestations(listing, { page, size }, whole))).toEqual(
            keysOf(await then.listAttestations(listing, { page, size }, whole)),
          )
        }
      }
    }
  }
}

async function compareFilters(
  past: IndexReader,
  then: IndexReader,
  filters: readonly AttestationFilter[],
  size: number,
): Promise<void> {
  for (const filter of [everyAttestation, ...filters]) {
    expect(await past.countAttestations(filter)).toBe(await then.countAttestations(filter))
    for (const page of [1, 2]) {
      expect(keysOf(await past.listAttestations({ filter }, { page, size }, whole))).toEqual(
        keysOf(await then.listAttestations({ filter }, { page, size }, whole)),
      )
    }
    for (const order of ['newestFirst', 'oldestFirst'] as const) {
      const request = { filter, order, after: null, limit: 1_000 }
      const [found, expected] = [
        await past.sliceAttestations(request, whole),
        await then.sliceAttestations(request, whole),
      ]
      expect(found.rows.map(({ place }) => place)).toEqual(expected.rows.map(({ place }) => place))
      expect(found.hasMore).toBe(expected.hasMore)
    }
  }
}

async function compareSchemaFilters(
  past: IndexReader,
  then: IndexReader,
  filters: readonly SchemaFilter[],
  size: number,
): Promise<void> {
  for (const filter of [everySchema, ...filters]) {
    expect(await past.countSchemas(filter)).toBe(await then.countSchemas(filter))
    for (const page of [1, 2]) {
      expect(keysOf(await past.listSchemas({ filter }, { page, size }))).toEqual(
        keysOf(await then.listSchemas({ filter }, { page, size })),
      )
    }
    const request = { filter, order: 'newestFirst', after: null, limit: 1_000 } as const
    expect(keysOf({ total: 0, rows: (await past.sliceSchemas(request)).rows })).toEqual(
      keysOf({ total: 0, rows: (await then.sliceSchemas(request)).rows }),
    )
  }
}

async function compareRegistered(past: IndexReader, then: IndexReader): Promise<void> {
  for (const chainId of filteredChainIds) {
    for (const protocol of ['sign', 'eas']) {
      for (const of of ['portal', 'module'] as const) {
        expect(await past.listRegistered(chainId, protocol, of)).toEqual(
          await then.listRegistered(chainId, protocol, of),
        )
      }
    }
  }
  const known = keys.filter(({ protocol }) => protocol !== null)
  expect(await past.findAttestationOrigins(known)).toEqual(await then.findAttestationOrigins(known))
  const made = await then.findAttestations(keys, whole)
  for (const hash of new Set(
    made.flatMap((each) => parseHash(each?.detail?.transactionHash ?? '') ?? []).slice(0, 8),
  )) {
    const [found, expected] = [await past.findTransaction(hash, null), await then.findTransaction(hash, null)]
    expect(found?.attestations.map(({ key }) => key)).toEqual(expected?.attestations.map(({ key }) => key))
    expect(found?.schemas.map(({ key }) => key)).toEqual(expected?.schemas.map(({ key }) => key))
  }
}

async function compareActivity(past: IndexReader, then: IndexReader): Promise<void> {
  const isKnown = ({ revocationCount: _revocationCount, ...totals }: ProtocolTotals) => totals
  expect((await past.listTotals()).map(isKnown)).toEqual((await then.listTotals()).map(isKnown))
  const [first] = await then.listProtocolDays()
  const spans: DaySpan[] = [everyDay, { from: (first?.day ?? 0) + 1, before: null }]
  const subjects: ActivitySubject[] = [
    { kind: 'everything' },
    ...schemaKeys.slice(0, 3).map((key) => ({ kind: 'schema', key }) as const),
    ...addresses.map((address) => ({ kind: 'address', address }) as const),
  ]
  for (const span of spans) {
    expect(await past.listProtocolDays(span)).toEqual(await then.listProtocolDays(span))
    for (const subject of subjects) {
      expect(await past.listActivity(subject, span)).toEqual(await then.listActivity(subject, span))
    }
  }
  for (const key of schemaKeys.slice(0, 6)) {
    expect(await past.listTopAttesters(key, 3)).toEqual(await then.listTopAttesters(key, 3))
  }
}

function keysOf({
  total,
  rows,
}: {
  readonly total: number
  readonly rows: readonly { readonly key: RecordKey }[]
}) {
  return { total, keys: rows.map(({ key }) => key) }
}
