import type { DomainEvent } from '../model/domainEvent.ts'
import type { UnixSeconds } from '../model/time.ts'
import { asClause, describeError } from '../errors/baseError.ts'
import { ChunksRefusedError } from '../errors/chunkErrors.ts'
import { StartError } from '../errors/configErrors.ts'
import { PlaceUnavailableError } from '../errors/placeErrors.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { StoreInvariantError } from '../errors/storeErrors.ts'
import type { ChainParts, Progress } from './openProgress.ts'
import { createPendingEvents, eventLoad, type BackfillCommit } from './pendingEvents.ts'
import type { PublishedEvents } from './publishedEvents.ts'
import type { StatusReporter } from './statusReporter.ts'

/** The events of a chain's final blocks that need not be read from its endpoints. */
export interface PublishedSteps {
  /** Leaves a chain to its endpoints that the index held up to its head before. */
  begin(progress: Progress): void
  /**
   * Indexes published events on top of the checkpoint, as far as there are any up to `finalBlock`. `onCommit` moves
   * `progress`.
   * @returns whether the checkpoint has moved; if not, the endpoints have the next blocks.
   */
  take(
    progress: Progress,
    finalBlock: number,
    onCommit: (commit: BackfillCommit) => void,
    signal: AbortSignal,
  ): Promise<boolean>
}

const reportIntervalMs = 2_000

/**
 * Takes the events of a chain from published ones, as long as each attempt brings the chain further. If they cannot be
 * used, the endpoints are asked. Invariant: nothing is written before all published events that the index lacks were
 * checked.
 */
export function createPublishedSteps(
  { chain, client, writer, log, openPublished }: ChainParts,
  status: Pick<StatusReporter, 'set' | 'update'>,
): PublishedSteps {
  const { chainId } = chain
  let isOver = openPublished === undefined
  let opened: PublishedEvents | null = null

  return {
    begin: ({ indexed: { blockNumber, recentBlocks } }) => {
      // Only blocks near the head are remembered with seals.
      if (isOver || !recentBlocks.some(({ logsSeal }) => logsSeal !== undefined)) return
      isOver = true
      const text = `the chain is indexed up to block ${blockNumber} already: its published chunks are not asked for`
      log('info', text, { chainId })
    },
    take: async (progress, finalBlock, onCommit, signal) => {
      if (isOver || openPublished === undefined) return false
      const { blockNumber } = progress.indexed
      const fromBlock = blockNumber + 1
      // The check of all events may take minutes, and readers of an old status take the indexer for dead.
      const timer = setInterval(() => void status.update({}).catch(() => undefined), reportIntervalMs)
      try {
        await status.update({ fromChunks: 0 })
        opened ??= await openPublished(progress.source, { fromBlock, toBlock: finalBlock }, signal)
        if (opened !== null && opened.toBlock >= fromBlock) await load(opened, progress, onCommit, signal)
        isOver = true
      } catch (error) {
        if (signal.aborted || !isOfPublisher(error)) throw error
        opened = null
        isOver = error instanceof StoreInvariantError || progress.indexed.blockNumber === blockNumber
        meetFailure(error, progress.indexed.blockNumber + 1)
      } finally {
        clearInterval(timer)
        status.set({ fromChunks: null })
      }
      return progress.indexed.blockNumber > blockNumber
    },
  }

  async function load(
    { place, toBlock, read }: PublishedEvents,
    { source, indexed }: Progress,
    onCommit: (commit: BackfillCommit) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const fromBlock = indexed.blockNumber + 1
    // The index remembers the last block: the next step compares it with the chain.
    const lastBlock = await client.fetchAgreedHeader(toBlock, null, signal)
    const oldestBlock = indexed.recentBlocks[0]?.number ?? null
    const target = { chainId, fromBlock, lastBlock, oldestBlock }
    const pending = createPendingEvents(target, writer, onCommit, source.clock, signal)
    try {
      for await (const { share, ...range } of read(fromBlock, signal)) {
        const remembered = range.toBlock === toBlock ? [lastBlock] : []
        pending.add(
          { ...range, remembered, lastTimestamp: newestTime(range.events) },
          eventLoad(range.events),
        )
        status.set({ fromChunks: Math.floor(100 * share) })
        if (pending.isDue('complete')) await pending.commit()
      }
      await pending.settle()
    } finally {
      await Promise.allSettled([pending.settle()])
    }
    const facts = { chainId, fromBlock, toBlock }
    log('info', `blocks ${fromBlock} to ${toBlock} are indexed from the chunks of ${place}`, facts)
  }

  function meetFailure(error: unknown, next: number): void {
    const facts = { chainId, fromBlock: next }
    const text = asClause(describeError(error))
    if (isOver) log('error', `${text}; the chain is indexed from its endpoints from block ${next} on`, facts)
    // A publisher may have replaced its chunks meanwhile.
    else log('warn', `${text}; the chunks are asked for once more, from block ${next} on`, facts)
    if (!(error instanceof StoreInvariantError)) return
    // The writer takes no further batch of the chain until it is opened again.
    const message = 'published chunks contradict what is indexed'
    throw new InconsistentChainError(message, { retryable: true, cause: error, facts })
  }
}

/** A thread that reads chunks fails with a `StartError`, and the writer refuses records that contradict one another. */
function isOfPublisher(error: unknown): boolean {
  return publisherErrors.some((each) => error instanceof each)
}

const publisherErrors = [ChunksRefusedError, PlaceUnavailableError, StartError, StoreInvariantError]

/** The time of the newest record; null if the last event has none. */
function newestTime(events: readonly DomainEvent[]): UnixSeconds | null {
  const last = events.at(-1)
  if (last?.kind === 'attestationMade') return last.attestation.attestTimestamp
  return last?.kind === 'attestationRevoked' ? last.timestamp : null
}
