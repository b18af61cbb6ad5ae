import type { ChainId } from './compositeId.ts'
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

/** The name by which people know the contracts of a protocol on a chain. */
export type NameDeployment = (
  chainId: ChainId,
  contract: Pick<IndexedContract, 'protocol' | 'address'>,
) => string
