import type { ChainStatus, Defect, HistoryStatement, Verification } from '../model/chainState.ts'
import type { ChainId, RecordKey } from '../model/compositeId.ts'
import type { Address, Hash, Hex } from '../model/hex.ts'
import type { IndexedContract } from '../model/indexedContract.ts'
import type { AttestationDetail, AttestationSummary, SchemaSummary } from '../model/recordJson.ts'
import type { ProtocolName } from '../model/records.ts'

/** The key of a record that is kept: exactly one record has it. */
export interface StoredKey extends RecordKey {
  readonly protocol: ProtocolName
}

/** A schema as it is kept. Strings in `…Json` are JSON text, as the row has them. */
export interface StoredSchema extends SchemaSummary {
  readonly key: StoredKey
  /** A JSON array of `{name, type}`. */
  readonly fieldsJson: string
  /** The same, with the types by which payloads are encoded. */
  readonly payloadFieldsJson: string
  readonly registerTimestamp: number
  readonly revocable: boolean
  /** Decimal digits of a uint64. */
  readonly maxValidFor: string
  readonly resolver: Address
  readonly rawText: string
  readonly context: string | null
  readonly transactionSender: Address | null
  readonly attestationCount: number
  readonly attesterCount: number
  /** Milliseconds since the epoch. */
  readonly syncAt: number
}

/** The schema as a row of attestations shows it. All members are empty if the schema itself is not indexed. */
export interface SchemaReference {
  readonly key: StoredKey
  readonly name: string
  readonly description: string
  readonly fieldsJson: string
  readonly payloadFieldsJson: string
}

/** An attestation as it is kept. */
export interface StoredAttestation extends AttestationSummary {
  readonly key: StoredKey
  /** null unless `fields.detail` was asked for. */
  readonly detail: AttestationDetail | null
  /** The bytes of a payload that was not read because of `fields.payloadBytesMax`; `detail` has an empty one then. */
  readonly unreadBytes?: number
  /** null unless revoked. */
  readonly revocation: StoredRevocation | null
  /** The attestation's own flag; null if its schema decides, or if it was indexed before the flag was kept. */
  readonly revocable: boolean | null
  readonly portal: Address | null
  /** The metadata of the portal; null if it is not known, or unless `fields.detail` was asked for. */
  readonly portalBody: string | null
  readonly transactionSender: Address | null
  /** Milliseconds since the epoch. */
  readonly syncAt: number
  readonly lastSyncAt: number | null
  /** null unless `fields.schema` was asked for. */
  readonly schema: SchemaReference | null
}

export interface StoredRevocation {
  /** Unix seconds as decimal digits: a uint64 where the record was born revoked. */
  readonly timestamp: string
  readonly reason: string
  readonly transactionHash: string
}

/** The parts that rows of attestations must hold. Fewer parts are faster. */
export interface AttestationFields {
  /** Else `detail` is null. */
  readonly detail: boolean
  /**
   * Bytes of long payloads after which no further long one is read. The first long payload always is, except with 0,
   * and so are all short ones. All payloads are read by default.
   */
  readonly payloadBytesMax?: number
  /** Else `schema` is null. */
  readonly schema: boolean
}

export interface AddressStatistics {
  readonly schemaCreated: number
  readonly attestationCreated: number
  readonly attestationReceived: number
  /** Distinct attestations that are either. */
  readonly totalAttestations: number
}

/** The digest of what a chain says by its events up to a block; docs/proofs.md, "Digest of a chain". */
export interface ChainDigest {
  /** Digests of different versions cannot be compared. */
  readonly version: number
  /** The block; null while the digest is of none. */
  readonly blockNumber: number | null
  readonly eventCount: number
  readonly value: Hash
}

/** The counts of one chain, and how fresh they are. */
export interface ChainOverview {
  readonly status: ChainStatus
  /** The damage that `attestry verify` or the indexer found and that is not known to be repaired. */
  readonly defect: Defect | null
  /** The last verification of the chain; null before the first. */
  readonly verification: Verification | null
  /** The completeness of each contract's history. */
  readonly history: readonly HistoryStatement[]
  /** The block to which the index is about to be reverted, since its contracts changed; null for none. */
  readonly rewindTo: number | null
  /** The contracts whose events are indexed. */
  readonly contracts: readonly IndexedContract[]
  readonly schemaCount: number
  readonly attestationCount: number
  readonly revocationCount: number
  readonly undecodableCount: number
  /**
   * Attestations whose fields are still to be indexed, or to be taken out of the index, after a change of the setting.
   */
  readonly fieldsPending: number
  /** At the indexed block; at no block where the digest was lost. */
  readonly digest: ChainDigest
  /** Off-chain anchors by event name. */
  readonly anchorCounts: Readonly<Record<string, number>>
}

/** Fields of an attestation's event and record that only the protocol's own interface exposes. */
export interface AttestationOrigin {
  readonly blockNumber: number
  /** null if no event revoked it. */
  readonly revokedBlockNumber: number | null
  /** As `Attestation` has them. */
  readonly contractVersion: number | null
  readonly subject: Hex | null
}

/** A portal or module; `body` is its metadata, as `MetadataKind` says. */
export interface StoredRegistration {
  readonly address: Address
  readonly body: string
}

/** The effects of a transaction, each list in the order of the chain. */
export interface StoredTransaction {
  readonly chainId: ChainId
  readonly blockNumber: number
  readonly schemas: readonly StoredSchema[]
  /** Without detail and schema. */
  readonly attestations: readonly StoredAttestation[]
  readonly revocations: readonly RecordKey[]
}

/** An off-chain anchor; its place has its time, chain and position. */
export interface StoredAnchor {
  readonly place: RowPlace
  readonly protocol: string
  readonly kind: string
  readonly account: Address | null
  readonly value: string
  readonly transactionHash: Hash
  readonly reason: string
}

export interface AnchorCount {
  readonly chainId: ChainId
  /** The event's name in its contract. */
  readonly anchor: string
  readonly count: number
}

export interface ProtocolTotals {
  readonly chainId: ChainId
  readonly protocol: string
  readonly schemaCount: number
  readonly attestationCount: number
  readonly revocationCount: number
}

/** The activity of a protocol on a chain on one UTC day. Lists are ordered by chain, protocol and day. */
export interface ProtocolDay {
  readonly chainId: ChainId
  readonly protocol: string
  /** Days since the epoch. */
  readonly day: number
  readonly schemas: number
  readonly attestations: number
}

/**
 * The activity of one UTC day. For a schema, `schemas` and `received` are 0. For an address, `attestations` counts those
 * that it made.
 */
export interface ActivityDay {
  /** Days since the epoch. */
  readonly day: number
  readonly attestations: number
  readonly received: number
  readonly schemas: number
}

/** The digest of a chain at a block, with the events of that block. */
export interface StoredDigest {
  readonly newest: ChainDigest
  /** At the requested block; null if no block is indexed, or that block is above the newest digest. */
  readonly asked: ChainDigest | null
  /** The contracts whose events the digest is of. */
  readonly contracts: readonly IndexedContract[]
  /** In the order of the chain. */
  readonly events: readonly DigestedEvent[]
}

/** One event as a digest counts it. */
export interface DigestedEvent {
  /** `name`: the name that the attestation of the same log gives to a schema. */
  readonly type: 'schema' | 'attestation' | 'revocation' | 'name' | 'anchor' | 'metadata' | 'undecodable'
  /** Its index among the indexed logs of its block; an attestation and the name that it gives share one. */
  readonly eventIndex: number
  /** The record that the event makes, revokes or names; null for any other event. */
  readonly record: RecordKey | null
  /** The digest of only this event. */
  readonly value: Hash
}

/** The place of a row in the order of listings. Cursors of the API are made from it. */
export interface RowPlace {
  /** `attestTimestamp` or `registerTimestamp`. */
  readonly timestamp: number
  readonly chainId: ChainId
  /** See model/position.ts. */
  readonly position: number
}
