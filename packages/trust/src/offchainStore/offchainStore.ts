import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import type { Asker } from '@attestry/core/shares/askers.ts'
import type { WantedRecipient } from '@attestry/core/index/indexQueries.ts'

/** The store of off-chain attestations (docs/offchain.md, "The store"): signed texts that holders hand in. */

/** The signed statement, and how it came here. Strings of digits may pass 2^53. */
export interface OffchainBody {
  /** As answers show them. */
  readonly recipients: readonly string[]
  readonly indexingValue: string
  /** The uid or id that it refers to; empty for none. */
  readonly linked: string
  /** Unix seconds, `0` without expiry. */
  readonly validUntil: string
  readonly revocable: boolean
  /** ABI-encoded values as `0x…` (EAS), or a JSON text (Sign Protocol). */
  readonly payload: string
  /** The text as it was handed in, from which everything else follows. */
  readonly text: string
}

export interface OffchainEntry {
  readonly id: string
  readonly kind: 'attestation' | 'schema'
  readonly protocol: 'eas' | 'sign'
  /** Null where the signature names no chain. */
  readonly chainId: ChainId | null
  readonly contract: Address | null
  /** The uid, or the id itself. */
  readonly localId: string
  readonly signer: Address
  /** The id of its schema as `OffchainFilter` names it; null for a schema. */
  readonly schemaId: string | null
  /** Unix seconds: the time that the signer claims, or the time of storing where nothing is claimed. */
  readonly madeAt: number
  /** Milliseconds since the epoch. */
  readonly storedAt: number
  /** The name of the key by which it was stored. */
  readonly storedBy: string
  /** The identifier of its text on IPFS. */
  readonly contentId: string
  readonly body: OffchainBody
  /** The signed revocation of Sign Protocol; EAS's stand on chain. */
  readonly revocation: OffchainRevocation | null
}

export interface OffchainRevocation {
  /** Unix seconds of its storing: nothing in it says when it was signed. */
  readonly timestamp: number
  readonly reason: string
  readonly text: string
}

/** The remains of an entry that an operator deleted. */
export interface Tombstone {
  readonly id: string
  readonly signer: Address
  readonly contract: Address | null
  /** Milliseconds since the epoch. */
  readonly deletedAt: number
  readonly reason: string
}

export interface StoredOffchain extends OffchainEntry {
  /** Grows with each entry; with `madeAt` the order of listings. */
  readonly sequence: number
}

/** An entry as rows of listings show it: without what was signed, which may be long. */
export interface OffchainHead extends Omit<StoredOffchain, 'body' | 'revocation'> {
  readonly body: Omit<OffchainBody, 'payload' | 'text'>
  /** The bytes of the whole body. */
  readonly bytes: number
}

/** How much may be stored within a day (UTC). */
export interface OffchainQuota {
  /** Entries of a key; clients without a key share as many. */
  readonly key: number
  /** Entries of an account as signer. */
  readonly address: number
  /** Bytes of the texts of all, of which each key, and each client without one, has a share. */
  readonly bytes: number
}

/** Within what somebody stores. */
export interface OffchainAllowance {
  readonly quota: OffchainQuota
  readonly asker: Asker
}

/** Whose quota does not suffice: `all` is what clients share. */
export interface OverQuota {
  readonly kind: 'overQuota'
  readonly of: 'key' | 'address' | 'client' | 'all'
  readonly unit: 'entries' | 'bytes'
  /** The quota, of which a client may have only a share. */
  readonly max: number
}

export type AddOutcome =
  /** `known`: the same statement of the same signer was there, and stays as it is. */
  | { readonly kind: 'added' | 'known'; readonly entry: StoredOffchain }
  | { readonly kind: 'deleted'; readonly tombstone: Tombstone }
  | OverQuota

/** Null members do not narrow; the others combine (and). Times are Unix seconds. */
export interface OffchainFilter {
  readonly kind: OffchainEntry['kind']
  readonly protocol: string | null
  readonly chainId: ChainId | null
  readonly signer: Address | null
  /** `onchain_evm_<chain>_0x…` (EAS) or `SPS_…`. */
  readonly schemaId: string | null
  readonly recipient: WantedRecipient | null
  readonly indexingValue: string | null
  /** Uids or ids that entries refer to. */
  readonly linked: readonly string[] | null
  /** Uids of EAS, and ids of all. */
  readonly localIds: readonly string[] | null
  readonly expired: { readonly at: number; readonly is: boolean } | null
  /** `onChain`: sequences of the entries whose revocations only a chain has. */
  readonly revoked: { readonly is: boolean; readonly onChain: readonly number[] } | null
  readonly madeFrom: number | null
  readonly madeBefore: number | null
}

export const everyOffchain: OffchainFilter = {
  kind: 'attestation',
  protocol: null,
  chainId: null,
  signer: null,
  schemaId: null,
  recipient: null,
  indexingValue: null,
  linked: null,
  localIds: null,
  expired: null,
  revoked: null,
  madeFrom: null,
  madeBefore: null,
}

/** The members by which a chain names a statement. */
export type StatementName = Pick<OffchainEntry, 'localId' | 'signer'> & {
  readonly chainId: ChainId
  readonly protocol: string
}

/** The place of an entry in the order: by time, then by sequence. */
export interface OffchainPlace {
  readonly madeAt: number
  readonly sequence: number
}

/** The place of an entry, with the bytes that are read for its row, and those that the row holds. */
export interface OffchainLengths extends OffchainPlace {
  readonly bytes: number
  readonly heldBytes: number
}

export interface OffchainSlice {
  readonly filter: OffchainFilter
  readonly order: 'newestFirst' | 'oldestFirst'
  /** Only entries after this one in the order; null: from the beginning. */
  readonly after: OffchainPlace | null
  readonly limit: number
  /** Number of entries that are skipped after `after`; 0 by default. */
  readonly skip?: number
}

/** Bytes of statements after which a slice ends early. */
export const sliceBytesMax = 4 * 1024 * 1024

/**
 * The store of one database, beside the index. Its statements do not come from a chain, so none of them is counted,
 * digested or verified with the index. Several processes may write. Rejects with StoreUnavailableError.
 */
export interface OffchainStore {
  /** Adds an entry; within one transaction, its quotas are held. `allowance` null: without any. */
  add(entry: OffchainEntry, allowance: OffchainAllowance | null): Promise<AddOutcome>
  /** Keeps the first revocation of an entry, within the quotas of bytes; null if they suffice. */
  revoke(
    id: string,
    revocation: OffchainRevocation,
    allowance: OffchainAllowance | null,
  ): Promise<OverQuota | null>
  /**
   * Empties the entries with an id, of one signer or of all, and keeps tombstones. Returns how many there were.
   */
  remove(id: string, reason: string, nowMs: number, signer?: Address | null): Promise<number>
  /** The accounts whose statements have an id, without deleted ones, ascending. */
  signersOf(id: string): Promise<readonly Address[]>
  /** Keeps a tombstone of another store; an entry of the same statement is emptied. */
  bury(tombstone: Tombstone): Promise<void>
  /**
   * The first entry with an id, of one signer or of all, and a tombstone only if nothing else has the id. Two accounts
   * who sign the same words share an id.
   */
  find(id: string, signer?: Address | null): Promise<StoredOffchain | Tombstone | null>
  /** The sequences of those statements that are here. */
  findSequences(names: readonly StatementName[]): Promise<readonly number[]>
  count(filter: OffchainFilter): Promise<number>
  /** Whole entries; `isCut`: the slice ended early, because of their length. The first entry is always in it. */
  slice(
    request: OffchainSlice,
  ): Promise<{ readonly entries: readonly StoredOffchain[]; readonly isCut: boolean }>
  /** The places of a slice, with the lengths of their heads: what a listing needs to know before it reads rows. */
  slicePlaces(request: OffchainSlice): Promise<readonly OffchainLengths[]>
  /** The heads at these places by sequence, without those that were deleted meanwhile. */
  readHeads(places: readonly OffchainLengths[]): Promise<ReadonlyMap<number, OffchainHead>>
  /** The entry with a sequence; null if it was deleted. */
  read(sequence: number): Promise<StoredOffchain | null>
  /** All entries and tombstones in the order of their storing. */
  list(): AsyncIterable<StoredOffchain | Tombstone>
  close(): Promise<void>
}

export function isTombstone(found: StoredOffchain | Tombstone): found is Tombstone {
  return 'deletedAt' in found
}
