import type { ChainId } from '@attestry/core/model/compositeId.ts'

/** A chain of a snapshot with its totals. */
export interface KnownChain {
  readonly chainId: ChainId
  readonly ordinal: number
  readonly schemaCount: number
  readonly attestationCount: number
  readonly revocationCount: number
}
