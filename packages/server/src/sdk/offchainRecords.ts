import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import {
  everyOffchain,
  isTombstone,
  sliceBytesMax,
  type OffchainFilter,
  type StoredOffchain,
} from '@attestry/trust/offchainStore/offchainStore.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { PageRequest } from '@attestry/core/index/indexQueries.ts'
import type { ApiContext } from '../apiContext.ts'
import type { EndpointAnswer } from '../pipeline/endpoint.ts'
import { pageLinks } from '../records/pageLinks.ts'
import { findOfSigner, presentStored } from '@attestry/trust/offchain/answerOffchain.ts'
import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Identified } from '../pipeline/parameters/idParameters.ts'
import type { Shown } from '../records/payloadSchemas.ts'
import type { singleOffchain } from '@attestry/trust/offchain/storeSchemas.ts'

/** Records of the store of off-chain attestations, as Sign Protocol's SDK reads them. */

/** A single attestation; null where it is not stored. */
export async function answerSdkOffchain(
  context: ApiContext,
  reader: PastReader,
  id: Identified<RecordKey>,
  signer: Address | null,
): Promise<EndpointAnswer<Shown<typeof singleOffchain>> | null> {
  const entry = await findOfSigner(context, id, signer)
  if (entry === null || isTombstone(entry)) return null
  return { data: await presentSdkOffchain(context, reader, entry), followsClock: true }
}

/** A stored attestation; the SDK reads times as milliseconds. */
export async function presentSdkOffchain(
  context: ApiContext,
  reader: PastReader,
  entry: StoredOffchain,
): Promise<Shown<typeof singleOffchain>> {
  const { attestTimestamp, revokeTimestamp, ...rest } = await presentStored(context, reader, entry)
  return {
    ...rest,
    attestTimestamp: `${attestTimestamp}000`,
    revokeTimestamp: revokeTimestamp === null ? null : `${revokeTimestamp}000`,
  }
}

/** Null members do not narrow. */
interface SdkOffchainFilter {
  readonly kind: OffchainFilter['kind']
  readonly id: string | null
  readonly schemaId?: string | null
  readonly signer: Address | null
  readonly recipient?: OffchainFilter['recipient']
  readonly indexingValue?: string | null
  readonly protocol: string | null
}

/** How often a statement is in memory while its row is made. */
const copiesOfRow = 4

/** A page of attestations or schemas. */
export async function listSdkOffchain<Row>(
  context: ApiContext,
  { id, ...wanted }: SdkOffchainFilter,
  request: PageRequest,
  url: string,
  present: (entry: StoredOffchain) => Promise<Row>,
) {
  const { storage } = context
  const filter = { ...everyOffchain, ...wanted, localIds: id === null ? null : [id] }
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
  const rows = await context.embedding.run(characters * copiesOfRow, async () => {
    const presented: Row[] = []
    for (const entry of entries) presented.push(await present(entry))
    return presented
  })
  return { data: { total, rows, ...request }, link: pageLinks(url, request, total), followsClock: true }
}
