import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { formatCompositeId, parseOffchainId, type RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import {
  recipientNamed,
  type AttestationFilter,
  type PageRequest,
} from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import {
  everyOffchain,
  type OffchainFilter,
  type OffchainPlace,
  type OffchainStore,
  type OffchainLengths,
} from '../offchainStore/offchainStore.ts'
import type { ApiContext } from '@attestry/server/apiContext.ts'
import type { EndpointAnswer } from '@attestry/server/pipeline/endpoint.ts'
import { cursorLinks, pageLinks } from '@attestry/server/records/pageLinks.ts'
import type { AttestationFilterValues } from '@attestry/server/pipeline/parameters/attestationFilterParameters.ts'
import type { Identified } from '@attestry/server/pipeline/parameters/idParameters.ts'
import type { ListingPlace } from '@attestry/server/pipeline/parameters/readPlace.ts'
import { presentPageOfJson, presentStepOfJson } from '@attestry/server/records/presentList.ts'
import { formatRowCursor } from '@attestry/server/pipeline/rowCursor.ts'
import { findRevoked } from './findRevoked.ts'
import { presentOffchainRows, type RowMembers } from './presentOffchain.ts'

/** Rows of the chains, as the listing with off-chain records merges them in. */
export interface ChainRows {
  readonly count: (filter: AttestationFilter) => Promise<number>
  /** `skip` rows of the listing left out, newest first. */
  readonly page: (skip: number, size: number) => Promise<readonly ChainRow[]>
  /** Behind a row, or, where the row is off-chain, older than its second. */
  readonly slice: (after: RowPlace | null, size: number) => Promise<readonly ChainRow[]>
}

export interface ChainRow {
  /** `attestTimestamp`. */
  readonly timestamp: number
  /** Null on a page, which nothing follows by a cursor. */
  readonly place: RowPlace | null
  readonly json: string
}

/** Whether a place is that of an off-chain row. No chain has the number 0. */
export function isOffchainPlace({ chainId }: RowPlace): boolean {
  return chainId === 0
}

interface Request {
  readonly values: AttestationFilterValues & RowMembers & { readonly size: number }
  readonly place: ListingPlace
  readonly url: string
  /** The filter of on-chain attestations and their rows; null with `mode=offchain`, or where none can pass. */
  readonly chain: { readonly filter: AttestationFilter; readonly rows: ChainRows } | null
}

/**
 * The listing with `mode=offchain` or `mode=all`. Newest first by `attestTimestamp`; of one second, on-chain
 * attestations come first. Off-chain rows stand in cursors with the chain 0.
 */
export async function answerOffchainListing(
  context: ApiContext,
  reader: PastReader,
  { values, place, url, chain }: Request,
): Promise<EndpointAnswer> {
  const store = context.storage?.store ?? null
  const filter = await offchainFilterOf(values, context.now, (signer) =>
    store === null ? [] : findRevoked(reader, store, signer),
  )
  const present = async (rows: readonly Row[]) => {
    const places = rows.flatMap((row) => ('entry' in row ? [row.entry] : []))
    const bytes = places.reduce((sum, place) => sum + place.heldBytes, 0)
    // Recipients are as many as a signer likes. A row is held as it was read, as text, and as it is sent.
    const presented = await context.embedding.run(bytes * 3, () =>
      presentOffchainRows(context, reader, places, values),
    )
    const texts = rows.map((row) => ('entry' in row ? presented.get(row.entry.sequence) : row.json))
    return `[${texts.filter((text) => text !== undefined).join(',')}]`
  }
  const off = store === null || filter === null ? null : { store, filter }
  if (place.kind === 'cursor') {
    const rows = await readStep(off, chain?.rows ?? null, place.cursor.place, values.size + 1)
    const shown = rows.slice(0, values.size)
    const last = shown.at(-1)
    const end = rows.length > values.size && last !== undefined ? placeOf(last) : null
    const next = end === null ? null : formatRowCursor(end)
    const dataJson = presentStepOfJson(await present(shown), values.size, next)
    return { dataJson, link: cursorLinks(url, next), followsClock: true }
  }
  const request: PageRequest = { page: place.page, size: values.size }
  const [offTotal, chainTotal] = await Promise.all([
    off === null ? 0 : off.store.count(off.filter),
    chain === null ? 0 : chain.rows.count(chain.filter),
  ])
  const total = offTotal + chainTotal
  const skip = (request.page - 1) * request.size
  const rows = skip >= total ? [] : await readPage(off, chain, { offTotal, skip, size: request.size })
  const dataJson = presentPageOfJson(total, await present(rows), request)
  return { dataJson, link: pageLinks(url, request, total), followsClock: true }
}

type Row = ChainRow | { readonly entry: OffchainLengths }

interface OffchainRows {
  readonly store: OffchainStore
  readonly filter: OffchainFilter
}

async function readStep(
  off: OffchainRows | null,
  chain: ChainRows | null,
  after: RowPlace | null,
  limit: number,
): Promise<readonly Row[]> {
  const [entries, rows] = await Promise.all([
    off === null ? [] : off.store.slicePlaces({ ...newest(off.filter), after: offchainPlace(after), limit }),
    chain === null ? [] : chain.slice(after, limit),
  ])
  return merge(rows, entries, limit)
}

async function readPage(
  off: OffchainRows | null,
  chain: Request['chain'],
  { offTotal, skip, size }: { readonly offTotal: number; readonly skip: number; readonly size: number },
): Promise<readonly Row[]> {
  const passed = off === null ? 0 : await countPassed(off, chain, offTotal, skip)
  const [entries, rows] = await Promise.all([
    off === null
      ? []
      : off.store.slicePlaces({ ...newest(off.filter), after: null, skip: passed, limit: size }),
    chain === null ? [] : chain.rows.page(skip - passed, size),
  ])
  return merge(rows, entries, size)
}

/**
 * How many of the first `skip` rows of the merged listing are off-chain, by halving: an off-chain row at a rank stands
 * behind the on-chain rows that are not older.
 */
async function countPassed(
  { store, filter }: OffchainRows,
  chain: Request['chain'],
  offTotal: number,
  skip: number,
): Promise<number> {
  if (chain === null) return Math.min(skip, offTotal)
  let low = 0
  let high = Math.min(skip, offTotal)
  while (low < high) {
    const rank = Math.floor((low + high) / 2)
    const time = (await store.timeAt(filter, rank)) ?? 0
    const attestedFrom = Math.max(time, chain.filter.attestedFrom ?? 0)
    const before = await chain.rows.count({ ...chain.filter, attestedFrom })
    if (rank + before < skip) low = rank + 1
    else high = rank
  }
  return low
}

const newest = (filter: OffchainFilter) => ({ filter, order: 'newestFirst' }) as const

function merge(
  rows: readonly ChainRow[],
  entries: readonly OffchainLengths[],
  limit: number,
): readonly Row[] {
  const merged: Row[] = []
  let [row, entry] = [0, 0]
  while (merged.length < limit) {
    const [ofChain, ofStore] = [rows[row], entries[entry]]
    if (ofChain === undefined && ofStore === undefined) break
    if (ofStore === undefined || (ofChain !== undefined && ofChain.timestamp >= ofStore.madeAt)) {
      if (ofChain !== undefined) merged.push(ofChain)
      row += 1
    } else {
      merged.push({ entry: ofStore })
      entry += 1
    }
  }
  return merged
}

function placeOf(row: Row): RowPlace | null {
  if (!('entry' in row)) return row.place
  return { timestamp: row.entry.madeAt, chainId: 0, position: row.entry.sequence }
}

/** The place in the store behind a row: behind an on-chain row, all off-chain rows of its second follow. */
function offchainPlace(after: RowPlace | null): OffchainPlace | null {
  if (after === null) return null
  const { timestamp: madeAt, position } = after
  return { madeAt, sequence: isOffchainPlace(after) ? position : Number.MAX_SAFE_INTEGER }
}

/** Filters that say nothing of off-chain records, or would have to be looked up on a chain for each of them. */
const refusedFilters = {
  validAt: 'validAt',
  recipientHolds: 'recipientHolds',
  attesterHolds: 'attesterHolds',
  dataLocation: 'dataLocation',
  content: 'content',
  portal: 'portal',
  fieldConditions: 'field[…]',
} as const

/**
 * The filter of a request for off-chain records; null if no record can pass.
 * @throws BadParameterError
 */
async function offchainFilterOf(
  values: AttestationFilterValues,
  now: () => number,
  revokedBy: (signer: Address | null) => Promise<readonly number[]> | readonly number[],
): Promise<OffchainFilter | null> {
  for (const [name, shown] of Object.entries(refusedFilters)) {
    if (values[name as keyof typeof refusedFilters] === null) continue
    throw new BadParameterError(`${shown} is no filter of off-chain records; leave it out, or mode.`)
  }
  const { schemaId, chainId, expired, revoked, linkedAttestation, linkedAttestationIn } = values
  if (chainId?.kind === 'unknown') return null
  const lists = [linkedAttestation === null ? null : [linkedAttestation], linkedAttestationIn]
  const [first, second] = lists.filter((list) => list !== null).map((list) => list.map(localIdOf))
  return {
    ...everyOffchain,
    protocol: values.protocol,
    chainId: chainId?.value ?? null,
    signer: values.attester,
    schemaId: schemaId === null ? null : idOf(schemaId),
    recipient: recipientNamed(values.recipient),
    indexingValue: values.indexingValue,
    linked: first === undefined ? null : first.filter((id) => second?.includes(id) ?? true),
    expired: expired === null ? null : { at: Math.floor(now() / 1_000), is: expired },
    revoked: revoked === null ? null : { is: revoked, onChain: await revokedBy(values.attester) },
    madeFrom: values.attestedFrom,
    madeBefore: values.attestedBefore,
  }
}

function idOf(id: Identified<RecordKey>): string {
  return id.kind === 'known' ? formatCompositeId(id.value) : id.text
}

/** The uid of an id on its chain; that of Sign Protocol is the id itself. */
function localIdOf(id: Identified<RecordKey>): string {
  if (id.kind === 'known') return id.value.localId
  const offchain = parseOffchainId(id.text)
  return offchain?.startsWith('offchain_') === true ? (offchain.split('_').at(-1) ?? '') : id.text
}
