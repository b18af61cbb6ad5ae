import type { ChainStatus, Defect } from '../model/chainState.ts'
import type { ChainId, LocalId, RecordKey } from '../model/compositeId.ts'
import type { Address, Hash } from '../model/hex.ts'
import type { IndexedContract } from '../model/indexedContract.ts'
import type { ClassifiedKeyword } from '../model/keyword.ts'
import type { JsonFragment } from '../model/recordJson.ts'
import type { ProtocolName } from '../model/records.ts'

/**
 * The read contract of the store: what the API may ask. Each call answers from one snapshot of the index: its total and
 * its rows belong together. No call's cost grows with the number of the page, nor, without a keyword, with the size of
 * the index. Every call may throw `StoreUnavailableError`; none throws for an id that is unknown.
 */
export interface IndexReader {
  /** Whether reads are made in the thread that asks for them, which does nothing else meanwhile. */
  readonly sharesThread: boolean

  /**
   * A number that moves whenever an answer may have changed, and never otherwise. Cheap enough to ask at every request,
   * which is what every request does first: what is read afterwards is not older than what this or another process has
   * shown before.
   */
  indexVersion(): Promise<number>

  findSchema(key: RecordKey): Promise<StoredSchema | null>
  findAttestation(key: RecordKey): Promise<StoredAttestation | null>

  /** All schemas, newest first; with a keyword those that it finds, in the same order. */
  listSchemas(query: SchemaQuery): Promise<Page<StoredSchema>>
  /** Attestations, newest first. Filters combine (and). */
  listAttestations(query: AttestationQuery): Promise<Page<StoredAttestation>>
  /**
   * The same listing as JSON text: `rowsJson` is an array of objects with exactly the summary's members. The way of the
   * busiest listings, where making objects of rows costs more than finding them.
   */
  listAttestationSummaries(
    query: AttestationQuery,
  ): Promise<{ readonly total: number; readonly rowsJson: string }>
  listSchemasOfRegistrant(registrant: Address, page: PageRequest): Promise<Page<StoredSchema>>
  /** Attestations that an address made, received, or either, newest first. */
  listAttestationsOfAddress(query: AddressAttestationQuery): Promise<Page<StoredAttestation>>

  /** By `attestationCount`, most first; ties by earlier registration, then chain id, block, log index, ascending. */
  listTopSchemas(limit: number): Promise<readonly StoredSchema[]>
  /** By the score of docs/api.md, "Order"; schemas without attestations in the last 168 hours are left out. */
  listTrendingSchemas(limit: number): Promise<readonly StoredSchema[]>

  addressStatistics(address: Address): Promise<AddressStatistics>

  /** The best schemas for a keyword, and how many there are. */
  searchSchemas(keyword: ClassifiedKeyword, limit: number): Promise<SearchGroup<StoredSchema>>
  searchAttestations(keyword: ClassifiedKeyword, limit: number): Promise<SearchGroup<StoredAttestation>>
  /** Addresses that are a registrant, attester or recipient of something indexed. */
  searchAddresses(
    keyword: ClassifiedKeyword,
    limit: number,
  ): Promise<SearchGroup<AddressStatistics & { readonly address: Address }>>

  /** Every chain that the index knows, by chain id. */
  listChains(): Promise<readonly ChainOverview[]>

  /**
   * The whole index as lines of NDJSON in a stable order, without line ends; see docs/operating.md. Two indexes of the
   * same blocks export the same lines, but for what depends on when the chains were read, which `times: false` leaves
   * out.
   */
  exportLines(options?: ExportOptions): AsyncIterable<string>

  close(): Promise<void>
}

export interface ExportOptions {
  /** Whether to tell when records were stored, and what else depends on it; true by default. */
  readonly times?: boolean
  /** The version of the program, for the header. Only an export with it, and with times, can be imported. */
  readonly program?: string
}

/** By how much `indexVersion` moves with each connection to a server; no index has as many versions. */
export const epochStep = 2 ** 42

/**
 * The part of an index version that every process reads alike: the version that the database keeps, which only grows.
 */
export function sharedVersion(version: number): number {
  return version % epochStep
}

/** `page` counts from 1. Any page may be asked for; one past the end has no rows and the right total. */
export interface PageRequest {
  readonly page: number
  readonly size: number
}

export interface Page<Row> {
  readonly total: number
  readonly rows: readonly Row[]
}

/** The best rows, and how many there are. */
export type SearchGroup<Row> = Page<Row>

export interface SchemaQuery extends PageRequest {
  /** null: all of them. */
  readonly keyword: ClassifiedKeyword | null
}

export interface AttestationQuery extends PageRequest {
  /** null: of every schema; an unknown schema gives an empty page. */
  readonly schema: RecordKey | null
  readonly keyword: ClassifiedKeyword | null
  /** What the rows must hold; less is faster. `summary` leaves `detailJson` empty, `schema` null where false. */
  readonly fields: AttestationFields
}

export interface AttestationFields {
  readonly detail: boolean
  readonly schema: boolean
}

export interface AddressAttestationQuery extends PageRequest {
  readonly address: Address
  readonly role: 'created' | 'received' | 'either'
  readonly chainId: ChainId | null
  /** A schema on one chain (`key`), or of that local id on every chain (`localId`); null: of any schema. */
  readonly schema:
    | { readonly kind: 'key'; readonly key: RecordKey }
    | { readonly kind: 'localId'; readonly localId: LocalId; readonly protocol?: ProtocolName | null }
    | null
}

/** The key of a record that is kept: exactly one record has it. */
export interface StoredKey extends RecordKey {
  readonly protocol: ProtocolName
}

/** A schema as it is kept. Strings in `…Json` are JSON text made when the row was written. */
export interface StoredSchema {
  readonly key: StoredKey
  /** `schemaSummaryJson` of the record, with the name that counts now. */
  readonly summaryJson: JsonFragment
  /** A JSON array of `{name, type}`. */
  readonly fieldsJson: string
  readonly name: string
  readonly description: string
  readonly registrant: Address
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

/** What a row of attestations says of its schema. All empty where the schema itself is not indexed. */
export interface SchemaReference {
  readonly key: StoredKey
  readonly name: string
  readonly description: string
  readonly fieldsJson: string
}

/** An attestation as it is kept. */
export interface StoredAttestation {
  readonly key: StoredKey
  /** `attestationSummaryJson` of the record. */
  readonly summaryJson: JsonFragment
  /** `attestationDetailJson` of the record; empty unless `fields.detail` was asked for. */
  readonly detailJson: JsonFragment
  /** null unless revoked. */
  readonly revocation: StoredRevocation | null
  /** The attestation's own flag; null where its schema decides, or where it was indexed before the flag was kept. */
  readonly revocable: boolean | null
  readonly portal: Address | null
  /** The metadata of the portal; null where it is not known, or unless `fields.detail` was asked for. */
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

export interface AddressStatistics {
  readonly schemaCreated: number
  readonly attestationCreated: number
  readonly attestationReceived: number
  /** Distinct attestations that are either. */
  readonly totalAttestations: number
}

/** The digest of what a chain says by its events up to a block; docs/api.md, "Digest of a chain". */
export interface ChainDigest {
  /** Digests of different versions cannot be compared. */
  readonly version: number
  /** The block; null while the digest is of none. */
  readonly blockNumber: number | null
  readonly eventCount: number
  readonly value: Hash
}

/** What is counted of one chain, and how fresh it is. */
export interface ChainOverview {
  readonly status: ChainStatus
  /** What was found missing or wrong, by `attestry verify` or the indexer, and is not known to be mended. */
  readonly defect: Defect | null
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
  /** At the indexed block, or below while the digest is being made of stored events. */
  readonly digest: ChainDigest
  /** Off-chain anchors by event name. */
  readonly anchorCounts: Readonly<Record<string, number>>
}
