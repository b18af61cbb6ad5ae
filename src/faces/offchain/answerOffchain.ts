import { parseOffchainId, type RecordKey } from '../../model/compositeId.ts'
import type { IndexReader } from '../../store/indexReader.ts'
import { isTombstone, type StoredOffchain } from '../../offchainStore/offchainStore.ts'
import type { ApiContext } from '../apiContext.ts'
import type { EndpointAnswer } from '../../http/endpoint.ts'
import type { Identified } from '../../http/parameters/idParameters.ts'
import type { Included } from '../records/include.ts'
import { presentOffchain } from './presentOffchain.ts'
import { deleted } from './storeStatement.ts'

/**
 * The answer for the id of an off-chain attestation; null for other ids, and where nothing with the id is stored.
 * @throws DeletedError
 */
export async function answerOffchain(
  context: ApiContext,
  reader: IndexReader,
  id: Identified<RecordKey>,
  include: Included | null,
): Promise<EndpointAnswer | null> {
  const found = await findWithTombstones(context, id)
  if (found === null) return null
  if (isTombstone(found)) throw deleted(found.id)
  const dataJson = await presentStored(context, reader, found, include)
  // The version of the index does not tell of the store.
  return { dataJson, link: null, followsClock: true }
}

/** The attestation with an id; null also for one that was deleted. */
export async function findOffchain(
  context: ApiContext,
  id: Identified<RecordKey>,
): Promise<StoredOffchain | null> {
  const found = await findWithTombstones(context, id)
  return found === null || isTombstone(found) ? null : found
}

/** A single record, whole. */
export async function presentStored(
  context: ApiContext,
  reader: IndexReader,
  entry: StoredOffchain,
  include: Included | null,
): Promise<string> {
  const { storage } = context
  if (storage === null) throw new TypeError('an entry comes of a store')
  return await presentOffchain(context, storage, reader, entry, include)
}

async function findWithTombstones({ storage }: ApiContext, id: Identified<RecordKey>) {
  if (storage === null || id.kind === 'known') return null
  const offchain = parseOffchainId(id.text)
  if (offchain === null || offchain.startsWith('SPS_')) return null
  return await storage.store.find(offchain)
}
