import { asClause } from '../errors/baseError.ts'
import type { ChainId } from '../model/compositeId.ts'
import type { IndexedContract } from '../model/indexedContract.ts'
import type { ChainDigest } from './storedRecords.ts'

/** Reads the part of a chain that changes no more, for copies of the index that others make. */
export interface HistoryReads {
  /**
   * The history of a chain from one state of the index. Yields a description first, then groups of events as lines in
   * the order of the chain, and the end last. Yields nothing for a chain that is not indexed.
   */
  chainHistory(request: HistoryRequest): AsyncIterable<HistoryPart>
}

export interface HistoryRequest {
  readonly chainId: ChainId
  /** The first block whose events are read. */
  readonly fromBlock: number
  /** The blocks below the newest indexed one that may still change. */
  readonly finality: number
  /** The last block whose events are read, where that is not the last final one. */
  readonly toBlock?: number
  /** Events after which the history ends with their block. */
  readonly eventsMax?: number
}

export type HistoryPart =
  | ({ readonly kind: 'chain' } & ChainHistory)
  | { readonly kind: 'events'; readonly events: readonly HistoryEvent[] }
  | ({ readonly kind: 'end' } & HistoryEnd)

/** A chain up to its last block that changes no more. */
export interface ChainHistory {
  readonly name: string
  readonly contracts: readonly IndexedContract[]
  /**
   * The last block that is final, confirmed, and below every revocation that is claimed and not settled; -1 if there is
   * no such block.
   */
  readonly toBlock: number
  /** The time of that block, where the index remembers it. */
  readonly timestamp: number | null
  /** The digest at that block; null if it was lost, or no block is indexed. */
  readonly digest: ChainDigest | null
  /** The same at the block before the first one whose events are read, or at the last final one where that is lower. */
  readonly digestBefore: ChainDigest | null
  /** The records that are known to be missing or wrong; null if no such record is known. */
  readonly defect: string | null
}

/**
 * The reason why a copy of a chain cannot go further, as half a sentence; null if it can.
 * @param least the index has to be final up to this block, `below` which it else is, in words.
 */
export function hindranceOf(
  { toBlock, digest, defect }: ChainHistory,
  least: number,
  below: string,
): string | null {
  if (toBlock < 0) return 'no block is final yet'
  if (toBlock < least) return `its index is final up to block ${toBlock} alone, below ${below}`
  if (defect !== null) return `its index is known to be incomplete: ${asClause(defect)}`
  return digest === null ? "its digest was lost: 'attestry verify --repair' makes it" : null
}

/** The last block whose events were read, and the digest there; null if it was lost, or no block is indexed. */
export interface HistoryEnd {
  readonly toBlock: number
  readonly digest: ChainDigest | null
}

/** The line of an event, which later events of the chain do not change. */
export interface HistoryEvent {
  readonly block: number
  readonly line: string
}

/** A part of a history. One state of the index has its events, the description of the chain and the digests. */
export interface HistorySpan {
  readonly chain: ChainHistory
  readonly events: readonly HistoryEvent[]
  /** Null if no block of the request is final. */
  readonly end: HistoryEnd | null
}

/** Events that are read from one state of the index: some 10 MB as lines. */
const eventsAtOnce = 10_000

/**
 * The history of a chain in parts. Each part is read from a state of the index of its own. The state is released before
 * the caller works with the part: while it is held, the log of SQLite grows, and PostgreSQL cannot vacuum. The parts are
 * one history if the digest before each is that at the end of the part before.
 */
export async function* historyInParts(
  reader: HistoryReads,
  { eventsMax = Number.POSITIVE_INFINITY, ...request }: HistoryRequest,
): AsyncGenerator<HistorySpan> {
  let { fromBlock } = request
  let left = eventsMax
  for (;;) {
    let chain: ChainHistory | null = null
    let end: HistoryEnd | null = null
    const events: HistoryEvent[] = []
    const limits = { fromBlock, eventsMax: Math.min(left, eventsAtOnce) }
    for await (const part of reader.chainHistory({ ...request, ...limits })) {
      if (part.kind === 'chain') chain = part
      else if (part.kind === 'end') end = part
      else for (const event of part.events) events.push(event)
    }
    if (chain === null) return
    yield { chain, events, end }
    left -= events.length
    if (end === null || left <= 0 || end.toBlock >= Math.min(chain.toBlock, request.toBlock ?? Infinity))
      return
    fromBlock = end.toBlock + 1
  }
}
