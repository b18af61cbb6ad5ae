import type { ChainId } from '../model/compositeId.ts'
import type { ExplorerLinks } from '../model/explorerLinks.ts'

/** A chain as it is configured to be indexed. */
export interface IndexedChain {
  readonly chainId: ChainId
  readonly name: string
  /** The links of a block explorer, for readers of the chain's status. */
  readonly explorer?: ExplorerLinks | null
  /** Blocks behind the head that may still change. 0: every block is final at once. */
  readonly finality: number
  readonly pollIntervalMs: number
  readonly transactionSenders: boolean
}

/** One line of the log. Neither message nor facts hold a secret. */
export type SyncLog = (
  level: 'info' | 'warn' | 'error',
  message: string,
  facts: Readonly<Record<string, unknown>>,
) => void
