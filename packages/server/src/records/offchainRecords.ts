import { NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import type { PageRequest, WantedRecipient } from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import type { EndpointAnswer } from '../pipeline/endpoint.ts'
import type { AttestationFilterValues } from '../pipeline/parameters/attestationFilterParameters.ts'
import type { Identified } from '../pipeline/parameters/idParameters.ts'
import type { Included } from '../pipeline/parameters/includeParameter.ts'
import type { ListingPlace } from '../pipeline/parameters/readPlace.ts'
import type { offchainList, signSchemaAnswer, singleOffchain } from './offchainSchemas.ts'
import type { pageOf, Shown } from './payloadSchemas.ts'

/**
 * The stored off-chain attestations, in the forms in which the interfaces of the server show records. A wing brings
 * them. Reads reject with KeyRequiredError for a client that may not read them.
 */
export interface OffchainRecords {
  /** Whether records may be stored: an answer without one may change at the same version of the index. */
  readonly mayGrow: boolean
  /**
   * The answer for the id of an off-chain attestation; null for other ids, and if nothing with the id is stored.
   * @param signer the account whose record is meant; null: the first that was stored.
   * @throws DeletedError
   * @throws NotFoundError for a signer of none of the records with the id.
   */
  answer(
    reader: PastReader,
    id: Identified<RecordKey>,
    include: Included,
    signer: Address | null,
  ): Promise<EndpointAnswer<SingleOffchain> | null>
  /** The attestation with an id; null also for one that was deleted. */
  find(reader: PastReader, id: Identified<RecordKey>, include: Included): Promise<SingleOffchain | null>
  /** The listing with `mode=offchain`, newest first. */
  list(reader: PastReader, request: OffchainListing): Promise<EndpointAnswer<Shown<typeof offchainList>>>
  /**
   * The attestation of EAS with an id in the form of one of the index, without its schema; null if none is stored.
   * @throws NotFoundError as `answer` does.
   */
  findIndexed(
    reader: PastReader,
    id: Identified<RecordKey>,
    signer: Address | null,
  ): Promise<OffchainAttestation | null>
  /** The records as the SDK of Sign Protocol reads them: times are in milliseconds. */
  readonly sdk: {
    find(
      reader: PastReader,
      id: Identified<RecordKey>,
      signer: Address | null,
    ): Promise<SingleOffchain | null>
    listAttestations(reader: PastReader, request: SdkListing): Promise<Listed<typeof singleOffchain>>
    listSchemas(request: SdkListing): Promise<Listed<typeof signSchemaAnswer>>
  }
}

export type SingleOffchain = Shown<typeof singleOffchain>

type Listed<Row extends Parameters<typeof pageOf>[0]> = EndpointAnswer<Shown<ReturnType<typeof pageOf<Row>>>>

/** An attestation of the store in the form of one of the index. */
export interface OffchainAttestation extends StoredAttestation {
  readonly offchain: { readonly id: string }
  /** The accounts whose records have the id, where they are several. */
  readonly signers?: readonly Address[]
}

export interface OffchainListing {
  readonly values: AttestationFilterValues & RowMembers & { readonly size: number }
  readonly place: ListingPlace
  readonly url: string
}

/** The members of a row beside its summary. */
export interface RowMembers {
  readonly fields: 'detail' | null
  readonly include: Included
}

export interface SdkListing {
  /** Null members do not narrow. */
  readonly filter: {
    readonly id: string | null
    readonly schemaId?: string | null
    readonly signer: Address | null
    readonly recipient?: WantedRecipient | null
    readonly indexingValue?: string | null
    readonly protocol: string | null
  }
  readonly request: PageRequest
  readonly url: string
}

/** Of a server that knows no off-chain records. */
export const noOffchainRecords: OffchainRecords = {
  mayGrow: false,
  answer: () => Promise.resolve(null),
  find: () => Promise.resolve(null),
  list: refuse,
  findIndexed: () => Promise.resolve(null),
  sdk: { find: () => Promise.resolve(null), listAttestations: refuse, listSchemas: refuse },
}

function refuse(): Promise<never> {
  return Promise.reject(new NotFoundError('This server has no off-chain records.'))
}
