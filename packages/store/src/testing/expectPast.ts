import { expect } from 'vitest'
import type { ChainId, RecordKey } from '@attestry/core/model/compositeId.ts'
import { parseHash, zeroHash, type Address } from '@attestry/core/model/hex.ts'
import {
  everyAttestation,
  everyDay,
  everySchema,
  type ActivitySubject,
  type AddressListing,
  type AsOf,
  type AttestationFilter,
  type DaySpan,
  type GroupsRequest,
  type HoldingsRequest,
  type SchemaFilter,
} from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'

/** A reader as of a moment, and one of an index that stopped there. */
export interface PastReaders {
  readonly past: PastReader
  readonly stopped: PastReader
  readonly moment: AsOf
}

/** The records to ask about, which may or may not be indexed, and the values that may occur in them. */
export interface AskedRecords {
  readonly keys: readonly RecordKey[]
  readonly schemaKeys: readonly RecordKey[]
  readonly addresses: readonly Address[]
  readonly chainIds: readonly ChainId[]
  readonly protocols: readonly string[]
}

export interface AskedLists {
  readonly filters: readonly AttestationFilter[]
  readonly schemaFilters: readonly SchemaFilter[]
  readonly groups: readonly GroupsRequest[]
  readonly holdings: readonly Omit<HoldingsRequest, 'addresses' | 'valid'>[]
  /** Of pages. */
  readonly size: number
}

/** Expects of a reader as of a moment the answers of an index that stopped there, times of storing aside. */
export async function expectPast(
  readers: PastReaders,
  asked: AskedRecords,
  lists: AskedLists,
): Promise<void> {
  const { past, stopped, moment } = readers
  const { size } = lists
  await compareRecords(readers, asked)
  await compareListings(readers, asked, size)
  const filters = lists.filters.map((filter) => clocked(filter, moment))
  await compareFilters(past, stopped, filters, size)
  await compareSchemaFilters(past, stopped, lists.schemaFilters, size)
  await compareRegistered(readers, asked)
  // Without the time of the block, the day that it divides is that of the records.
  await compareActivity(readers, asked)
  for (const group of lists.groups) {
    const request = { ...group, filter: clocked(group.filter, moment) }
    expect(await past.groupAttestations(request)).toEqual(await stopped.groupAttestations(request))
  }
  for (const holding of lists.holdings) {
    if (moment.at === null) break
    const valid = { kind: 'now', at: moment.at } as const
    const request = { ...holding, addresses: asked.addresses, valid }
    expect(await past.findHoldings(request)).toEqual(await stopped.findHoldings(request))
  }
}

const whole = { detail: true, schema: true }

/** The filter with the clock of the moment. */
function clocked(filter: AttestationFilter, { at }: AsOf): AttestationFilter {
  const holds = (holding: AttestationFilter['recipientHolds']) =>
    holding && { ...holding, valid: { kind: 'now', at: at ?? 0 } as const }
  return {
    ...filter,
    recipientHolds: holds(filter.recipientHolds),
    attesterHolds: holds(filter.attesterHolds),
    // Holdings depend on the clock.
    ...(at === null ? { recipientHolds: null, attesterHolds: null } : {}),
  }
}

/** Times of storing aside. */
function timeless<Record>(record: Record): Record {
  if (record === null) return record
  return { ...record, syncAt: 0, ...('lastSyncAt' in (record as object) ? { lastSyncAt: null } : {}) }
}

async function compareRecords(
  { past, stopped, moment: { at } }: PastReaders,
  { keys, schemaKeys }: AskedRecords,
): Promise<void> {
  const [attestations, expected] = await Promise.all([
    past.findAttestations(keys, whole),
    stopped.findAttestations(keys, whole),
  ])
  expect(attestations.map(timeless)).toEqual(expected.map(timeless))
  for (const key of keys.slice(0, 12)) {
    expect(await past.findAttestation(key)).toEqual(attestations[keys.indexOf(key)] ?? null)
  }
  const schemas = await stopped.findSchemas(schemaKeys)
  expect((await past.findSchemas(schemaKeys)).map(timeless)).toEqual(schemas.map(timeless))
  for (const key of schemaKeys.slice(0, 6)) {
    expect(timeless(await past.findSchema(key))).toEqual(timeless(await stopped.findSchema(key)))
  }
  if (at === null) return
  expect((await past.findStatuses(keys, at)).statuses).toEqual(
    (await stopped.findStatuses(keys, at)).statuses,
  )
}

async function compareListings(
  { past, stopped }: PastReaders,
  { schemaKeys, addresses, chainIds }: AskedRecords,
  size: number,
): Promise<void> {
  for (const schema of [null, ...schemaKeys.filter(({ protocol }) => protocol === null)]) {
    for (const page of [1, 2, 3]) {
      expect(await past.listAttestationSummaries(schema, { page, size })).toEqual(
        await stopped.listAttestationSummaries(schema, { page, size }),
      )
    }
  }
  for (const address of addresses) {
    expect(await past.addressStatistics(address)).toEqual(await stopped.addressStatistics(address))
    const request = { page: 1, size }
    const [found, expected] = [
      await past.listSchemas({ filter: { ...everySchema, registrant: address } }, request),
      await stopped.listSchemas({ filter: { ...everySchema, registrant: address } }, request),
    ]
    expect(keysOf(found)).toEqual(keysOf(expected))
    for (const role of ['created', 'received', 'either'] as const) {
      for (const chainId of [null, chainIds[0] ?? null]) {
        const listing: AddressListing = { address, role, attester: null, chainId, schema: null }
        for (const page of [1, 2]) {
          expect(keysOf(await past.listAttestations(listing, { page, size }, whole))).toEqual(
            keysOf(await stopped.listAttestations(listing, { page, size }, whole)),
          )
        }
      }
    }
  }
}

async function compareFilters(
  past: PastReader,
  stopped: PastReader,
  filters: readonly AttestationFilter[],
  size: number,
): Promise<void> {
  for (const filter of [everyAttestation, ...filters]) {
    expect(await past.countAttestations(filter)).toBe(await stopped.countAttestations(filter))
    for (const page of [1, 2]) {
      expect(keysOf(await past.listAttestations({ filter }, { page, size }, whole))).toEqual(
        keysOf(await stopped.listAttestations({ filter }, { page, size }, whole)),
      )
    }
    for (const order of ['newestFirst', 'oldestFirst'] as const) {
      const request = { filter, order, after: null, limit: 1_000 }
      const [found, expected] = [
        await past.sliceAttestations(request, whole),
        await stopped.sliceAttestations(request, whole),
      ]
      expect(found.rows.map(({ place }) => place)).toEqual(expected.rows.map(({ place }) => place))
      expect(found.hasMore).toBe(expected.hasMore)
    }
  }
}

async function compareSchemaFilters(
  past: PastReader,
  stopped: PastReader,
  filters: readonly SchemaFilter[],
  size: number,
): Promise<void> {
  for (const filter of [everySchema, ...filters]) {
    expect(await past.countSchemas(filter)).toBe(await stopped.countSchemas(filter))
    for (const page of [1, 2]) {
      expect(keysOf(await past.listSchemas({ filter }, { page, size }))).toEqual(
        keysOf(await stopped.listSchemas({ filter }, { page, size })),
      )
    }
    const request = { filter, order: 'newestFirst', after: null, limit: 1_000 } as const
    expect(keysOf({ total: 0, rows: (await past.sliceSchemas(request)).rows })).toEqual(
      keysOf({ total: 0, rows: (await stopped.sliceSchemas(request)).rows }),
    )
  }
}

async function compareRegistered(
  { past, stopped }: PastReaders,
  { keys, chainIds, protocols }: AskedRecords,
): Promise<void> {
  for (const chainId of chainIds) {
    for (const protocol of protocols) {
      for (const kind of ['portal', 'module'] as const) {
        expect(await past.listRegistered(chainId, protocol, kind)).toEqual(
          await stopped.listRegistered(chainId, protocol, kind),
        )
      }
    }
  }
  const known = keys.filter(({ protocol }) => protocol !== null)
  expect(await past.findAttestationOrigins(known)).toEqual(await stopped.findAttestationOrigins(known))
  const made = await stopped.findAttestations(keys, whole)
  const hashes = new Set(made.map((each) => parseHash(each?.detail?.transactionHash ?? '')).slice(0, 8))
  for (const hash of hashes) {
    // Records without a log share a hash of zeros, which nobody may ask about.
    if (hash === null || hash === zeroHash) continue
    const [found, expected] = [
      await past.findTransaction(hash, null),
      await stopped.findTransaction(hash, null),
    ]
    expect(found?.attestations.map(({ key }) => key)).toEqual(expected?.attestations.map(({ key }) => key))
    expect(found?.schemas.map(({ key }) => key)).toEqual(expected?.schemas.map(({ key }) => key))
  }
}

async function compareActivity(
  { past, stopped }: PastReaders,
  { schemaKeys, addresses }: AskedRecords,
): Promise<void> {
  expect(await past.listTotals()).toEqual(await stopped.listTotals())
  const [first] = await stopped.listProtocolDays()
  const spans: DaySpan[] = [everyDay, { from: (first?.day ?? 0) + 1, before: null }]
  const subjects: ActivitySubject[] = [
    { kind: 'everything' },
    ...schemaKeys.slice(0, 3).map((key) => ({ kind: 'schema', key }) as const),
    ...addresses.map((address) => ({ kind: 'address', address }) as const),
  ]
  for (const span of spans) {
    expect(await past.listProtocolDays(span)).toEqual(await stopped.listProtocolDays(span))
    for (const subject of subjects) {
      expect(await past.listActivity(subject, span)).toEqual(await stopped.listActivity(subject, span))
    }
  }
  for (const key of schemaKeys.slice(0, 6)) {
    expect(await past.listTopAttesters(key, 3)).toEqual(await stopped.listTopAttesters(key, 3))
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
