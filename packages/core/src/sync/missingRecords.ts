import type { BlockHeader } from '../chain/chainClient.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import { createGapHandler } from './gapHandler.ts'
import type { ChainParts, Progress } from './openProgress.ts'
import type { RecordGap } from './recordSeries.ts'
import { findUnannouncedOfGap } from './unannouncedRecords.ts'

/** The records of a chain that contracts have made but no endpoint has a log for. */
export interface MissingRecords {
  /** Logs that contracts left out. Those of blocks that were replaced meanwhile match no block. */
  readonly leftOut: readonly ChainLog[]
  /** Takes logs that a contract left out. Their blocks must be read again, with these logs. */
  addLeftOut(logs: readonly ChainLog[]): void
  /**
   * Handles records that were made but have no fetched log, found by a backfill up to `head`. Resolves if the backfill
   * goes on without them, which the store keeps as a defect.
   * @throws LogsLeftOutError if the contract made them without logs, which are taken.
   * @throws InconsistentChainError, retryable, if an endpoint may have their logs.
   */
  meetGap(gap: RecordGap, progress: Progress, head: BlockHeader, signal: AbortSignal): Promise<void>
}

/** Ends a backfill, so that its uncommitted blocks are read again with the logs that a contract left out. */
export class LogsLeftOutError extends Error {}

export function createMissingRecords({
  client,
  chain,
  writer,
  log,
}: Pick<ChainParts, 'client' | 'chain' | 'writer' | 'log'>): MissingRecords {
  const { chainId } = chain
  const leftOut: ChainLog[] = []
  const searchGap = createGapHandler(client, chain, log)

  function addLeftOut(logs: readonly ChainLog[]): void {
    leftOut.push(...logs)
    const [blockNumber, records] = [logs[0]?.blockNumber, logs.length]
    log('info', 'attestations without a log are read from their contract', { chainId, blockNumber, records })
  }

  return {
    leftOut,
    addLeftOut,
    async meetGap(gap, progress, head, signal) {
      const logs = await findUnannouncedOfGap(progress.source, gap, head, signal)
      if (logs.length > 0) {
        addLeftOut(logs)
        throw new LogsLeftOutError('a contract made records without logs')
      }
      const text = await searchGap(gap, progress.source, progress.indexed.blockNumber, signal)
      await writer.markDefect(chainId, { fromBlock: gap.fromBlock, toBlock: gap.toBlock, text })
    },
  }
}
