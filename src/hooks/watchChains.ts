import type { ChainStatus } from '../model/chainState.ts'
import type { ChainId } from '../model/compositeId.ts'

/** How long each chain has made no progress. */
export interface ChainWatch {
  /** Takes note of the present statuses. */
  note(statuses: readonly ChainStatus[], now: number): void
  /** The chains that are watched, each with the time of its last progress in milliseconds. */
  list(): readonly { readonly status: ChainStatus; readonly progressAt: number }[]
}

/** How old the status of a chain at its head may be; the indexer renews it at every look at the head. */
const statusAgeMaxMs = 60_000

/**
 * Progress of a chain is a new indexed block, or being at the head that its endpoints report. A chain makes none where
 * the head
 * is ahead and no block comes, where no endpoint answers, and where its indexer has stopped. A chain that nobody
 * indexes
 * (`paused`) is not watched.
 */
export function createChainWatch(): ChainWatch {
  const chains = new Map<ChainId, { status: ChainStatus; progressAt: number }>()
  return {
    note: (statuses, now) => {
      for (const status of statuses) {
        const known = chains.get(status.chainId)
        if (status.phase === 'paused') chains.delete(status.chainId)
        else if (known === undefined) chains.set(status.chainId, { status, progressAt: now })
        else {
          const hasMoved = (status.indexedBlock ?? -1) > (known.status.indexedBlock ?? -1)
          if (hasMoved || isAtHead(status, now)) known.progressAt = now
          known.status = status
        }
      }
    },
    list: () => [...chains.values()],
  }
}

function isAtHead({ phase, headBlock, indexedBlock, updatedAt }: ChainStatus, now: number): boolean {
  return (
    phase === 'following' &&
    headBlock !== null &&
    indexedBlock !== null &&
    indexedBlock >= headBlock &&
    updatedAt !== null &&
    now - updatedAt <= statusAgeMaxMs
  )
}
