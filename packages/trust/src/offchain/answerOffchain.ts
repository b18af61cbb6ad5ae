import { NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { parseOffchainId, type RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import type { EndpointAnswer } from '@attestry/server/pipeline/endpoint.ts'
import { shownId, type Identified } from '@attestry/server/pipeline/parameters/idParameters.ts'
import { nothingIncluded, type Included } from '@attestry/server/pipeline/parameters/includeParameter.ts'
import type { SingleOffchain } from '@attestry/server/records/offchainRecords.ts'
import { isTombstone, type StoredOffchain, type Tombstone } from '../offchainStore/offchainStore.ts'
import type { StorageContext } from './offchainContext.ts'
import { presentOffchain } from './presentOffchain.ts'
import { deleted } from './storeStatement.ts'

/**
 * The answer for the id of an off-chain attestation; null for other ids, and where nothing with the id is stored.
 * @param signer the account whose record is meant; null: the one that was stored first.
 * @throws DeletedError
 * @throws NotFoundError for a signer of none of the records with the id.
 */
export async function answerOffchain(
  context: StorageContext,
  reader: PastReader,
  id: Identified<RecordKey>,
  include: Included,
  signer: Address | null,
): Promise<EndpointAnswer<SingleOffchain> | null> {
  const found = await findOfSigner(context, id, signer)
  if (found === null) return null
  if (isTombstone(found)) throw deleted(found.id)
  // The version of the index does not change with the store.
  return { data: await presentStored(context, reader, found, include), followsClock: true }
}

/** The attestation with an id; null also for one that was deleted. */
export async function findOffchain(
  context: StorageContext,
  id: Identified<RecordKey>,
): Promise<StoredOffchain | null> {
  const found = await findWithTombstones(context, id)
  return found === null || isTombstone(found) ? null : found
}

/** A single record, whole. */
export async function presentStored(
  context: StorageContext,
  reader: PastReader,
  entry: StoredOffchain,
  include: Included = nothingIncluded,
): Promise<SingleOffchain> {
  const { storage } = context
  if (storage === null) throw new TypeError('an entry comes of a store')
  return await presentOffchain(context, storage, reader, entry, include)
}

/**
 * The record with an id, of one signer or of the first.
 * @throws NotFoundError for a signer of none of the records with the id.
 */
export async function findOfSigner(
  context: Pick<StorageContext, 'storage'>,
  id: Identified<RecordKey>,
  signer: Address | null,
): Promise<StoredOffchain | Tombstone | null> {
  const first = await findWithTombstones(context, id)
  if (signer === null || first === null) return first
  const found = await findWithTombstones(context, id, signer)
  if (found !== null) return found
  const signers = (await context.storage?.store.signersOf(first.id)) ?? []
  if (signers.length === 0) return first
  throw new NotFoundError(
    `${checksumAddress(signer)} did not sign a record ${shownId(id)} that is stored here; its signers are ` +
      `${signers.map(checksumAddress).join(', ')}.`,
  )
}

async function findWithTombstones(
  { storage }: Pick<StorageContext, 'storage'>,
  id: Identified<RecordKey>,
  signer: Address | null = null,
) {
  if (storage === null || id.kind === 'known') return null
  const offchain = parseOffchainId(id.text)
  if (offchain === null || offchain.startsWith('SPS_')) return null
  return await storage.store.find(offchain, signer)
}
