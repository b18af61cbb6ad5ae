import type { ChainId, RecordKey } from '../model/compositeId.ts'
import type { Address, Hash } from '../model/hex.ts'
import type { ClassifiedKeyword } from '../model/keyword.ts'
import type { ProvableEvent, ProvenEvent } from '../model/recordProof.ts'
import type { ProtocolName } from '../model/records.ts'
import type { TakeTurn } from '../model/threadTurns.ts'
import type {
  ActivitySubject,
  AnchorFilter,
  AsOf,
  AttestationFilter,
  AttestationGroups,
  AttestationListing,
  AttestationStatuses,
  BlockAtTime,
  BlockLocation,
  DaySpan,
  GroupsRequest,
  HoldingsRequest,
  IndexedBlock,
  Page,
  PageRequest,
  RegisteredKind,
  SchemaFilter,
  SchemaListing,
  FoundValue,
  SearchGroup,
  Slice,
  SliceRequest,
  WantedBlock,
  WantedRecord,
} from './indexQueries.ts'
import type {
  ActivityDay,
  AddressStatistics,
  AnchorCount,
  AttestationFields,
  AttestationOrigin,
  ChainOverview,
  ProtocolDay,
  ProtocolTotals,
  StoredAnchor,
  StoredAttestation,
  StoredDigest,
  StoredKey,
  StoredRegistration,
  StoredSchema,
  StoredTransaction,
} from './storedRecords.ts'

/** The reads that projections add; the package of a projection declares those of it as members of this interface. */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- it is merged
export interface ProjectedReads {}

/** Those of them that have a past. */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- it is merged
export interface PastProjectedReads {}

/**
 * The reads that have a past: `IndexReader.asOf` answers them as of a moment. Each call answers from one snapshot of the
 * index: its total and its rows belong together. No call's cost grows with the number of the page, nor, without a keyword, with the size of
 * the index. Every call may throw `StoreUnavailableError`; none throws for an id that is unknown. A call that may take
 * long takes a `turn` before each further step, and rejects as the turn does.
 */
export interface PastReader extends PastProjectedReads {
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

  /**
   * A page of a listing, newest first. The store finds the page by rank if it keeps lists whose union is the listing.
   * It keeps lists of all records, and by schema, attester, recipient and field value, each also by chain and schema.
   * Any page of these costs as much as the first. Other pages are reached by walking from the nearer end, over at most
   * `passedOverMax` rows.
   * @throws StoreTooMuchWorkError for a page further from both ends, with the fact `passedOverMax`; and for the reasons
   * of `countAttestations`.
   */
  listAttestations(
    listing: AttestationListing,
    page: PageRequest,
    fields: AttestationFields,
    turn?: TakeTurn,
  ): Promise<Page<StoredAttestation>>

  /** The same of schemas: all of them and those of a registrant are found by rank. */
  listSchemas(listing: SchemaListing, page: PageRequest, turn?: TakeTurn): Promise<Page<StoredSchema>>

  /**
   * The page of a schema, or of all attestations, as JSON text: `rowsJson` is an array of objects with exactly the
   * members of `attestationMembers`. The one answer that the store makes as text: docs/adr/0016 has its figure.
   */
  listAttestationSummaries(
    schema: RecordKey | null,
    page: PageRequest,
  ): Promise<{ readonly total: number; readonly rowsJson: string }>
  addressStatistics(address: Address): Promise<AddressStatistics>

  /** The records of up to 100 keys, in the order of the keys; null for each that is not indexed. */
  findSchemas(keys: readonly RecordKey[]): Promise<readonly (StoredSchema | null)[]>
  findAttestations(
    keys: readonly RecordKey[],
    fields: AttestationFields,
  ): Promise<readonly (StoredAttestation | null)[]>

  /**
   * The status of up to 10,000 attestations at a time, in the order of the keys, and the chains in the same state of
   * the index.
   */
  findStatuses(keys: readonly RecordKey[], now: number): Promise<AttestationStatuses>

  /**
   * The newest attestations by different attesters that make each of up to 10,000 addresses a holder, at most
   * `attestersMin` of them, in the order of the addresses. The list is empty for an address that holds nothing. It is
   * null if the limit was spent on attestations that do not count.
   */
  findHoldings(request: HoldingsRequest, turn?: TakeTurn): Promise<readonly (readonly StoredKey[] | null)[]>

  /**
   * A slice of the attestations that pass a filter, walked from a row on: its cost depends on the rows passed over,
   * never on how far from the beginning the slice is. A filter that leaves out very many rows ends early, with
   * `scannedTo` set.
   */
  sliceAttestations(
    request: SliceRequest<AttestationFilter>,
    fields: AttestationFields,
    turn?: TakeTurn,
  ): Promise<Slice<StoredAttestation>>
  sliceSchemas(request: SliceRequest<SchemaFilter>, turn?: TakeTurn): Promise<Slice<StoredSchema>>

  /**
   * The exact number of attestations that pass a filter. Immediate for the counts that the writer keeps:
   * - everything, a schema, an attester or a recipient, also on a chain or under a schema, with or without a time range;
   * - a chain, a protocol, revoked or not, without a time range.
   *
   * Other filters count rows in steps, between which other reads go on.
   * @throws StoreTooMuchWorkError if counting takes longer than the reader's budget.
   */
  countAttestations(filter: AttestationFilter, turn?: TakeTurn): Promise<number>
  countSchemas(filter: SchemaFilter, turn?: TakeTurn): Promise<number>

  /**
   * The exact numbers of attestations that pass a filter, grouped by a key. The writer keeps counters for:
   * - `schema`, `attester`, `recipient`, `chain`, `protocol`, `revoked`, `day` and `month` of everything;
   * - days of a schema or an address, attesters of a schema, chains and schemas of an address.
   *
   * Other groups count rows, like `countAttestations`.
   * @throws StoreTooMuchWorkError if counting takes longer than the reader's budget, or there are more keys than the
   * budget holds.
   */
  groupAttestations(request: GroupsRequest, turn?: TakeTurn): Promise<AttestationGroups>

  /** Attesters of a schema with their counts, most first, then by address; and how many there are. */
  listTopAttesters(
    schema: RecordKey,
    limit: number,
  ): Promise<SearchGroup<{ readonly address: Address; readonly count: number }>>

  /** Counts by UTC day from the writer's counters, oldest first, only days with something in them. */
  listActivity(subject: ActivitySubject, span?: DaySpan): Promise<readonly ActivityDay[]>

  /** Totals of the whole index by chain and protocol. */
  listTotals(): Promise<readonly ProtocolTotals[]>

  /** The same by UTC day; only days with something in them. */
  listProtocolDays(span?: DaySpan): Promise<readonly ProtocolDay[]>

  /** The portals or modules of a protocol on a chain whose registration is indexed, each once, in no order. */
  listRegistered(
    chainId: ChainId,
    protocol: ProtocolName,
    of: RegisteredKind,
  ): Promise<readonly StoredRegistration[]>

  /** For these keys, in their order; null for each that is not indexed. */
  findAttestationOrigins(keys: readonly RecordKey[]): Promise<readonly (AttestationOrigin | null)[]>

  /** The blocks in which schemas were registered, as above. */
  findSchemaBlocks(keys: readonly RecordKey[]): Promise<readonly (number | null)[]>

  /** Off-chain anchors that an account is known to have made, by chain and then by the name of their event. */
  listAnchorCounts(account: Address): Promise<readonly AnchorCount[]>

  /** A slice of the off-chain anchors that pass a filter, as slices of attestations are. */
  sliceAnchors(request: SliceRequest<AnchorFilter>): Promise<Slice<StoredAnchor>>

  /** A page of the off-chain anchors that pass a filter, newest first; found as pages of attestations are. */
  listAnchors(filter: AnchorFilter, page: PageRequest, turn?: TakeTurn): Promise<Page<StoredAnchor>>

  /**
   * The records that a transaction made and revoked; null if none of them is indexed. `chainId` chooses between chains
   * that the same transaction was sent to; null: the first of them by number.
   */
  findTransaction(hash: Hash, chainId: ChainId | null): Promise<StoredTransaction | null>

  /** An indexed block of a chain that the index remembers (the newest ones); null for every other. */
  findBlock(chainId: ChainId, wanted: WantedBlock): Promise<IndexedBlock | null>

  /** The place of a block on its chain; null if the chain is not indexed. */
  locateBlock(chainId: ChainId, number: number): Promise<BlockLocation | null>

  /** The last block of a chain by a time, in Unix seconds. */
  findBlockAt(chainId: ChainId, timestamp: number): Promise<BlockAtTime>

  /** Every chain that the index knows, by chain id. */
  listChains(): Promise<readonly ChainOverview[]>
  close(): Promise<void>
}

/** The read contract of the store: all that the API may ask. The reads below know only the newest state. */
export interface IndexReader extends PastReader, ProjectedReads {
  /**
   * The reads of `PastReader` as of a moment, over the connections of this reader: closing one closes both. Blocks,
   * chains, anchors and listings of a keyword are those of the newest state. An agent with very many versions is refused
   * with a `StoreTooMuchWorkError`.
   */
  asOf(moment: AsOf): PastReader

  /** By `attestationCount`, most first; ties by earlier registration, then chain id, block, log index, ascending. */
  listTopSchemas(limit: number): Promise<readonly StoredSchema[]>

  /** By the score of docs/api.md, "Order"; schemas without attestations in the last 168 hours are left out. */
  listTrendingSchemas(limit: number): Promise<readonly StoredSchema[]>

  /** The best schemas for a keyword, and how many there are. */
  searchSchemas(keyword: ClassifiedKeyword, limit: number): Promise<SearchGroup<StoredSchema>>
  searchAttestations(
    keyword: ClassifiedKeyword,
    limit: number,
    turn?: TakeTurn,
  ): Promise<SearchGroup<StoredAttestation>>

  /** Addresses that are a registrant, attester or recipient of something indexed. */
  searchAddresses(
    keyword: ClassifiedKeyword,
    limit: number,
  ): Promise<SearchGroup<AddressStatistics & { readonly address: Address }>>

  /**
   * Indexed fields that have the keyword as a value, with most attestations first; of the 1,000 schemas with most
   * attestations, and of at most 4,000 fields.
   */
  searchValues(keyword: ClassifiedKeyword, limit: number): Promise<SearchGroup<FoundValue>>

  /** Whether each of up to 10,000 records is indexed, in their order. One look-up serves all clients that wait. */
  findPresent(wanted: readonly WantedRecord[]): Promise<readonly boolean[]>

  /**
   * The digest of a chain at a block, or at its newest one where `block` is null; null if the chain is not indexed.
   * The cost depends neither on the size of the index nor on the age of the block.
   */
  findDigest(chainId: ChainId, block: number | null): Promise<StoredDigest | null>

  /**
   * The location of a record's event, for its proof; null if the record is not indexed, or has no event of the kind.
   */
  findEvent(key: RecordKey, event: ProvenEvent): Promise<ProvableEvent | null>

  /**
   * The whole index as lines of NDJSON in a stable order, without line ends; see docs/grow.md. Two indexes of the
   * same blocks export the same lines, but for what depends on when the chains were read, which `times: false` leaves
   * out.
   */
  exportLines(options?: ExportOptions): AsyncIterable<string>
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
