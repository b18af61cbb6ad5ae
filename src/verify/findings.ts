import type { ChainId } from '../model/compositeId.ts'
import type { Difference } from '../store/indexAudit.ts'

/** What a verification has to say, one after the other. */
export type Finding =
  | { readonly kind: 'difference'; readonly difference: Difference }
  /** A chain, or a part of it, could not be compared: nothing is known of it, which is not the same as no difference. */
  | { readonly kind: 'unasked'; readonly chainId: ChainId; readonly reason: string }
  /** What of a chain was compared. */
  | {
      readonly kind: 'compared'
      readonly chainId: ChainId
      readonly name: string
      readonly blocks: number
      readonly events: number
      /** The block whose state it was compared at; null where nothing is indexed. */
      readonly upToBlock: number | null
      /** Whether the chain gave every block that was to be compared. */
      readonly isComplete: boolean
    }

export interface BlockSpan {
  readonly fromBlock: number
  readonly toBlock: number
}
