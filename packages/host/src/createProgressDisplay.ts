import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import type { ChainConfig } from './config/resolveChains.ts'
import { createBlockRates } from './createBlockRates.ts'
import type { Screen } from './createScreen.ts'
import { formatProgress, type ChainProgress } from './progress.ts'

/** The live display of all chains on a terminal. */
export interface ProgressDisplay {
  update(status: ChainStatus): void
  /** Removes the live lines. */
  close(): void
}

export function createProgressDisplay(
  screen: Screen,
  chains: readonly Pick<ChainConfig, 'chainId' | 'deployments'>[],
  columns: () => number,
): ProgressDisplay {
  const startBlocks = new Map(chains.map(({ chainId, deployments }) => [chainId, firstBlock(deployments)]))
  const progress = new Map<number, ChainProgress>()
  const rates = createBlockRates()
  let closed = false
  return {
    update: (status) => {
      const { chainId, updatedAt } = status
      if (closed || updatedAt === null) return
      const blocksPerSecond = rates.measure(status)
      progress.set(chainId, { status, startBlock: startBlocks.get(chainId) ?? null, blocksPerSecond })
      const shown = [...startBlocks.keys()].flatMap((id) => progress.get(id) ?? [])
      screen.setLiveLines(formatProgress(shown, columns()))
    },
    close: () => {
      closed = true
      screen.setLiveLines([])
    },
  }
}

/**
 * The first block to index; 0 while a deployment's first block is unknown, so that the share covers the whole chain.
 */
function firstBlock(deployments: ChainConfig['deployments']): number {
  return Math.min(...deployments.map(({ startBlock }) => startBlock ?? 0))
}
