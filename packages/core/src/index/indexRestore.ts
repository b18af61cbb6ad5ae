import type { RememberedBlock } from '../model/chainState.ts'
import type { ChainId } from '../model/compositeId.ts'
import type { DomainEvent } from '../model/domainEvent.ts'
import type { Position } from '../model/position.ts'
import type { UnixMilliseconds } from '../model/time.ts'
import type { FieldIndexing } from './fieldIndexing.ts'
import type { ChainIdentity, Checkpoint } from './indexWriter.ts'

/**
 * Fills an empty store with what an export or chunks tell. Events are loaded first; lists, counters and trees are built
 * of their rows at the end. Nothing of it can be seen before `finish`, which makes all of it durable at once. After
 * `abandon`, or if the process dies, the store is as it was.
 */
export interface IndexRestore {
  /** Makes a chain known. Its events follow, then its `closeChain`, before the next chain. */
  openChain(identity: ChainIdentity): Promise<void>
  /**
   * Applies the next events of the chain, ascending by position, as `IndexWriter.applyBlocks` would.
   * @param digests those of the chain after these events, if the caller has made them; it answers for them.
   * @throws StoreInvariantError when they are out of order, or an id is taken.
   */
  applyEvents(chainId: ChainId, events: readonly StoredEvent[], digests?: MovedDigest): Promise<void>
  /** Puts the chain's progress in place, once its last event is there. */
  closeChain(chainId: ChainId, progress: ChainProgress): Promise<void>
  /** The export of what has been restored: what is left out of a header or told wrongly by a line shows in it. */
  exportLines(options: { readonly program: string }): AsyncIterable<string>
  finish(): Promise<void>
  abandon(): Promise<void>
}

/** The digest of a chain's events up to and including a block, to which further events are added. */
export interface RunningDigest {
  /** Null: of no block. */
  readonly block: number | null
  readonly events: number
  /** The sum of the hashes of the events. */
  readonly sum: Uint8Array
}

/** A digest after further events, and those on the way to it that are kept. */
export interface MovedDigest {
  readonly digest: RunningDigest
  readonly marks: readonly (RunningDigest & { readonly block: number })[]
}

export interface RestoreSettings {
  /** The indexing of decoded fields; by default no fields are indexed. */
  readonly fields?: FieldIndexing
  /**
   * Whether nobody reads during the restore. If so, indexes are made after all rows in PostgreSQL too, and reads of its
   * tables wait until the end.
   */
  readonly isAlone?: boolean
}

/** A domain event as a store keeps it, with what the store added. */
export interface StoredEvent {
  readonly event: DomainEvent
  /** When it was stored; null for the kinds of which no time is kept. */
  readonly storedAt: UnixMilliseconds | null
  /**
   * The settlement of the claim that an attestation was born revoked: the block that settled it, and when that was
   * stored. Null for an event without a settled claim.
   */
  readonly settled: { readonly block: number; readonly storedAt: UnixMilliseconds } | null
  /** The revocation of a revoked attestation: its time and event. `position` is null if it was born revoked. */
  readonly revocation: { readonly timestamp: bigint; readonly position: Position | null } | null
}

/** The progress of a chain's indexing. */
export interface ChainProgress {
  readonly checkpoint: Checkpoint | null
  /** The block to revert to first, since contracts changed; null if no revert is needed. */
  readonly rewindTo: number | null
  /** Remembered blocks, ascending. */
  readonly recentBlocks: readonly RememberedBlock[]
}

/** Whether an attestation is revoked although no event says so. */
export function isBornRevoked({ event }: StoredEvent): boolean {
  return event.kind === 'attestationMade' && event.attestation.revocationAtRead.kind !== 'none'
}
