import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'

/** How long each chain has made no progress. */
export interface ChainWatch {
  /** Takes note of the present statuses. */
  note(statuses: readonly ChainStatus[], times: Times): void
  /** The chains that are watched. */
  list(nowMs: number): readonly WatchedChain[]
}

export interface WatchedChain {
  readonly status: ChainStatus
  /** The time of the last progress, in milliseconds since the epoch. */
  readonly progressAt: number
  /** The milliseconds since then. */
  readonly idleMs: number
}

interface Times {
  /** The time of the machine, in milliseconds since the epoch. */
  readonly now: number
  /** The time by a monotonic clock, in milliseconds. */
  readonly nowMs: number
}

/** Maximum age of the status of a chain at its head. The indexer renews it at every poll of the head. */
const statusAgeMaxMs = 60_000

/**
 * Progress of a chain is a new indexed block, or being at the head that its endpoints report. A chain makes no progress
 * if the head is ahead and no block comes, if no endpoint answers, or if its indexer has stopped. A chain without an
 * indexer (`paused`) is not watched.
 */
export function createChainWatch(): ChainWatch {
  const chains = new Map<
    ChainId,
    { status: ChainStatus; progressAt: number; progressMs: number; renewedMs: number }
  >()
  return {
    note: (statuses, { now, nowMs }) => {
      for (const status of statuses) {
        const known = chains.get(status.chainId)
        if (status.phase === 'paused') chains.delete(status.chainId)
        else if (known === undefined) {
          chains.set(status.chainId, { status, progressAt: now, progressMs: nowMs, renewedMs: nowMs })
        } else {
          const hasMoved = (status.indexedBlock ?? -1) > (known.status.indexedBlock ?? -1)
          if (status.updatedAt !== known.status.updatedAt) known.renewedMs = nowMs
          if (hasMoved || (isAtHead(status) && nowMs - known.renewedMs <= statusAgeMaxMs)) {
            known.progressAt = now
            known.progressMs = nowMs
          }
          known.status = status
        }
      }
    },
    list: (nowMs) =>
      [...chains.values()].map(({ status, progressAt, progressMs }) => ({
        status,
        progressAt,
        idleMs: nowMs - progressMs,
      })),
  }
}

function isAtHead({ phase, headBlock, indexedBlock }: ChainStatus): boolean {
  return phase === 'following' && headBlock !== null && indexedBlock !== null && indexedBlock >= headBlock
}
