import type { ChainId, LocalId, RecordKey } from '../model/compositeId.ts'
import type { ContentTexts } from '../model/contentTexts.ts'
import { didAddress } from '../model/didAddress.ts'
import type { MetadataKind } from '../model/domainEvent.ts'
import type { FieldCondition } from '../model/fieldCondition.ts'
import { parseAddress, type Address, type Hash } from '../model/hex.ts'
import type { ClassifiedKeyword } from '../model/keyword.ts'
import type { ProtocolName } from '../model/records.ts'
import type { RowPlace, StoredAnchor, StoredAttestation, StoredKey, StoredSchema } from './storedRecords.ts'

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

/** A value of a field of a schema that a keyword is. */
export interface FoundValue {
  /** The schema. */
  readonly key: StoredKey
  readonly schemaName: string
  /** As `fieldPathText` writes it. */
  readonly path: string
  /** As `include=decoded` prints it. */
  readonly value: string
  /** Attestations that have it, valid or not. */
  readonly attestationCount: number
}

/** Most rows that are passed over on the way to a page that is not found by rank. */
export const passedOverMax = 10_000

/** The records to list: those that pass a filter, match a keyword, or were made or received by an address. */
export type AttestationListing =
  | { readonly filter: AttestationFilter }
  | { readonly keyword: ClassifiedKeyword; readonly schema: RecordKey | null }
  | AddressListing

export type SchemaListing = { readonly filter: SchemaFilter } | { readonly keyword: ClassifiedKeyword }

export interface AddressListing {
  readonly address: Address
  readonly role: 'created' | 'received' | 'either'
  /** Only what this account made. */
  readonly attester: Address | null
  readonly chainId: ChainId | null
  /** A schema on one chain (`key`), or of that local id on every chain (`localId`); null: of any schema. */
  readonly schema:
    | { readonly kind: 'key'; readonly key: RecordKey }
    | { readonly kind: 'localId'; readonly localId: LocalId; readonly protocol?: ProtocolName | null }
    | null
}

export type RegisteredKind = Exclude<MetadataKind, 'schemaContext'>

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

/** A block of a chain whose events are indexed. */
export interface IndexedBlock {
  readonly number: number
  readonly hash: Hash
  /** Unix seconds. */
  readonly timestamp: number
}

export type WantedBlock = 'newest' | { readonly number: number } | { readonly hash: Hash }

/**
 * A moment of the past, for the answers of an index that had stopped there, times of storing aside. The times of the
 * blocks of a chain never fall.
 */
export interface AsOf {
  /** The last block of each chain that counts. A chain that is left out does not count at all. */
  readonly blocks: ReadonlyMap<ChainId, AsOfBlock>
  /**
   * Unix seconds, by which things expire: the time of the block, or a time at which the blocks are the newest of their
   * chains. Null for one block whose time is not known; whatever asks for the clock then has to bring its own.
   */
  readonly at: number | null
  /** Makes the error of a read that depends on claims of revocations around a block whose time is not known. */
  readonly timeUnknown?: () => Error
}

/** The last block of a chain that counts: its number (-1 for none), and its time in Unix seconds (null if not known). */
export interface AsOfBlock {
  readonly number: number
  readonly timestamp: number | null
}

/** The answer to a look-up of a block by its number. */
export interface BlockLocation {
  /** The newest indexed block of its chain; null before any is. */
  readonly indexedBlock: number | null
  /** The block, where the index remembers it. */
  readonly block: IndexedBlock | null
  /** Between which times the block lies, in Unix seconds; null if nothing older or newer is known. */
  readonly from: number | null
  readonly to: number | null
}

/** The answer to a look-up of the last block of a chain at or before a time. */
export interface BlockAtTime {
  /** The newest known block at or before the time; null if every known block is newer. */
  readonly block: { readonly number: number; readonly timestamp: number } | null
  /** The oldest known block after the time. */
  readonly next: { readonly number: number; readonly timestamp: number } | null
  /** Whether nothing that is indexed lies in blocks between the two, whose times are not known. */
  readonly isExact: boolean
}

/** The condition for an address to be a holder: it received an attestation under a schema that is valid at a time. */
export interface Holding {
  readonly schema: RecordKey
  /** The attester; null: anyone. */
  readonly attester: Address | null
  /** 2: also an attestation of an account that holds one of `attester`; 1 by default. */
  readonly hops?: 1 | 2
  readonly valid: ValidAt
  /** How many of its newest attestations are looked at for one account; the store begins with few by default. */
  readonly looksMax?: number
}

/**
 * `now`: neither revoked nor expired, by the clock of the server. `then`: made by then, not expired and not revoked
 * then. In Unix seconds. They differ where the clock of a chain is ahead of the server's.
 */
export interface ValidAt {
  readonly kind: 'now' | 'then'
  readonly at: number
}

/**
 * Valid as of a block of the schema's chain, as if the index had stopped there. The attestation was made and not revoked
 * up to the block. It had not expired at `at`, the block's time in Unix seconds.
 */
export interface ValidAsOf {
  readonly kind: 'block'
  readonly at: number
  readonly block: number
}

export interface HoldingsRequest {
  readonly addresses: readonly Address[]
  /** The role of the addresses in the attestations. */
  readonly role: 'recipient' | 'attester'
  readonly schema: RecordKey
  /** The accepted attesters; null: anyone. */
  readonly attesters: readonly Address[] | null
  /** All must hold. A payload that cannot be decoded fulfils none. */
  readonly fields: readonly FieldCondition[]
  /** `attestTimestamp` at or after; null: at any time. */
  readonly attestedFrom: number | null
  readonly valid: ValidAt | ValidAsOf
  /** How many attesters are looked for. */
  readonly attestersMin: number
  /** The budget shared by the parts of a split request. By default the request is not split. */
  readonly whole?: HoldingsWhole
}

/** Requests for holdings that share what may be looked at. */
export interface HoldingsWhole {
  /** The addresses of all requests. */
  readonly addresses: number
  /** Attestations that may still be looked at, which each request writes; null before the first. */
  rowsLeft: number | null
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
export type GroupBy = GroupName | FieldGroupBy

export interface FieldGroupBy {
  readonly path: readonly string[]
  /** Payloads that lead to one of these contents have its values. */
  readonly contents?: ContentTexts
}

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

/** UTC days as days since the epoch: from one on, and before another; null if that end is open. */
export interface DaySpan {
  readonly from: number | null
  readonly before: number | null
}

export const everyDay: DaySpan = { from: null, before: null }

/** An address, or the text of another recipient (`did:…`). Text that is an address is read as an address. */
export type WantedRecipient =
  | { readonly kind: 'address'; readonly address: Address }
  | {
      readonly kind: 'value'
      readonly value: string
      /** An address under which records name the recipient as well. */
      readonly under?: Address
    }

/**
 * The recipient that a text of a client or operator names; null without one. Attestations of EAS name a `did:web` by its
 * address.
 */
export function recipientNamed(text: string | null): WantedRecipient | null {
  if (text === null) return null
  const address = parseAddress(text)
  if (address !== null) return { kind: 'address', address }
  const under = didAddress(text)
  return { kind: 'value', value: text, ...(under === null ? {} : { under }) }
}

/** The texts by which records name a recipient; addresses in lower case. */
export function namesOfRecipient(wanted: WantedRecipient): readonly string[] {
  if (wanted.kind === 'address') return [wanted.address]
  return wanted.under === undefined ? [wanted.value] : [wanted.value, wanted.under]
}

/** Null members do not narrow; the others combine (and). Times are Unix seconds. */
export interface AttestationFilter {
  readonly schema: RecordKey | null
  readonly attester: Address | null
  readonly recipient: WantedRecipient | null
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
  /** Revoked, by the time that the protocol tells, at or after. */
  readonly revokedFrom: number | null
  /** Revoked before. */
  readonly revokedBefore: number | null
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
  revokedFrom: null,
  revokedBefore: null,
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
  /** Rows strictly after this one in the order; null: from the beginning. */
  readonly after: RowPlace | null
  /** At most 1,000. */
  readonly limit: number
}

export interface Slice<Row> {
  readonly rows: readonly (Row & { readonly place: RowPlace })[]
  /** Whether more rows may follow. */
  readonly hasMore: boolean
  /** The place to continue from if the walk ended early. No row between the last one and here passes the filter. */
  readonly scannedTo: RowPlace | null
}

/** The place at which a walk continues after a slice; null if it made no progress. */
export function endOf(slice: Slice<unknown>): RowPlace | null {
  return slice.scannedTo ?? slice.rows.at(-1)?.place ?? null
}

export type ActivitySubject =
  | { readonly kind: 'everything' }
  | { readonly kind: 'schema'; readonly key: RecordKey }
  | { readonly kind: 'address'; readonly address: Address }

/** Null members do not narrow; the others combine (and). */
export interface AnchorFilter {
  /** A hash in any case; any other text exactly. */
  readonly value: string | null
  /** The event's name in its contract. */
  readonly kind: string | null
  readonly account: Address | null
  readonly chainId: ChainId | null
}

/** A journal in the order in which things changed, which live readers follow: by default of what changed in the index. */
export interface ChangeJournal<Item = Change> {
  /** The place after all changes so far. */
  newestChange(): Promise<ChangePlace>
  /**
   * Up to `limit` changes after a place, oldest first. The journal is bounded: if the changes after the place are no
   * longer known, or were too many to list, the only answer is a `reset` at the newest place. Records are reported as
   * they are now. A record that was reverted since is skipped where it was made, and reported where it was reverted.
   */
  listChanges(after: ChangePlace, limit: number): Promise<ChangeSlice<Item>>
}

/** The place of a change in the journal: by `sequence`, then by `offset`. Both are integers from 0 to 2^53 - 1. */
export interface ChangePlace {
  readonly sequence: number
  readonly offset: number
}

export interface ChangeSlice<Item = Change> {
  readonly changes: readonly Item[]
  /** The place to continue from. */
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
      /** A reorganisation reverted a record or the revocation of one. */
      readonly kind: 'reverted'
      readonly place: ChangePlace
      readonly record: 'attestation' | 'schema' | 'revocation'
      readonly protocol: ProtocolName
      readonly summary: RevertedSummary
    }
  /** Changes are missing here: who follows the index has to read anew what it keeps. */
  | { readonly kind: 'reset'; readonly place: ChangePlace }

/** The members of `attestationMembers` or `schemaMembers` that a record had. */
export interface RevertedSummary {
  readonly id: string
  readonly chainId: string
  readonly schemaId: string
  readonly attester?: string
  readonly recipients?: readonly string[]
}
