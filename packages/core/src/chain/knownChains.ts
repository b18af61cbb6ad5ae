import type { ChainId } from '../model/compositeId.ts'
import entries from './knownChains.json' with { type: 'json' }

/** The facts about a chain that are known before any of its endpoints is asked. */
export interface KnownChain {
  readonly chainId: ChainId
  /** The common name of the chain. */
  readonly name: string
  /**
   * Its usual block explorer, in which addresses, transactions and blocks are found as `explorerLinks` says; null if
   * none is known.
   */
  readonly explorerUrl: string | null
  /** Blocks behind the head that may still change, unless the configuration says otherwise. */
  readonly finality: number
}

/**
 * The chains of all known deployments, each once. Explorers are those of viem's chain definitions. Finality is, by kind
 * of chain:
 * 1. Ethereum and Sepolia, 96: the finalized block is 64 to 95 blocks behind the head.
 * 2. Polygon, 200: it was reorganised 157 blocks deep before it had milestones.
 * 3. Rollups of Arbitrum's kind, 240: a minute of blocks four a second.
 * 4. Rollups of the OP stack, 120: some minutes, and still within the 128 states that a full node keeps, so that it can
 *    answer reads by block hash.
 * 5. Chains whose blocks are final at once, 32: even there, nodes that share a URL are not equally up to date.
 * 6. All others, 64.
 */
export const knownChains: readonly KnownChain[] = entries
