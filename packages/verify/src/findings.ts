import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Difference } from '@attestry/core/index/indexAudit.ts'

/** The results of a verification, one after the other. */
export type Finding =
  | { readonly kind: 'difference'; readonly difference: Difference }
  /** A chain, or a part of it, could not be compared: unknown, which is not equal. */
  | { readonly kind: 'unasked'; readonly chainId: ChainId; readonly reason: string }
  /** The compared part of a chain. */
  | {
      readonly kind: 'compared'
      readonly chainId: ChainId
      readonly name: string
      readonly blocks: number
      readonly events: number
      /** The block of the comparison; null if nothing is indexed. */
      readonly upToBlock: number | null
      /** Whether the chain returned every block of the comparison. */
      readonly isComplete: boolean
      /** Whether some of the contracts' records and counters were read from one endpoint only. */
      readonly isByOne: boolean
    }

export interface BlockSpan {
  readonly fromBlock: number
  readonly toBlock: number
}
