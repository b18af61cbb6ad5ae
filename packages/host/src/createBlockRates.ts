import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import { measureBlockRate, type BlockSample } from './progress.ts'

/** Long enough to smooth the bursts in which ranges arrive. */
const windowMs = 30_000

/** The block rate of each chain over the last half minute of its status. */
export interface BlockRates {
  /** Takes a status, and returns the blocks per second of its chain; null while unknown. */
  measure(status: ChainStatus): number | null
}

export function createBlockRates(): BlockRates {
  const samples = new Map<number, readonly BlockSample[]>()
  return {
    measure: ({ chainId, indexedBlock, updatedAt }) => {
      const held = samples.get(chainId) ?? []
      if (updatedAt === null) return measureBlockRate(held)
      const kept = held.filter(({ atMs }) => updatedAt - atMs <= windowMs && atMs < updatedAt)
      const now = indexedBlock === null ? kept : [...kept, { blockNumber: indexedBlock, atMs: updatedAt }]
      samples.set(chainId, now)
      return measureBlockRate(now)
    },
  }
}
