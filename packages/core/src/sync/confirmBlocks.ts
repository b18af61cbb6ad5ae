import type { BlockHeader } from '../chain/chainClient.ts'
import type { RememberedBlock } from '../model/chainState.ts'
import type { Clock } from '../model/clock.ts'
import type { IndexedBlocks } from './chainStep.ts'
import { isIndexed, type EventSource } from './fetchEvents.ts'
import { nearHeadBlocks } from './fetchRange.ts'
import type { IndexedChain } from './indexedChain.ts'
import { judgeLogs, type LogsVote } from './judgeLogs.ts'
import { sealLogs } from './sealLogs.ts'

/**
 * Reads the logs of final blocks once more, and compares them with the seals of those that were read near the head
 * (docs/adr/0023). Endpoints may have a block for some time before they have its logs, or with other logs than later,
 * and neither blooms nor block hashes show that.
 */
export interface BlockConfirmation {
  /** Whether blocks are due to be confirmed: at most once a minute. To be asked whenever the index is at the head. */
  isDue(indexed: IndexedBlocks, head: BlockHeader): boolean
  /** To be called after a revert: the blocks above are read anew. */
  noteRevert(keptBlock: number): void
  /** Whether blocks are to be confirmed before a backfill forgets them. */
  isBehind(indexed: IndexedBlocks, head: BlockHeader): boolean
  /** Confirms the remembered blocks that are settled, the oldest ones first, up to the first one that is not right. */
  confirm(
    source: EventSource,
    indexed: IndexedBlocks,
    head: BlockHeader,
    signal: AbortSignal,
  ): Promise<Confirmed>
}

export interface Confirmed {
  /** The last confirmed block: blocks before it need not be remembered any more. Null: none was confirmed. */
  readonly lastBlock: number | null
  /**
   * The first block that was not confirmed. `unclear`: the endpoints may lack logs that the index has, and are asked
   * again later. `wrong`: the index has other logs than the chain. `disputed`: the same, and reading the block again did
   * not help.
   */
  readonly next: { readonly kind: 'unclear' | 'wrong' | 'disputed'; readonly blockNumber: number } | null
}

const intervalMs = 60_000
/** A block that was read less than so long ago may still lack logs, however few blocks may change on the chain. */
const settledMs = 60_000
/** The same by the time of the block itself, since after a start it is not known when a block was read. */
const settledSeconds = 600
/** Blocks that are read with one request, as far as endpoints take it. */
const blocksAtOnce = 1_000
/** Looks, a minute apart, that must agree before a log of the index counts as one too many. */
const doubtsMax = 3
/** Times that a block is read again. */
const mendsMax = 3
/** Blocks below the final one whose logs even a pruned node has. Below them, an answer with fewer logs proves nothing. */
const keptBlocks = 1_000

/** `clock` tells the time of the world, `steady` measures durations. */
export function createBlockConfirmation(
  { finality }: Pick<IndexedChain, 'finality'>,
  { clock, steady }: { readonly clock: Pick<Clock, 'nowMs'>; readonly steady: Pick<Clock, 'nowMs'> },
): BlockConfirmation {
  let doneMs = Number.NEGATIVE_INFINITY
  /** Up to which block the index had been read at which time; ascending. */
  let reads: readonly { readonly blockNumber: number; readonly atMs: number }[] = []
  const doubts = new Map<number, number>()
  const mends = new Map<number, number>()

  /** The remembered blocks that are final and old enough to have their logs, but for the one below them. */
  function settledBlocks(
    { startBlock, recentBlocks }: IndexedBlocks,
    head: BlockHeader,
  ): readonly RememberedBlock[] {
    // On a chain that rests, only the time goes on.
    const now = Math.max(head.timestamp, Math.floor(clock.nowMs() / 1_000))
    const readLongAgo = reads.findLast(({ atMs }) => atMs <= steady.nowMs() - settledMs)?.blockNumber ?? -1
    const isSettled = ({ number, timestamp }: RememberedBlock) =>
      number <= head.number - finality &&
      (number <= readLongAgo || timestamp <= now - settledSeconds || number <= head.number - nearHeadBlocks)
    const settled = recentBlocks.filter(
      (block, i) => isSettled(block) && (i > 0 || block.number === startBlock),
    )
    return settled.slice(0, blocksAtOnce)
  }

  function noteRead(blockNumber: number): void {
    const last = reads.at(-1)
    if (last !== undefined && last.blockNumber > blockNumber)
      reads = reads.filter((read) => read.blockNumber <= blockNumber)
    if (reads.at(-1)?.blockNumber === blockNumber) return
    const atMs = steady.nowMs()
    const first = reads.findLastIndex((read) => read.atMs <= atMs - settledMs)
    reads = [...reads.slice(Math.max(0, first)), { blockNumber, atMs }]
  }

  /** Compares a block's logs, read again, with the index; null if they are equal. */
  async function findFault(
    source: EventSource,
    block: RememberedBlock,
    again: readonly LogsVote[],
    head: BlockHeader,
    signal: AbortSignal,
  ): Promise<NonNullable<Confirmed['next']> | null> {
    const { number: blockNumber, logsSeal: stored } = block
    if (stored === undefined || again.every(({ seal }) => seal === stored)) return null
    const { client, addresses, topics } = source
    const everywhere = await client.fetchLogsEverywhere(block, { addresses, topics }, signal)
    const votes: readonly LogsVote[] = [
      ...again,
      ...everywhere.map(({ host, logs }) => ({
        host,
        seal: sealLogs(logs.filter((each) => isIndexed(source, each))),
      })),
    ]
    const { kind, contradicted } = judgeLogs(stored, votes)
    const mayBePruned = blockNumber <= head.number - finality - keptBlocks
    if (!mayBePruned && !client.isAlone()) {
      const reason = `gives other logs of the final block ${blockNumber} than it has`
      for (const host of contradicted) client.quarantine(host, reason)
    }
    if (kind === 'same' || (kind === 'fewer' && mayBePruned)) return null
    const doubted = (doubts.get(blockNumber) ?? 0) + 1
    doubts.set(blockNumber, doubted)
    if (kind === 'fewer' && doubted < doubtsMax) return { kind: 'unclear', blockNumber }
    doubts.delete(blockNumber)
    const mended = (mends.get(blockNumber) ?? 0) + 1
    mends.set(blockNumber, mended)
    return { kind: mended > mendsMax ? 'disputed' : 'wrong', blockNumber }
  }

  return {
    isDue(indexed, head) {
      noteRead(indexed.blockNumber)
      return steady.nowMs() - doneMs >= intervalMs && settledBlocks(indexed, head).length > 0
    },
    noteRevert(keptBlock) {
      reads = reads.filter(({ blockNumber }) => blockNumber <= keptBlock)
    },
    isBehind: (indexed, head) => {
      const isFar = indexed.blockNumber < head.number - nearHeadBlocks
      return isFar && settledBlocks(indexed, head).some(({ logsSeal }) => logsSeal !== undefined)
    },
    async confirm(source, indexed, head, signal) {
      doneMs = steady.nowMs()
      const settled = settledBlocks(indexed, head)
      const firstSealed = settled.findIndex(({ logsSeal }) => logsSeal !== undefined)
      const sealed = firstSealed < 0 ? [] : settled.slice(firstSealed)
      const { client, addresses, topics } = source
      const told =
        sealed.length === 0 ? [] : await client.fetchLogsAgain(sealed, { addresses, topics }, signal)
      const again = told.map(({ host, logs }) => {
        const own = logs.filter((each) => isIndexed(source, each))
        return { host, logsOf: Map.groupBy(own, ({ blockNumber }) => blockNumber) }
      })
      let lastBlock: number | null = null
      for (const block of settled) {
        const votes = again.map(({ host, logsOf }) => ({
          host,
          seal: sealLogs(logsOf.get(block.number) ?? []),
        }))
        const next = await findFault(source, block, votes, head, signal)
        if (next !== null && next.kind !== 'disputed') return { lastBlock, next }
        lastBlock = block.number
        if (next !== null) return { lastBlock, next }
        for (const counts of [doubts, mends]) counts.delete(block.number)
      }
      return { lastBlock, next: null }
    },
  }
}
