import type { ChainId, RecordKey } from '../model/compositeId.ts'
import type { MetadataKind } from '../model/domainEvent.ts'
import type { FieldCondition } from '../model/fieldCondition.ts'
import type { Address, Hash, Hex } from '../model/hex.ts'
import type { JsonFragment } from '../model/recordJson.ts'
import type { ProvableEvent, ProvenEvent } from '../model/recordProof.ts'
import type { IndexedContract } from '../model/indexedContract.ts'
import type { ProtocolName } from '../model/records.ts'
import type {
  AttestationFields,
  ChainDigest,
  Page,
  PageRequest,
  SearchGroup,
  StoredAttestation,
  StoredSchema,
} from './indexReader.ts'

/**
 * The read contract beyond the published endpoints: filters, cursors, batches and series. What `indexReader.ts` says of
 * snapshots and errors holds here too.
 */
export interface IndexQueries {
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
   * The newest attestation of each of up to 10,000 addresses that makes it a holder, in the order of the addresses;
   * null for each that holds none.
   * @throws StoreTooMuchWorkError where very many attestations that do not count stand before those that do; its fact
   * `address` is an address with so many.
   */
  findHoldings(request: HoldingsRequest): Promise<readonly (RecordKey | null)[]>

  /**
   * A slice of the attestations that pass a filter, walked from a row on: its cost depends on the rows passed over,
   * never on how far from the beginning the slice is. A filter that leaves out very many rows ends early, with
   * `scannedTo` set.
   */
  sliceAttestations(
    request: SliceRequest<AttestationFilter>,
    fields: AttestationFields,
  ): Promise<Slice<StoredAttestation>>
  sliceSchemas(request: SliceRequest<SchemaFilter>): Promise<Slice<StoredSchema>>
  /**
   * A page of the attestations that fulfil one condition on a field, under a schema, on a chain, or all; other members
   * of the filter must be empty. Any page costs as much as the first. Null where the index does not keep the matches
   * as lists.
   */
  listAttestationsOfField(
    filter: AttestationFilter,
    page: PageRequest,
    fields: AttestationFields,
  ): Promise<Page<StoredAttestation> | null>
  /**
   * How many attestations pass a filter, exactly. Immediate where the writer counts it: nothing or a schema, an
   * attester or a recipient, or one of these on a chain or under a schema, with or without a range of time; a chain, a
   * protocol, revoked or not, without one. Else rows are counted in steps between which other reads go on.
   * @throws StoreTooMuchWorkError when that takes longer than the reader's budget.
   */
  countAttestations(filter: AttestationFilter): Promise<number>
  countSchemas(filter: SchemaFilter): Promise<number>

  /**
   * Attestations that pass a filter by a key, exactly. From the writer's counters where these tell it: `schema`,
   * `attester`, `recipient`, `chain`, `protocol`, `revoked`, `day` and `month` of everything; days of a schema or an
   * address; attesters of a schema; chains and schemas of an address. Else rows are counted, as for
   * `countAttestations`.
   * @throws StoreTooMuchWorkError when that takes longer than the reader's budget, or there are more keys than it
   * holds.
   */
  groupAttestations(request: GroupsRequest): Promise<AttestationGroups>

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
  /** How many off-chain anchors pass a filter, exactly and at once. */
  countAnchors(filter: AnchorFilter): Promise<number>

  /**
   * What a transaction made and revoked; null where nothing of it is indexed. `chainId` chooses between chains that the
   * same transaction was sent to; null: the first of them by number.
   */
  findTransaction(hash: Hash, chainId: ChainId | null): Promise<StoredTransaction | null>
  /** Which of up to 10,000 records are indexed, in their order: the one look-up for all clients that wait. */
  findPresent(wanted: readonly WantedRecord[]): Promise<readonly boolean[]>

  /**
   * The digest of a chain at a block, or at its newest one where `block` is null; null where the chain is not indexed.
   * The cost depends neither on the size of the index nor on the age of the block.
   */
  findDigest(chainId: ChainId, block: number | null): Promise<StoredDigest | null>
  /**
   * Where an event of a record stands, for its proof; null where the record is not indexed, or has no event of the
   * kind.
   */
  findEvent(key: RecordKey, event: ProvenEvent): Promise<ProvableEvent | null>
}

/** What of an attestation's event and record only the interface of its protocol shows. */
export interface AttestationOrigin {
  readonly blockNumber: number
  /** null where no event revoked it. */
  readonly revokedBlockNumber: number | null
  /** As `Attestation` has them. */
  readonly contractVersion: number | null
  readonly subject: Hex | null
}

export type RegisteredKind = Exclude<MetadataKind, 'schemaContext'>

/** A portal or module; `body` is its metadata, as `MetadataKind` says. */
export interface StoredRegistration {
  readonly address: Address
  readonly body: string
}

/** What a transaction did, each in the order of the chain. */
export interface StoredTransaction {
  readonly chainId: ChainId
  readonly blockNumber: number
  readonly schemas: readonly StoredSchema[]
  /** Without detail and schema. */
  readonly attestations: readonly StoredAttestation[]
  readonly revocations: readonly RecordKey[]
}

/** A record, or a transaction of which something is indexed, on whatever chain. */
export type WantedRecord =
  | { readonly kind: 'attestation' | 'schema'; readonly key: RecordKey }
  | { readonly kind: 'transaction'; readonly hash: Hash }

/** Whether an attestation still says what it said; `revoked` goes before `expired`. */
export type AttestationStatus = 'valid' | 'revoked' | 'expired'

export interface AttestationStatuses {
  /** null for each key that is not indexed. */
  readonly statuses: readonly (AttestationStatus | null)[]
  readonly chains: readonly IndexedUpTo[]
}

/** How far a chain is indexed. */
export interface IndexedUpTo {
  readonly chainId: ChainId
  /**
   * The newest block whose events are indexed, and its time in Unix seconds; null before any is, or while the time is
   * not known.
   */
  readonly indexedBlock: number | null
  readonly indexedTimestamp: number | null
}

/** What an address has to have received in order to be a holder: an attestation under a schema, valid at a time. */
export interface Holding {
  readonly schema: RecordKey
  /** Who made the attestation; null: anyone. */
  readonly attester: Address | null
  readonly valid: ValidAt
}

/**
 * `now`: neither revoked nor expired, by the clock of the server. `then`: made by then, not expired and not revoked
 * then. In Unix seconds. They differ where the clock of a chain is ahead of the server's.
 */
export interface ValidAt {
  readonly kind: 'now' | 'then'
  readonly at: number
}

export interface HoldingsRequest extends Holding {
  readonly addresses: readonly Address[]
}

/** By what attestations are grouped. */
export const groupNames = [
  'schema',
  'attester',
  'recipient',
  'chain',
  'protocol',
  'revoked',
  'day',
  'month',
] as const
export type GroupName = (typeof groupNames)[number]

/** `path`: by the values of a decoded field of the schema that the filter names. */
export type GroupBy = GroupName | { readonly path: readonly string[] }

/** Groups on pages: no page reaches beyond this many of them. */
export const groupDepthMax = 100_000

export interface GroupsRequest {
  readonly by: GroupBy
  readonly filter: AttestationFilter
  /** From 1. */
  readonly page: number
  readonly size: number
}

export interface AttestationGroups {
  /** Attestations that pass the filter. */
  readonly total: number
  /** Keys that there are, on whatever page. */
  readonly groups: number
  /**
   * The page: by count, greatest first, then by key; days and months newest first. Empty beyond `groupDepthMax` groups.
   */
  readonly rows: readonly AttestationGroup[]
}

/**
 * An attestation counts once under each of its distinct keys. Keys are composite ids, checksummed addresses, numbers of
 * chains, names of protocols, `true` and `false`, `2024-06-10`, `2024-06`. A recipient that is no address is a text as
 * `valueMatchKey` has it. Values of fields are as payloads print them. Addresses are ordered without regard to case,
 * other keys by their code units.
 */
export interface AttestationGroup {
  readonly key: string
  /** Of a group by schema. */
  readonly protocol?: string
  readonly count: number
}

/** UTC days as days since the epoch: from one on, and before another; null where that end is open. */
export interface DaySpan {
  readonly from: number | null
  readonly before: number | null
}

export const everyDay: DaySpan = { from: null, before: null }

/** Where a row stands in the order of listings. Cursors of the API are made of these. */
export interface RowPlace {
  /** `attestTimestamp` or `registerTimestamp`. */
  readonly timestamp: number
  readonly chainId: ChainId
  /** See model/position.ts. */
  readonly position: number
}

/** Null members do not narrow; the others combine (and). Times are Unix seconds. */
export interface AttestationFilter {
  readonly schema: RecordKey | null
  readonly attester: Address | null
  /** An address, or the text of a recipient that is none (`did:…`); text that is an address is read as one. */
  readonly recipient:
    | { readonly kind: 'address'; readonly address: Address }
    | { readonly kind: 'value'; readonly value: string }
    | null
  readonly chainId: ChainId | null
  readonly protocol: string | null
  readonly revoked: boolean | null
  /** Expired (or not) at a time: `validUntil` is not 0 and not after it. */
  readonly expired: { readonly at: number; readonly is: boolean } | null
  /** Made by then, not expired and not revoked then. */
  readonly validAt: number | null
  /** `attestTimestamp` at or after. */
  readonly attestedFrom: number | null
  /** `attestTimestamp` before. */
  readonly attestedBefore: number | null
  /** Refers to one of these. */
  readonly linkedAttestations: readonly RecordKey[] | null
  /** A recipient is a holder, by the clock of the server. */
  readonly recipientHolds: Holding | null
  /** The attester is a holder. */
  readonly attesterHolds: Holding | null
  /** Compared by `valueMatchKey`. */
  readonly indexingValue: string | null
  readonly dataLocation: string | null
  readonly portal: Address | null
  /** All must hold. A payload that cannot be decoded fulfils none. */
  readonly fields: readonly FieldCondition[]
}

/** The filter that every attestation passes. */
export const everyAttestation: AttestationFilter = {
  schema: null,
  attester: null,
  recipient: null,
  chainId: null,
  protocol: null,
  revoked: null,
  expired: null,
  validAt: null,
  attestedFrom: null,
  attestedBefore: null,
  linkedAttestations: null,
  recipientHolds: null,
  attesterHolds: null,
  indexingValue: null,
  dataLocation: null,
  portal: null,
  fields: [],
}

export interface SchemaFilter {
  readonly registrant: Address | null
  readonly resolver: Address | null
  readonly chainId: ChainId | null
  readonly protocol: string | null
  readonly revocable: boolean | null
  readonly registeredFrom: number | null
  readonly registeredBefore: number | null
}

/** The filter that every schema passes. */
export const everySchema: SchemaFilter = {
  registrant: null,
  resolver: null,
  chainId: null,
  protocol: null,
  revocable: null,
  registeredFrom: null,
  registeredBefore: null,
}

export interface SliceRequest<Filter> {
  readonly filter: Filter
  /** The order of the rows of the answer. */
  readonly order: 'newestFirst' | 'oldestFirst'
  /** Rows strictly behind this one in the order; null: from the beginning. */
  readonly after: RowPlace | null
  /** At most 1,000. */
  readonly limit: number
}

export interface Slice<Row> {
  readonly rows: readonly (Row & { readonly place: RowPlace })[]
  /** Whether more rows may follow. */
  readonly hasMore: boolean
  /** Where to go on when the walk ended early: no row between the last one and here passes the filter. */
  readonly scannedTo: RowPlace | null
}

/** One slice of the rows of several, which begin at the same place and share no row. */
export function mergeSlices<Row>(
  slices: readonly Slice<Row>[],
  { order, limit }: Pick<SliceRequest<never>, 'order' | 'limit'>,
): Slice<Row> {
  const [only, ...others] = slices
  if (only !== undefined && others.length === 0) return only
  const compare = (a: RowPlace, b: RowPlace) => {
    const ascending = a.timestamp - b.timestamp || a.chainId - b.chainId || a.position - b.position
    return order === 'newestFirst' ? -ascending : ascending
  }
  // Behind the place that one slice has reached, its rows are missing.
  const [reached] = slices
    .filter(({ hasMore }) => hasMore)
    .flatMap(({ rows, scannedTo }) => scannedTo ?? rows.at(-1)?.place ?? [])
    .sort(compare)
  const rows = slices
    .flatMap((slice) => slice.rows)
    .filter(({ place }) => reached === undefined || compare(place, reached) <= 0)
    .sort((a, b) => compare(a.place, b.place))
  if (rows.length > limit) return { rows: rows.slice(0, limit), hasMore: true, scannedTo: null }
  return { rows, hasMore: reached !== undefined, scannedTo: reached ?? null }
}

export type ActivitySubject =
  | { readonly kind: 'everything' }
  | { readonly kind: 'schema'; readonly key: RecordKey }
  | { readonly kind: 'address'; readonly address: Address }

/**
 * What happened on one UTC day. Of a schema, `schemas` and `received` are 0; of an address, `attestations` are those it
 * made.
 */
export interface ActivityDay {
  /** Days since the epoch. */
  readonly day: number
  readonly attestations: number
  readonly received: number
  readonly schemas: number
}

/** Null members do not narrow; the others combine (and). */
export interface AnchorFilter {
  /** A hash in any case; any other text exactly. */
  readonly value: string | null
  /** The event's name in its contract. */
  readonly kind: string | null
  readonly account: Address | null
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

/** What a protocol recorded on a chain on one UTC day. In lists: by chain, protocol and day. */
export interface ProtocolDay {
  readonly chainId: ChainId
  readonly protocol: string
  /** Days since the epoch. */
  readonly day: number
  readonly schemas: number
  readonly attestations: number
}

/** The journal of what changed in the index, in the order in which it did: what live readers follow. */
export interface ChangeJournal {
  /** The place behind everything that has changed so far. */
  newestChange(): Promise<ChangePlace>
  /**
   * Up to `limit` changes behind a place, oldest first. The journal is bounded: where what stands behind the place is
   * no longer known, or was too much to be listed, the one answer is a `reset` at the newest place. Records are told of
   * as they are now; one that has been taken back since is passed over where it was made, and told of where it was
   * taken back.
   */
  listChanges(after: ChangePlace, limit: number): Promise<ChangeSlice>
}

/** Where a change stands in the journal: by `sequence`, then by `offset`. Both are whole numbers from 0 to 2^53 - 1. */
export interface ChangePlace {
  readonly sequence: number
  readonly offset: number
}

export interface ChangeSlice {
  readonly changes: readonly Change[]
  /** Where to go on. */
  readonly next: ChangePlace
  /** Whether more changes may follow already. */
  readonly hasMore: boolean
}

export type Change =
  | {
      /** An attestation was made, or revoked. */
      readonly kind: 'attestation' | 'revocation'
      readonly place: ChangePlace
      /** With its detail and its schema. */
      readonly attestation: StoredAttestation
    }
  | { readonly kind: 'schema'; readonly place: ChangePlace; readonly schema: StoredSchema }
  | {
      /** An off-chain anchor was made, or a reorganisation took one back. */
      readonly kind: 'anchor' | 'revertedAnchor'
      readonly place: ChangePlace
      readonly anchor: StoredAnchor
    }
  | {
      /** A reorganisation took back a record or the revocation of one, whose summary this is. */
      readonly kind: 'reverted'
      readonly place: ChangePlace
      readonly record: 'attestation' | 'schema' | 'revocation'
      /** Null where an earlier release noted the change. */
      readonly protocol: ProtocolName | null
      readonly summaryJson: JsonFragment
    }
  /** Changes are missing here: who follows the index has to read anew what it keeps. */
  | { readonly kind: 'reset'; readonly place: ChangePlace }

/** The digest of a chain at a block, with the events of that block. */
export interface StoredDigest {
  readonly newest: ChainDigest
  /** At the block that was asked for; null where no block is indexed, or that block is above the newest digest. */
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
  /** The record that the event makes, revokes or names; null where it does none of these. */
  readonly record: RecordKey | null
  /** The digest of this event alone. */
  readonly value: Hash
}
