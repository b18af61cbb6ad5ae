import type { ChainId, LocalId } from '../model/compositeId.ts'
import type { Position } from '../model/position.ts'
import type { ProtocolName } from '../model/records.ts'
import type { ChainProgress, StoredEvent } from './indexRestore.ts'
import type { ChainIdentity } from './indexWriter.ts'

/**
 * Looks at a store as it is at one moment, however long that takes: every call answers from the snapshot that was taken
 * when the audit was opened. It writes nothing and keeps nobody from writing. Of its iterables one is walked at a time.
 */
export interface IndexAudit {
  /** Every chain, by chain id. */
  listChains(): Promise<readonly AuditedChain[]>
  /**
   * Contradictions within the store:
   * - rows that differ from the rendering of their record;
   * - derived data that differs from what the records give;
   * - orphaned rows, progress that does not fit the events, a damaged file.
   */
  findContradictions(): AsyncIterable<Difference>
  /**
   * The events of the blocks `fromBlock` to `toBlock`, ascending, a schema's name after the attestation that gives it.
   * Rows too damaged to be read as an event are left out; `findContradictions` reports them.
   */
  readEvents(chainId: ChainId, fromBlock: number, toBlock: number): AsyncIterable<StoredEvent>
  /** Positions of up to `count` records, attestations and schemas alike, each with the same chance. */
  sampleRecords(chainId: ChainId, count: number, random: () => number): Promise<readonly Position[]>
  /**
   * Positions of up to `count` attestations that are revoked without an event, each with the same chance. `total`: how
   * many there are.
   */
  sampleBornRevoked(
    chainId: ChainId,
    count: number,
    random: () => number,
  ): Promise<{ readonly positions: readonly Position[]; readonly total: number }>
  /** Local ids of a protocol's records, and where they stand, in the order of the chain. */
  listLocalIds(
    chainId: ChainId,
    protocol: ProtocolName,
    what: 'schema' | 'attestation',
  ): AsyncIterable<{ readonly localId: LocalId; readonly position: Position }>
  close(): Promise<void>
}

export interface AuditedChain {
  readonly identity: ChainIdentity
  readonly progress: ChainProgress
}

/** Mends a store. Its caller holds the lock of the database; nobody else writes. */
export interface IndexRepair {
  /**
   * Puts the events of whole ranges of blocks in the place of what is stored there, and makes everything derived anew.
   * The revocations that stand elsewhere stay with their records. Atomic.
   */
  replaceBlocks(chainId: ChainId, ranges: readonly BlockRange[], storedAt: number): Promise<void>
  /** Forgets everything above a block, which becomes the checkpoint, and makes everything derived anew. Atomic. */
  rewind(chainId: ChainId, toBlock: number): Promise<void>
  /** Makes everything that is derived from the records anew. Atomic. */
  rebuild(): Promise<void>
}

export interface BlockRange {
  readonly fromBlock: number
  readonly toBlock: number
  /** Ascending by position. */
  readonly events: readonly StoredEvent['event'][]
}

/**
 * The repair of a difference.
 * `rebuild`: derive the data from the records again. `reindex`: read the block from the chain again. `rewind`: forget
 * everything above `blockNumber`. `recount`: either the counter or the records are wrong, and only the chain can tell
 * which. `none`: the program cannot repair it.
 */
export type Remedy = 'rebuild' | 'reindex' | 'rewind' | 'recount' | 'none'

/** One thing that is not as it should be, as it is printed. */
export interface Difference {
  /** The kind of difference. Stable: programs read it. */
  readonly what: DifferenceKind
  readonly chainId: ChainId | null
  /** The affected block; null if the difference belongs to no block. */
  readonly blockNumber: number | null
  /** The record by its composite id, or the row by its table and key. */
  readonly subject: string
  /** The member of the record that differs; null if the whole record differs. */
  readonly field: string | null
  /** As text, cut if it is long; null if there is nothing. */
  readonly stored: string | null
  readonly expected: string | null
  readonly remedy: Remedy
}

/**
 * `missing`, `extra`, `changed`: of an event that the chain holds, or does not, or holds otherwise. `revocation`: a
 * record's revocation is not that of the contract. `counter`: the contract has counted other records than are stored.
 * `rendered`: a row is not what its record renders to. `derived`: a counter, series, tree or search index is not what
 * the records give.
 * `orphan`: a row belongs to nothing. `progress`: checkpoint or remembered blocks contradict the events or the chain.
 * `file`: the database itself says that it is damaged.
 */
export type DifferenceKind =
  | 'missing'
  | 'extra'
  | 'changed'
  | 'revocation'
  | 'counter'
  | 'rendered'
  | 'derived'
  | 'orphan'
  | 'progress'
  | 'file'
