import type {
  ChainStatus,
  ContractHistory,
  Defect,
  RememberedBlock,
  Verification,
} from '../model/chainState.ts'
import type { ChainId, LocalId } from '../model/compositeId.ts'
import type { DomainEvent } from '../model/domainEvent.ts'
import type { Address, Hex } from '../model/hex.ts'
import type { HookOrder, SavedHook } from './hookStore.ts'
import type { UnixMilliseconds } from '../model/time.ts'
import type { IndexedContract } from '../model/indexedContract.ts'
import type { Position } from '../model/position.ts'
import type { ProtocolName } from '../model/records.ts'

/** The writers that may index a chain. */
export interface ChainSurvey {
  readonly chainId: ChainId
  /** The number of these writers, including this one. */
  readonly candidates: number
  /** Whether one of them has the chain. */
  readonly isClaimed: boolean
}

/**
 * The write contract of the store. Its one caller is `sync`; one writer per chain at a time.
 *
 * Invariants that every implementation keeps, and `testing/testWriter.ts` shows of each:
 * 1. `applyBlocks` and `revertBlocks` are atomic and durable: when the promise resolves, events, counters and
 *    checkpoint are on disk together; when it rejects or the process dies, nothing is. If the caller announces that more
 *    follows, a batch may be held back for some seconds. It then reaches the disk and the readers together with the
 *    batches that follow it, or not at all.
 * 2. `revertBlocks` undoes `applyBlocks` exactly: the exported index afterwards equals that of an index that never saw
 *    the reverted blocks.
 * 3. The exported index is a function of only the applied blocks. Batch boundaries and the interleaving of chains leave
 *    no trace.
 * 4. Counters equal what counting the records would give, after every commit.
 * 5. Batches may be handed over while earlier ones are under way. They are applied in that order. A batch after a failed
 *    one is refused, like any batch that does not follow the checkpoint.
 */
export interface IndexWriter {
  /**
   * Makes this writer the only one that writes to a chain, of all that share the database. Returns false if another
   * writer has the claim. The claim ends with `releaseChain`, with the writer, or with its connection to the database.
   * A call that concerns an unclaimed chain claims it (unless it was released) or throws a retryable
   * `StoreUnavailableError`. If the database has only one writer, every claim succeeds.
   */
  claimChain(chainId: ChainId): Promise<boolean>
  /**
   * Tells others that this writer may index the chains, for as long as the writer is open, and answers for each of them
   * how many writers may.
   */
  surveyChains(chainIds: readonly ChainId[]): Promise<readonly ChainSurvey[]>
  releaseChain(chainId: ChainId): Promise<void>

  /**
   * Makes the chain known, and returns where to continue. Calling it again updates name and contracts. If a contract was
   * removed, or one was added that starts at or below the checkpoint, `rewindTo` is the last block that is indexed for
   * both sets. The caller reverts to it before it continues (`-1`: to nothing).
   */
  openChain(chain: ChainIdentity): Promise<OpenedChain>

  /**
   * The contracts of a chain as it was last opened, so that what was found out about them is not asked for again; none
   * before.
   */
  listContracts(chainId: ChainId): Promise<readonly IndexedContract[]>

  /**
   * Applies the events of the blocks after the checkpoint up to and including `batch.checkpoint`, in their order.
   * @throws StoreInvariantError when `batch.fromBlock` is not the block after the checkpoint, when events are out of
   * order,
   *   outside the range, or at a position that is taken.
   * @throws StoreUnavailableError, retryable, when batches that were kept back could not be written: the chain is to be
   * opened again.
   */
  applyBlocks(chainId: ChainId, batch: BlockBatch): Promise<ApplySummary>

  /**
   * Reverts everything above block `toBlock`, whatever the depth; the checkpoint becomes `toBlock`, or none when it
   * is -1. Revocations made above it are undone, and so are the names, counters and remembered blocks.
   */
  revertBlocks(chainId: ChainId, toBlock: number, revertedAt: UnixMilliseconds): Promise<RevertSummary>

  /**
   * Brings the field index of an opened chain one bounded step closer to its setting. A step indexes attestations that
   * are stored already, or deletes the rows of schemas that are no longer indexed. Steps survive a crash; batches may be
   * applied between them.
   */
  advanceFields(chainId: ChainId): Promise<FieldProgress>

  /** Keeps the freshness of a chain for readers in other threads and processes. Does not move the index version. */
  saveChainStatus(status: ChainStatus): Promise<void>

  /** Forgets the remembered blocks of a chain below a number. */
  forgetBlocks(chainId: ChainId, below: number): Promise<void>

  /**
   * Keeps what was found missing or wrong in the index of a chain, for readers of its status: the newest sentence, with
   * the blocks of all that was kept before. Null: nothing any more. Reverting all blocks concerned forgets it too. Needs
   * no claim.
   * @param settled what was kept before and has been looked into since: forgotten, unless more is kept by now.
   */
  markDefect(chainId: ChainId, defect: Defect | null, settled?: Defect): Promise<void>

  /** Keeps the last verification of a chain, for readers of its status. Needs no claim. */
  noteVerification(chainId: ChainId, verification: Verification): Promise<void>

  /**
   * The positions of the events in a range of blocks, ascending, each once: what the index holds, for the comparison with
   * endpoints. Needs no claim, as the two reads below.
   */
  readEventPositions(chainId: ChainId, fromBlock: number, toBlock: number): Promise<readonly Position[]>
  /** The number of records that the index holds, for the comparison with the counters of contracts. */
  countRecords(chainId: ChainId): Promise<HeldRecords>
  /** Counts of records by subject and account from a subject on, in the order of both; `limit` rows at most. */
  listSubjectCounts(
    chainId: ChainId,
    protocol: ProtocolName,
    from: LocalId,
    limit: number,
  ): Promise<readonly SubjectCount[]>

  /** Makes this writer the one whose process delivers hooks; as `claimChain`. */
  claimHooks(): Promise<boolean>
  /**
   * Keeps how far hooks have come. A crash of the machine may lose it, which repeats deliveries.
   * @throws StoreUnavailableError if the claim was lost.
   */
  saveHooks(saved: readonly SavedHook[]): Promise<void>
  /** Keeps an operator's order for the process that delivers; needs no claim. */
  orderHook(name: string, order: HookOrder): Promise<void>

  close(): Promise<void>
}

/** The indexed records of a chain that contracts number. */
export interface HeldRecords {
  /** The known damage. */
  readonly defect: Defect | null
  readonly protocols: readonly {
    readonly protocol: ProtocolName
    readonly schema: HeldSeries
    readonly attestation: HeldSeries
  }[]
  /** Numbered subjects of attestations, such as agents; the first one by its number. */
  readonly subjects: readonly (HeldSeries & { readonly protocol: ProtocolName })[]
  /** Schemas that attestations name, and attestations that revocations name, as far as the index lacks them. */
  readonly unknown: readonly {
    readonly protocol: ProtocolName
    readonly schemas: number
    readonly attestations: number
  }[]
  /** Undecodable logs; the first 10,000. */
  readonly undecodable: readonly { readonly contract: Address; readonly topics: readonly Hex[] }[]
}

export interface HeldSeries {
  readonly count: number
  /** The id of the first record of the chain; null without one. */
  readonly first: LocalId | null
}

/** Number of records by an account about a subject, which their contract numbers from 1 on. */
export interface SubjectCount {
  readonly subject: LocalId
  readonly account: Address
  /** The revoked part included. */
  readonly count: number
}

export interface ChainIdentity {
  readonly chainId: ChainId
  readonly name: string
  readonly contracts: readonly IndexedContract[]
}

export interface OpenedChain {
  readonly checkpoint: Checkpoint | null
  /** The remembered blocks at and below the checkpoint, ascending: what a reorganisation is recognised by. */
  readonly recentBlocks: readonly RememberedBlock[]
  /** Set when the contracts changed: the block to revert to first. */
  readonly rewindTo: number | null
  /** The completeness of the history in the last saved status. */
  readonly history: readonly ContractHistory[]
}

/** The newest block whose events are in the index. `hash` is null if the block was final before it was indexed. */
export interface Checkpoint {
  readonly blockNumber: number
  readonly timestamp: number | null
}

export interface BlockBatch {
  /** The first block of the batch: the checkpoint's successor, or any block where there is no checkpoint yet. */
  readonly fromBlock: number
  readonly checkpoint: { readonly blockNumber: number; readonly timestamp: number | null }
  /** Ascending by position. */
  readonly events: readonly DomainEvent[]
  /** Blocks to remember for the recognition of reorganisations, ascending; empty while the blocks are final. */
  readonly recentBlocks: readonly RememberedBlock[]
  /** Remembered blocks below this number are forgotten: they cannot change any more. */
  readonly forgetBlocksBelow: number
  /** The `syncAt` of what is stored. */
  readonly storedAt: UnixMilliseconds
  /** True if the caller will apply more of the chain at once, and can read it from the chain again. */
  readonly moreFollows?: boolean
}

export interface FieldProgress {
  /** Whether the index was what the setting asks for already, before the step. */
  readonly isDone: boolean
  /** Attestations of schemas that are not done, as far as they were not looked at. */
  readonly pending: number
}

export interface ApplySummary {
  readonly schemas: number
  readonly attestations: number
  readonly revocations: number
  readonly anchors: number
  readonly undecodable: number
}

export interface RevertSummary {
  readonly schemas: number
  readonly attestations: number
  readonly revocations: number
}
