import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { formatCompositeId, parseOffchainId, type RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { recipientNamed } from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { RowPlace, StoredAnchor } from '@attestry/core/index/storedRecords.ts'
import {
  everyOffchain,
  type OffchainFilter,
  type OffchainPlace,
  type OffchainLengths,
  type OffchainStore,
} from '../offchainStore/offchainStore.ts'
import type { OffchainListing } from '@attestry/server/records/offchainRecords.ts'
import { answerListing, type ListingReads } from '@attestry/server/records/answerListing.ts'
import type { AttestationFilterValues } from '@attestry/server/pipeline/parameters/attestationFilterParameters.ts'
import type { Identified } from '@attestry/server/pipeline/parameters/idParameters.ts'
import type { StorageContext } from './offchainContext.ts'
import { presentOffchainRows } from './presentOffchain.ts'
import { walkSlices } from '@attestry/server/records/slices.ts'

/**
 * The listing with `mode=offchain`, newest first by `attestTimestamp`. Its cursors have the number 0, which no chain has,
 * in the place of a chain.
 */
export async function answerOffchainListing(
  context: StorageContext,
  reader: PastReader,
  { values, place, url }: OffchainListing,
) {
  const store = context.storage?.store ?? null
  const filter = await offchainFilterOf(values, context.now, (signer) =>
    store === null ? [] : findRevoked(reader, store, signer),
  )
  const slice = async (
    from: { readonly after: OffchainPlace | null; readonly skip?: number },
    limit: number,
  ) =>
    store === null || filter === null
      ? []
      : await store.slicePlaces({ filter, order: 'newestFirst', ...from, limit })
  const reads: ListingReads<OffchainLengths> = {
    page: async ({ page, size }) => {
      const total = store === null || filter === null ? 0 : await store.count(filter)
      const skip = (page - 1) * size
      return { total, rows: skip >= total ? [] : await slice({ after: null, skip }, size) }
    },
    slice: async (after, limit) => {
      const found = await slice({ after: offchainPlace(after) }, limit + 1)
      const rows = found.slice(0, limit).map((row) => {
        return { ...row, place: { timestamp: row.madeAt, chainId: 0, position: row.sequence } }
      })
      return { rows, hasMore: found.length > limit, scannedTo: null }
    },
  }
  const present = async (rows: readonly OffchainLengths[]) => {
    const bytes = rows.reduce((sum, row) => sum + row.heldBytes, 0)
    // Recipients are as many as a signer likes. A row is held as it was read, as text, and as it is sent.
    const presented = await context.embedding.run(bytes * 3, () =>
      presentOffchainRows(context, reader, rows, values),
    )
    return rows.map(({ sequence }) => presented.get(sequence)).filter((row) => row !== undefined)
  }
  const answer = await answerListing({ place, size: values.size, url }, reads, present)
  return { ...answer, followsClock: true }
}

/** The place in the store behind a row: behind an on-chain row, all off-chain rows of its second follow. */
function offchainPlace(after: RowPlace | null): OffchainPlace | null {
  if (after === null) return null
  const { timestamp: madeAt, chainId, position } = after
  return { madeAt, sequence: chainId === 0 ? position : Number.MAX_SAFE_INTEGER }
}

/** Filters that say nothing of off-chain records, or would have to be looked up on a chain for each of them. */
const refusedFilters = {
  validAt: 'validAt',
  revokedFrom: 'revokedFrom',
  revokedBefore: 'revokedBefore',
  recipientHolds: 'recipientHolds',
  attesterHolds: 'attesterHolds',
  attesterHops: 'attesterHops',
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

/** Most revocations on chain that one filter compares with the store. */
const revocationsMax = 10_000

/**
 * The sequences of the entries that their signers revoked on chain.
 * @param signer the only signer that is of interest; null: all.
 * @throws BadParameterError if the index has too many revocations.
 */
async function findRevoked(
  reader: PastReader,
  store: OffchainStore,
  signer: Address | null,
): Promise<readonly number[]> {
  const filter = { value: null, kind: 'RevokedOffchain', account: signer, chainId: null }
  const revocations: StoredAnchor[] = []
  const slice = (after: RowPlace | null, limit: number) =>
    reader.sliceAnchors({ filter, order: 'newestFirst', after, limit })
  for await (const rows of walkSlices(slice)) {
    revocations.push(...rows)
    if (revocations.length > revocationsMax) {
      throw new BadParameterError(
        `revoked compares at most ${revocationsMax} revocations on chain with the store; add attester.`,
      )
    }
  }
  return await store.findSequences(
    revocations.flatMap(({ place: { chainId }, protocol, value: localId, account }) =>
      account === null ? [] : [{ chainId, protocol, localId, signer: account }],
    ),
  )
}
