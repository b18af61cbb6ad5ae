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
   * What in the store contradicts itself: rows that are not what their record renders to, whatever is derived from the
   * records and is not what they give, rows that belong to nothing, progress that does not fit the events, a damaged
   * file. Where there is none of these, counts are made anew by SQL that the writer never runs.
   */
  findContradictions(): AsyncIterable<Difference>
  /**
   * The events of the blocks `fromBlock` to `toBlock`, ascending, a schema's name after the attestation that gives it.
   * What is too damaged to be read as an event is left out; `findContradictions` tells of it.
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
 * What mends a difference.
 * `rebuild`: making what is derived from the records anew. `reindex`: reading the block again from the chain. `rewind`:
 * forgetting what is above `blockNumber`. `recount`: one of counter and records is wrong, and only the chain can tell
 * which. `none`: nothing that this program does; of a count, a fault of the program.
 */
export type Remedy = 'rebuild' | 'reindex' | 'rewind' | 'recount' | 'none'

/** One thing that is not as it should be, as it is printed. */
export interface Difference {
  /** What kind of thing it is. Stable: programs read it. */
  readonly what: DifferenceKind
  readonly chainId: ChainId | null
  /** The block concerned; null where there is none. */
  readonly blockNumber: number | null
  /** The record by its composite id, or the row by its table and key. */
  readonly subject: string
  /** The member of the record that differs; null where it is the whole of it. */
  readonly field: string | null
  /** As text, cut where it is long; null where there is nothing. */
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
