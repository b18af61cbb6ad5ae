import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { OffchainRecords, SdkListing, SingleOffchain } from '@attestry/server/records/offchainRecords.ts'
import { pageLinks } from '@attestry/server/records/pageLinks.ts'
import {
  everyOffchain,
  isTombstone,
  sliceBytesMax,
  type OffchainFilter,
  type StoredOffchain,
} from '../offchainStore/offchainStore.ts'
import { findOfSigner, presentStored } from './answerOffchain.ts'
import type { StorageContext } from './offchainContext.ts'
import { presentSignSchema } from './presentOffchain.ts'

/** The stored records as Sign Protocol's SDK reads them. */
export function createSdkRecords(contextOf: () => StorageContext): OffchainRecords['sdk'] {
  return {
    find: async (reader, id, signer) => {
      const context = contextOf()
      const entry = await findOfSigner(context, id, signer)
      if (entry === null || isTombstone(entry)) return null
      return await presentInMilliseconds(context, reader, entry)
    },
    listAttestations: async (reader, listing) => {
      const context = contextOf()
      const present = (entry: StoredOffchain) => presentInMilliseconds(context, reader, entry)
      return await list(context, 'attestation', listing, present)
    },
    listSchemas: async (listing) =>
      await list(contextOf(), 'schema', listing, (entry) => Promise.resolve(presentSignSchema(entry))),
  }
}

async function presentInMilliseconds(
  context: StorageContext,
  reader: PastReader,
  entry: StoredOffchain,
): Promise<SingleOffchain> {
  const { attestTimestamp, revokeTimestamp, ...rest } = await presentStored(context, reader, entry)
  return {
    ...rest,
    attestTimestamp: `${attestTimestamp}000`,
    revokeTimestamp: revokeTimestamp === null ? null : `${revokeTimestamp}000`,
  }
}

/** How often a statement is in memory while its row is made. */
const copiesOfRow = 4

async function list<Row>(
  { storage, embedding }: StorageContext,
  kind: OffchainFilter['kind'],
  { filter: { id, ...wanted }, request, url }: SdkListing,
  present: (entry: StoredOffchain) => Promise<Row>,
) {
  const filter = { ...everyOffchain, ...wanted, kind, localIds: id === null ? null : [id] }
  const total = storage === null ? 0 : await storage.store.count(filter)
  const skip = (request.page - 1) * request.size
  const order = 'newestFirst'
  const { entries, isCut } =
    storage === null || skip >= total
      ? { entries: [], isCut: false }
      : await storage.store.slice({ filter, order, after: null, skip, limit: request.size })
  if (isCut) {
    throw new BadParameterError(
      `size: the rows of this page have more than ${sliceBytesMax.toLocaleString('en')} bytes; the first ` +
        `${entries.length} of them have fewer.`,
    )
  }
  const characters = entries.reduce((sum, { body }) => sum + body.payload.length + body.text.length, 0)
  const rows = await embedding.run(characters * copiesOfRow, async () => {
    const presented: Row[] = []
    for (const entry of entries) presented.push(await present(entry))
    return presented
  })
  return { data: { total, rows, ...request }, link: pageLinks(url, request, total), followsClock: true }
}
