import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { recordKeyText, type ChainId, type RecordKey } from '@attestry/core/model/compositeId.ts'
import type { FieldCondition } from '@attestry/core/model/fieldCondition.ts'
import type { Address, Hash } from '@attestry/core/model/hex.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import type { Attestation, Schema } from '@attestry/core/model/records.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { StoreTooMuchWorkError, StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import {
  type ActivitySubject,
  type AttestationFilter,
  type DaySpan,
  everyAttestation,
  type HoldingsWhole,
  type Slice,
  type SliceRequest,
  type WantedRecord,
} from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import {
  addresses,
  attestationId,
  generateBlocks,
  hashOf,
  schemaId,
  steps,
  type GeneratedBlock,
} from './generatedChain.ts'
import { historyRuns } from './historyShare.ts'
import { buildModel, storedKey, type ModelAttestation, type ModelIndex } from './modelIndex.ts'
import {
  anchorFilters,
  attestationFilters,
  createNarrowings,
  filteredChainIds,
  groupings,
  holdings,
  schemaFilters,
} from './queryFilters.ts'
import {
  modelActivity,
  modelAnchorCounts,
  modelAnchors,
  modelEvent,
  modelGroups,
  modelHolding,
  modelHoldings,
  modelStatus,
  modelTopAttesters,
  modelTransaction,
  modelRegistered,
  modelProtocolDays,
  modelTotals,
  passesFilter,
  passesSchemaFilter,
  placeOfAttestation,
  placeOfSchema,
} from './queryModel.ts'
import { batchOf, identityOf } from './storeFactory.ts'
import type { TestFieldSetting } from './testAudit.ts'
import { testFloodedHolders } from './testFloodedHolders.ts'
import { testProtocolSpans } from './testProtocolSpans.ts'
import { testRevokedCounts } from './testRevokedCounts.ts'
import { testLongChecks } from './testLongPayloads.ts'
import { valueTexts } from './testPayloads.ts'

/** How much work reads may do; small in tests, so that they meet their bounds. */
export interface TestLimits {
  readonly sliceRowsMax: number
  readonly countRowsMax: number
  readonly countAtOnceMax: number
  /** Long: a busy machine is no reason to refuse. */
  readonly countDurationMaxMs: number
}

/** An empty store of its own. Several readers may be open at once. */
export interface QueryTestStore {
  openWriter(setting: TestFieldSetting): IndexWriter
  openReader(limits: TestLimits): IndexReader
  remove(): Promise<void>
}

export type CreateQueryStore = (options: { readonly rankThreshold: number }) => Promise<QueryTestStore>

const ample: TestLimits = {
  sliceRowsMax: 20_000,
  countRowsMax: 2_000_000,
  countAtOnceMax: 1_000,
  countDurationMaxMs: 60_000,
}
const fields = { detail: true, schema: true }

/**
 * The contract of `IndexReader` that every store must fulfil, compared with a model that works the answers out the
 * plain way; `share` is as for `describeIndexStore`.
 */
export function describeIndexQueries(name: string, create: CreateQueryStore, share = 1): void {
  describe(name, () => {
    testLongChecks(create)
    testFloodedHolders(create)
    testProtocolSpans(create, ample)
    testRevokedCounts(create, ample)

    test('slices and counts of any filter are those of the plain model, in both orders and within any bound', async () => {
      await fc.assert(
        fc.asyncProperty(
          histories,
          fc.constantFrom(1, 3, 1_000),
          fc.array(attestationFilters, { minLength: 12, maxLength: 12 }),
          fc.array(schemaFilters, { minLength: 6, maxLength: 6 }),
          fc.integer({ min: 1, max: 9 }),
          fc.integer({ min: 1, max: 12 }),
          async (history, rankThreshold, filters, schemaQueries, limit, sliceRowsMax) => {
            await withFilledStore(create, rankThreshold, history, async (store, model) => {
              for (const limits of [ample, { ...ample, sliceRowsMax, countAtOnceMax: 3 }]) {
                await reading(store, limits, async (reader) => {
                  for (const filter of filters) {
                    await compareAttestations(reader, model, filter, limit)
                  }
                  for (const filter of schemaQueries) {
                    const expected = model.schemas.filter((schema) => passesSchemaFilter(schema, filter))
                    await compareSlices(expected, placeOfSchema, limit, (request) =>
                      reader.sliceSchemas({ ...request, filter }),
                    )
                    expect(await reader.countSchemas(filter)).toBe(expected.length)
                  }
                })
              }
            })
          },
        ),
        { numRuns: historyRuns(80, share), verbose: 1 },
      )
    }, 240_000)

    test('off-chain anchors are found by value, kind and account, and counted', async () => {
      await fc.assert(
        fc.asyncProperty(
          histories,
          fc.array(anchorFilters, { minLength: 1, maxLength: 6 }),
          fc.integer({ min: 1, max: 5 }),
          async (history, filters, limit) => {
            await withFilledStore(create, 128, history, async (store, _model, chains) => {
              for (const limits of [ample, { ...ample, sliceRowsMax: limit }]) {
                await reading(store, limits, async (reader) => {
                  for (const filter of filters) {
                    const expected = modelAnchors(chains, filter)
                    await compareSlices(
                      expected,
                      ({ place }) => place,
                      limit,
                      (request) => reader.sliceAnchors({ ...request, filter }),
                    )
                    const { rows } = await reader.sliceAnchors({
                      filter,
                      order: 'newestFirst',
                      after: null,
                      limit: 5,
                    })
                    expect(rows).toEqual(expected.slice(0, rows.length))
                    const page = await reader.listAnchors(filter, { page: 2, size: 3 })
                    expect(page).toEqual({ total: expected.length, rows: expected.slice(3, 6) })
                  }
                })
              }
            })
          },
        ),
        { numRuns: historyRuns(40, share), verbose: 1 },
      )
    }, 240_000)

    test('batches, top attesters, activity and totals are what counting gives', async () => {
      await fc.assert(
        fc.asyncProperty(histories, fc.constantFrom(1, 3, 1_000), async (history, rankThreshold) => {
          await withFilledStore(create, rankThreshold, history, async (store, model, chains) => {
            await reading(store, ample, async (reader) => {
              await compareBatches(reader)
              expect(await reader.listTotals()).toEqual(modelTotals(model))
              for (const address of addresses) {
                expect(await reader.listAnchorCounts(address)).toEqual(modelAnchorCounts(chains, address))
              }
              for (const [chainId, blocks] of chains) {
                for (const protocol of ['eas', 'sign', 'verax']) {
                  for (const kind of ['portal', 'module'] as const) {
                    const found = await reader.listRegistered(chainId, protocol, kind)
                    const bodies = new Map<string, string>(found.map(({ address, body }) => [address, body]))
                    expect(found).toHaveLength(bodies.size)
                    expect(bodies).toEqual(modelRegistered(blocks, protocol, kind))
                  }
                }
              }
              const protocolDays = modelProtocolDays(model)
              expect(await reader.listProtocolDays()).toEqual(protocolDays)
              for (const span of spansAround(protocolDays)) {
                expect(await reader.listProtocolDays(span)).toEqual(withinSpan(protocolDays, span))
              }
              const compareActivity = async (subject: ActivitySubject) => {
                const days = modelActivity(model, subject)
                expect(await reader.listActivity(subject)).toEqual(days)
                for (const span of spansAround(days)) {
                  expect(await reader.listActivity(subject, span)).toEqual(withinSpan(days, span))
                }
              }
              await compareActivity({ kind: 'everything' })
              for (const address of addresses) {
                await compareActivity({ kind: 'address', address })
              }
              for (const key of schemaKeys) {
                await compareActivity({ kind: 'schema', key })
                const attesters = modelTopAttesters(model, key)
                for (const limit of [1, 2, 100]) {
                  const rows = attesters.slice(0, limit)
                  expect(await reader.listTopAttesters(key, limit)).toEqual({ total: attesters.length, rows })
                }
              }
            })
          })
        }),
        { numRuns: historyRuns(40, share), verbose: 1 },
      )
    }, 240_000)

    test('groups of any filter are those of the plain model, on any page and however they are counted', async () => {
      await fc.assert(
        fc.asyncProperty(
          histories,
          fc.constantFrom(1, 3, 1_000),
          fc.array(groupings, { minLength: 40, maxLength: 40 }),
          async (history, rankThreshold, asked) => {
            await withFilledStore(create, rankThreshold, history, async (store, model) => {
              for (const limits of [ample, { ...ample, countAtOnceMax: 3 }]) {
                await reading(store, limits, async (reader) => {
                  for (const { page, size, ...request } of asked) {
                    const { rows, ...expected } = modelGroups(model, request)
                    const found = await reader.groupAttestations({ ...request, page, size })
                    expect(found).toEqual({
                      ...expected,
                      rows: rows.slice((page - 1) * size, page * size),
                    })
                  }
                })
              }
            })
          },
        ),
        { numRuns: historyRuns(60, share), verbose: 1 },
      )
    }, 240_000)

    test('the status of many attestations, and the holders among many addresses, are those of the plain model', async () => {
      await fc.assert(
        fc.asyncProperty(
          histories,
          fc.array(holdings, { minLength: 12, maxLength: 12 }),
          async (history, wanted) => {
            await withFilledStore(create, 128, history, async (store, model) => {
              // At once, and in steps if others wait for them.
              for (const bounds of [ample, { ...ample, countAtOnceMax: 1 }])
                await reading(store, bounds, async (reader) => {
                  const keys = [
                    ...model.attestations.flatMap(({ record }) => [record.key, storedKey(record)]),
                    ...schemaKeys,
                  ]
                  const chains = await reader.listChains()
                  for (const { schema, attester, valid } of wanted) {
                    const found = await reader.findStatuses(keys, valid.at)
                    expect(found.statuses).toEqual(keys.map((key) => modelStatus(model, key, valid.at)))
                    expect(found.chains).toEqual(
                      chains.map(({ status: { chainId, indexedBlock, indexedTimestamp } }) => ({
                        chainId,
                        indexedBlock,
                        indexedTimestamp,
                      })),
                    )
                    const asked = [...addresses, ...[...addresses].reverse()]
                    const request = { ...anyHolding, schema, attesters: attester && [attester], valid }
                    expect(await reader.findHoldings({ ...request, addresses: asked })).toEqual(
                      asked.map((address) => {
                        const newest = modelHolding(model, address, { schema, attester, valid })
                        return newest === null ? [] : [newest]
                      }),
                    )
                    const whole: HoldingsWhole = { addresses: asked.length, rowsLeft: null }
                    const ofPart = (part: readonly Address[]) =>
                      reader.findHoldings({ ...request, addresses: part, whole })
                    const inParts = [await ofPart(addresses), await ofPart([...addresses].reverse())]
                    expect(inParts.flat()).toEqual(
                      await reader.findHoldings({ ...request, addresses: asked }),
                    )
                  }
                })
            })
          },
        ),
        { numRuns: historyRuns(40, share), verbose: 1 },
      )
    }, 240_000)

    test('holders by several attesters, fields and ages, also as of a block, are those of the plain model', async () => {
      await fc.assert(
        fc.asyncProperty(
          histories,
          fc.array(fc.tuple(holdings, createNarrowings()), { minLength: 12, maxLength: 12 }),
          fc.nat(100),
          async (history, wanted, share) => {
            await withFilledStore(create, 128, history, async (store, model, chains) => {
              await reading(store, ample, async (reader) => {
                for (const [{ schema, valid }, narrowing] of wanted) {
                  const now = { ...narrowing, schema, valid }
                  expect(await reader.findHoldings({ ...now, addresses })).toEqual(
                    addresses.map((address) => modelHoldings(model, address, now)),
                  )
                  const blocks = chains.get(schema.chainId) ?? []
                  const end = blocks[Math.floor((blocks.length * share) / 101)]
                  if (end === undefined) continue
                  const key = { ...schema, protocol: schema.protocol ?? 'sign' }
                  const upTo = { kind: 'block', at: end.timestamp, block: end.number } as const
                  const then = buildModel(
                    new Map([[schema.chainId, blocks.filter(({ number }) => number <= end.number)]]),
                  )
                  const asOf = { ...narrowing, schema: key, valid: upTo }
                  // The payloads are decoded by the schema of now, as fields are.
                  if (narrowing.fields.length > 0) continue
                  expect(await reader.findHoldings({ ...asOf, addresses })).toEqual(
                    addresses.map((address) => modelHoldings(then, address, asOf)),
                  )
                }
              })
            })
          },
        ),
        { numRuns: historyRuns(40, share), verbose: 1 },
      )
    }, 240_000)

    test('what a transaction did, and which records are there, is what the plain model says', async () => {
      await fc.assert(
        fc.asyncProperty(histories, async (history) => {
          await withFilledStore(create, 128, history, async (store, model) => {
            await reading(store, ample, async (reader) => {
              const hashes = new Set(
                [...model.schemas, ...model.attestations].map(({ record }) => record.transactionHash),
              )
              for (const { revocation } of model.attestations) {
                if (revocation !== null) hashes.add(revocation.transactionHash as Hash)
              }
              for (const hash of hashes) await compareTransaction(reader, model, hash)
              const absent = hashOf('no such transaction')
              expect(await reader.findTransaction(absent, null)).toBeNull()
              const wanted: WantedRecord[] = [
                { kind: 'transaction', hash: absent },
                ...Array.from(hashes, (hash): WantedRecord => ({ kind: 'transaction', hash })),
                ...schemaKeys.map((key): WantedRecord => ({ kind: 'schema', key })),
                ...schemaKeys.map((key): WantedRecord => ({ kind: 'attestation', key })),
                ...model.attestations.map(({ record }): WantedRecord => ({
                  kind: 'attestation',
                  key: storedKey(record),
                })),
              ]
              const isIn = (
                records: readonly { readonly record: Attestation | Schema }[],
                { protocol, ...key }: RecordKey,
              ) =>
                records.some(({ record }) => {
                  const isOfProtocol = protocol === undefined || record.protocol === protocol
                  return isOfProtocol && recordKeyText(record.key) === recordKeyText(key)
                })
              expect(await reader.findPresent(wanted)).toEqual(
                wanted.map((each) => {
                  if (each.kind === 'transaction') return each.hash !== absent
                  return isIn(each.kind === 'schema' ? model.schemas : model.attestations, each.key)
                }),
              )
            })
          })
        }),
        { numRuns: historyRuns(30, share), verbose: 1 },
      )
    })

    test('finds the event of a record, with the hash of its block while that is remembered', async () => {
      await fc.assert(
        fc.asyncProperty(histories, async (history) => {
          await withFilledStore(create, 128, history, async (store, model, chains) => {
            await reading(store, ample, async (reader) => {
              const keys = [...chains.keys(), 99].flatMap((chainId) =>
                [0, 1, 2, 3, 5, 8, 40].flatMap((index) =>
                  ofProtocols({ chainId, localId: attestationId(index) }),
                ),
              )
              for (const key of keys) {
                for (const event of ['attestation', 'revocation'] as const) {
                  expect(await reader.findEvent(key, event)).toEqual(modelEvent(model, chains, key, event))
                }
              }
              for (const key of schemaKeys) {
                expect(await reader.findEvent(key, 'schema')).toEqual(
                  modelEvent(model, chains, key, 'schema'),
                )
              }
            })
          })
        }),
        { numRuns: historyRuns(30, share), verbose: 1 },
      )
    })

    test('a count beyond the budget is refused, or when the reader is closed; what counters know is not', async () => {
      const life = fc.sample(steps(3_000), { numRuns: 1, seed: 3 })[0] ?? []
      const long = Array.from({ length: 3_000 }, (_, index) => life[index % life.length]).flatMap((step) =>
        step === undefined ? [] : [{ ...step, kind: 19, gap: step.gap % 2 }],
      )
      const first = [...life.slice(0, 200), ...long]
      const history: History = { first, keep: 1_000_000, second: [], other: [], indexed: 'some' }
      await withFilledStore(create, 128, history, async (store, model) => {
        const filter: AttestationFilter = { ...everyAttestation, dataLocation: 'IPFS' }
        const expected = model.attestations.filter((attestation) =>
          passesFilter(model, attestation, filter),
        ).length
        await reading(store, { ...ample, countRowsMax: 1_500 }, async (reader) => {
          await expect(reader.countAttestations(filter)).rejects.toBeInstanceOf(StoreTooMuchWorkError)
          expect(await reader.countAttestations(everyAttestation)).toBe(model.attestations.length)
          // Only payloads of schemas without an index are looked at.
          const ofField: AttestationFilter = {
            ...everyAttestation,
            fields: [{ path: ['level'], operator: 'equals', values: ['1'] }],
          }
          const fulfilling = model.attestations.filter((each) => passesFilter(model, each, ofField))
          expect(fulfilling.length).toBeGreaterThan(40)
          expect(await reader.countAttestations(ofField)).toBe(fulfilling.length)
        })
        const closing = store.openReader(ample)
        const counting = closing.countAttestations(filter)
        await closing.close()
        await expect(counting).rejects.toBeInstanceOf(StoreUnavailableError)
        await reading(store, ample, async (reader) => {
          const counts = await Promise.all([1, 2, 3].map(() => reader.countAttestations(filter)))
          expect(counts).toEqual([expected, expected, expected])
          // More lists than are merged: the payloads of all schemas are looked at, those of each once.
          const ofMany: AttestationFilter = {
            ...everyAttestation,
            fields: [{ path: ['level'], operator: 'in', values: [...valueTexts, '-2', '-1', '0', '1', '2'] }],
          }
          // Many attestations of one time, which only their ids tell apart.
          const equals = (name: string, value: string): FieldCondition => ({
            path: [name],
            operator: 'equals',
            values: [value],
          })
          const ofTwo = { ...everyAttestation, fields: [equals('level', '1'), equals('ok', 'true')] }
          for (const each of [ofMany, ofTwo]) {
            const passing = model.attestations.filter((attestation) => passesFilter(model, attestation, each))
            expect(passing.length).toBeGreaterThan(40)
            expect(await reader.countAttestations(each)).toBe(passing.length)
          }
          expect(await reader.countAttestations({ ...filter, revoked: false })).toBe(
            model.attestations.filter((each) => passesFilter(model, each, { ...filter, revoked: false }))
              .length,
          )
        })
      })
    })
  })
}

/** Two chains; the first lives, loses the blocks above `keep`, and lives on. */
const histories = fc.record({
  first: steps(60),
  keep: fc.nat(40),
  second: steps(60),
  other: steps(60),
  indexed: fc.constantFrom<TestFieldSetting>('all', 'all', 'some', 'none'),
})

type History = typeof histories extends fc.Arbitrary<infer Value> ? Value : never

const schemaKeys = filteredChainIds.flatMap((chainId) =>
  Array.from({ length: 9 }, (_, index) => ofProtocols({ chainId, localId: schemaId(index) })).flat(),
)

/** The key without a protocol, and with each of those that share ids. */
function ofProtocols(key: RecordKey): RecordKey[] {
  return [key, { ...key, protocol: 'sign' }, { ...key, protocol: 'eas' }]
}

/** An attestation to an address, whoever made it and whatever it says. */
const anyHolding = {
  role: 'recipient',
  fields: [],
  attestedFrom: null,
  attestersMin: 1,
} as const

async function withFilledStore(
  create: CreateQueryStore,
  rankThreshold: number,
  { first, keep, second, other, indexed }: History,
  run: (
    store: QueryTestStore,
    model: ModelIndex,
    chains: ReadonlyMap<ChainId, readonly GeneratedBlock[]>,
  ) => Promise<void>,
): Promise<void> {
  const [one = 5, two = 137] = filteredChainIds
  const before = generateBlocks(one, [], first, 'a')
  const kept = before.slice(0, keep)
  const after = keep < before.length ? generateBlocks(one, kept, second, 'b') : []
  // The chain with the greater id comes first, so that the order of chains is not that of their arrival.
  const chains = new Map<ChainId, GeneratedBlock[]>([
    [two, generateBlocks(two, [], other, 'c')],
    [one, [...kept, ...after]],
  ])
  const store = await create({ rankThreshold })
  const writer = store.openWriter(indexed)
  try {
    for (const chainId of chains.keys()) await writer.openChain(identityOf(chainId))
    await writer.applyBlocks(two, batchOf(chains.get(two) ?? []))
    await writer.applyBlocks(one, batchOf(before))
    if (keep < before.length) {
      await writer.revertBlocks(one, keep - 1, unixMilliseconds(1))
      await writer.applyBlocks(one, batchOf(after))
    }
    await run(store, buildModel(chains), chains)
  } finally {
    await writer.close()
    await store.remove()
  }
}

async function reading(
  store: QueryTestStore,
  limits: TestLimits,
  run: (reader: IndexReader) => Promise<void>,
): Promise<void> {
  const reader = store.openReader(limits)
  try {
    await run(reader)
  } finally {
    await reader.close()
  }
}

async function compareAttestations(
  reader: IndexReader,
  model: ModelIndex,
  filter: AttestationFilter,
  limit: number,
): Promise<void> {
  const expected = model.attestations.filter((attestation) => passesFilter(model, attestation, filter))
  await compareSlices(expected, placeOfAttestation, limit, (request) =>
    reader.sliceAttestations({ ...request, filter }, fields),
  )
  expect(await reader.countAttestations(filter)).toBe(expected.length)
  await comparePages(reader, expected, filter, limit)
}

/** Some pages, at either end and in the middle. */
async function comparePages(
  reader: IndexReader,
  expected: readonly ModelAttestation[],
  filter: AttestationFilter,
  size: number,
): Promise<void> {
  const last = Math.ceil(expected.length / size)
  for (const page of new Set([1, Math.ceil(last / 2), last, last + 1].filter((number) => number > 0))) {
    const { total, rows } = await reader.listAttestations({ filter }, { page, size }, fields)
    expect(total).toBe(expected.length)
    const wanted = expected.slice((page - 1) * size, page * size)
    expect(rows.map(({ key }) => key)).toEqual(wanted.map(({ record }) => storedKey(record)))
  }
}

/** Walks the slices from one end to the other, both ways. */
async function compareSlices<Model>(
  expected: readonly Model[],
  placeOf: (record: Model) => RowPlace,
  limit: number,
  slice: (request: Omit<SliceRequest<never>, 'filter'>) => Promise<Slice<object>>,
): Promise<void> {
  const newestFirst = expected.map(placeOf)
  const expectations = { newestFirst, oldestFirst: [...newestFirst].reverse() }
  for (const order of ['newestFirst', 'oldestFirst'] as const) {
    const places: RowPlace[] = []
    let after: RowPlace | null = null
    // A walk that does not move would never end.
    for (let slices = 0; slices < 400; slices++) {
      const answer: Slice<object> = await slice({ order, after, limit })
      expect(answer.rows.length).toBeLessThanOrEqual(limit)
      places.push(...answer.rows.map(({ place }) => place))
      if (!answer.hasMore) break
      expect(answer.scannedTo !== null || answer.rows.length === limit).toBe(true)
      after = answer.scannedTo ?? places.at(-1) ?? null
    }
    expect(places).toEqual(expectations[order])
  }
}

/** Transactions of generated chains have hashes of their own, as those of chains since EIP-155 have. */
async function compareTransaction(reader: IndexReader, model: ModelIndex, hash: Hash): Promise<void> {
  const { revocations, ...made } = modelTransaction(model, hash)
  const found = await reader.findTransaction(hash, null)
  expect(found?.schemas.map(({ key }) => key)).toEqual(made.schemas)
  expect(found?.attestations.map(({ key }) => key)).toEqual(made.attestations)
  // Revocations stand in the order of their own events.
  expect(found?.revocations.map(recordKeyText).toSorted()).toEqual(revocations.map(recordKeyText).toSorted())
  const chainId = found?.chainId ?? 0
  expect(await reader.findTransaction(hash, chainId)).toEqual(found)
  expect(await reader.findTransaction(hash, chainId + 1)).toBeNull()
  const ofRecord = [...model.schemas, ...model.attestations].find(
    ({ record }) => record.transactionHash === hash,
  )
  // A transaction that only revoked is in a block of its own, which no record names.
  const block = ofRecord === undefined ? found?.blockNumber : positionBlock(ofRecord.record.position)
  expect(found?.blockNumber).toBe(block)
}

async function compareBatches(reader: IndexReader): Promise<void> {
  const keys = [...filteredChainIds, 99].flatMap((chainId) =>
    [0, 7, 3, 1, 0, 25].flatMap((index) => ofProtocols({ chainId, localId: attestationId(index) })),
  )
  const attestations = await Promise.all(keys.map((key) => reader.findAttestation(key)))
  expect(await reader.findAttestations(keys, fields)).toEqual(attestations)
  const schemas = await Promise.all(schemaKeys.map((key) => reader.findSchema(key)))
  expect(await reader.findSchemas(schemaKeys)).toEqual(schemas)
}

/** Spans that begin and end at, before and after the middle one of some days, and one without days. */
function spansAround(days: readonly { readonly day: number }[]): DaySpan[] {
  const day = days[Math.floor(days.length / 2)]?.day
  if (day === undefined) return []
  return [
    { from: day, before: null },
    { from: day + 1, before: null },
    { from: null, before: day },
    { from: day, before: day + 1 },
    { from: day + 1, before: day },
  ]
}

function withinSpan<Day extends { readonly day: number }>(
  days: readonly Day[],
  { from, before }: DaySpan,
): Day[] {
  return days.filter(({ day }) => (from === null || day >= from) && (before === null || day < before))
}
