import type { ChainId } from '../model/compositeId.ts'
import { parseAddress, type Address } from '../model/hex.ts'
import type { ProtocolName } from '../model/records.ts'
import entries from './deployments.json' with { type: 'json' }

/** A deployment of a protocol that its makers published. */
export interface KnownDeployment {
  readonly protocol: ProtocolName
  readonly chainId: ChainId
  readonly chainName: string
  readonly address: Address
  readonly schemaRegistry: Address | null
  /** The first block whose logs count; null where it is not known, and 0 is right but slow. */
  readonly startBlock: number | null
}

/** Every known deployment, of protocols that have no adapter too. */
export const knownDeployments: readonly KnownDeployment[] = entries.map((entry) => ({
  protocol: entry.protocol,
  chainId: entry.chainId,
  chainName: entry.name,
  address: requireAddress(entry.contract),
  schemaRegistry: entry.schemaRegistry === undefined ? null : requireAddress(entry.schemaRegistry),
  startBlock: entry.startBlock,
}))

/** The known deployment of a protocol on a chain, or null. */
export function findKnownDeployment(protocol: ProtocolName, chainId: ChainId): KnownDeployment | null {
  return knownDeployments.find((known) => known.protocol === protocol && known.chainId === chainId) ?? null
}

/** What people call a chain, or null where it is none of the known ones. */
export function findChainName(chainId: ChainId): string | null {
  return knownDeployments.find((known) => known.chainId === chainId)?.chainName ?? null
}

function requireAddress(text: string): Address {
  const address = parseAddress(text)
  if (address === null) throw new TypeError(`deployments.json: ${text} is no address`)
  return address
}
