import type { ChainId } from '../model/compositeId.ts'
import type { IndexedContract } from '../model/indexedContract.ts'
import type { Change } from './indexQueries.ts'

/** The tables of hooks, and the reads of records that hooks make outside the journal. */

/** A row of the table of hooks. The texts are JSON of the sender and of the commands, which the store does not read. */
export interface StoredHook {
  readonly name: string
  readonly paused: boolean
  /** An order that the sender has not taken yet. */
  readonly orderJson: string | null
  /** null before the first delivery. */
  readonly stateJson: string | null
}

/** How far a hook has come. */
export interface SavedHook {
  readonly name: string
  readonly stateJson: string
  /** The order that the state follows, which is deleted unless another one has replaced it; null: none. */
  readonly takenOrderJson: string | null
}

/** An order of an operator; a member that is left out stays as it is. */
export interface HookOrder {
  readonly paused?: boolean
  readonly orderJson?: string
}

/** Reads for hooks. */
export interface HookReads {
  listHooks(): Promise<readonly StoredHook[]>
  /** How far each chain is indexed, by chain id. */
  listChainEnds(): Promise<readonly ChainEnd[]>
  /**
   * Up to about `limit` records of a chain whose events lie after one position, up to and including another, in the
   * order of the chain. `place.offset` of a change is its position. Revocations without a log, known only from reads,
   * are listed at the end of the block that settled them. Records are as they were at the second position: a later
   * revocation does not show.
   */
  listRecordsBetween(
    chainId: ChainId,
    span: SpanPlace & { readonly upTo: number },
    limit: number,
  ): Promise<RecordSlice>
  /** The position of the last record of a chain that was made before a time in Unix seconds; -1 if no record was. */
  findPositionBefore(chainId: ChainId, timestamp: number): Promise<number>
}

export interface ChainEnd {
  readonly chainId: ChainId
  /** The last position of the newest indexed block, and of the newest one that cannot change any more; -1: none. */
  readonly indexed: number
  readonly final: number
  readonly contracts: readonly IndexedContract[]
}

/** A place among the records of a chain. */
export interface SpanPlace {
  /** The position that everything follows. */
  readonly after: number
  /**
   * Set if the place is among the revocations that were settled in the block of the next position, of which there may
   * be any number. Revocations of attestations up to this position are before the place.
   */
  readonly settledAfter?: number | undefined
}

export interface RecordSlice {
  readonly changes: readonly Change[]
  /** Everything up to this place is in the slice. */
  readonly next: SpanPlace
  readonly hasMore: boolean
}
