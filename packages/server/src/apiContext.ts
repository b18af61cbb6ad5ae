import type { IncomingMessage } from 'node:http'
import type { ClientSlots } from './pipeline/limits/clientSlots.ts'
import type { HeavyWork } from './pipeline/limits/heavyWork.ts'
import type { JournalTail } from '@attestry/core/changes/journalTail.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { ChainId, RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Address, Hash } from '@attestry/core/model/hex.ts'
import type { ContentReads } from '@attestry/core/model/contentReads.ts'
import type { FindPublished, NameDeployment } from '@attestry/core/model/indexedContract.ts'
import type { Change } from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { EndpointContext } from './pipeline/addEndpoint.ts'
import type { PersistedDocuments } from './interfaces/graphql/createPersistedDocuments.ts'
import type { OffchainRecords } from './records/offchainRecords.ts'
import type { Includes } from './records/furtherIncludes.ts'
import type { SearchPart } from './interfaces/rest/searchPart.ts'
import type { CheckFields } from './pipeline/parameters/checkFields.ts'

/** The parts that the interfaces of one server share. */
export interface ApiContext extends EndpointContext {
  /** Names the client that sent a request. */
  readonly clientOf: (request: IncomingMessage) => string
  readonly decodePayload: DecodePayload
  readonly checkFields: CheckFields
  /** Without what content has. */
  readonly checkOwnFields: CheckFields
  readonly nameDeployment: NameDeployment
  readonly findPublished: FindPublished
  readonly tail: JournalTail<Change>
  readonly documents: PersistedDocuments
  /** For GraphQL requests: each may hold thousands of rows. */
  readonly querySlots: ClientSlots
  readonly judgeByPolicy: JudgeByPolicy
  /** The chains that a named policy asks; none for a name that no policy has. */
  readonly chainsOfPolicy: (policy: string) => readonly ChainId[]
  /** Members that other packages add to attestations by `include`. */
  readonly includes: Includes
  /** The groups of `/scan/search` that capabilities add. */
  readonly searches: readonly SearchPart[]
  /** For answers with long content, or long statements of the store. */
  readonly embedding: HeavyWork
  /** Null where no content is fetched. */
  readonly content: ContentReads | null
  readonly offchainRecords: OffchainRecords
  readonly stateProofs: StateProofs
  /** Whether shared caches may keep what is answered: `private` where some clients or pages are refused. */
  readonly sharing: 'public' | 'private'
}

/**
 * The parts of the context that wings bring. At most one wing of a server brings each; without one, nothing is known or
 * stored.
 */
export type Provided = Pick<
  ApiContext,
  'names' | 'readHeader' | 'judgeByPolicy' | 'chainsOfPolicy' | 'offchainRecords' | 'stateProofs'
>

/**
 * Proofs of state, as their endpoints answer them.
 * @throws ProofImpossibleError, ProofUnavailableError or OverloadedError, with a message for the client.
 */
export interface StateProofs {
  /** Revocation and timestamp of an off-chain attestation of EAS. */
  proveAnchor(
    reader: PastReader,
    anchor: { readonly chainId: ChainId; readonly account: Address; readonly uid: Hash },
  ): Promise<object>
  /** @throws NotFoundError if the attestation is not indexed. */
  proveAttestation(reader: PastReader, key: RecordKey): Promise<object>
}

/**
 * The verdicts of a named policy of the server on addresses, in their order.
 * @throws NotFoundError for a name that no policy has.
 */
export type JudgeByPolicy = (
  reader: PastReader,
  policy: string,
  subjects: readonly Address[],
) => Promise<{
  readonly verdicts: readonly ('allow' | 'deny' | 'unknown')[]
  readonly policyHash: string
}>
