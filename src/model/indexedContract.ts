import type { Address } from './hex.ts'
import type { ProtocolName } from './records.ts'

/** A contract whose events are in the index of a chain, from a block on. */
export interface IndexedContract {
  readonly protocol: ProtocolName
  readonly address: Address
  readonly schemaRegistry: Address | null
  readonly portalRegistry?: Address
  readonly startBlock: number
}
