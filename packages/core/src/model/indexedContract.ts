import type { ChainId } from './compositeId.ts'
import type { Address } from './hex.ts'
import type { ProtocolName } from './records.ts'

/** The further contracts of a deployment, where the protocol has them: the first two are of Verax, the others of ERC-8004. */
export const furtherRegistries = [
  'portalRegistry',
  'moduleRegistry',
  'reputationRegistry',
  'validationRegistry',
] as const

/** Those that are known. */
export type FurtherRegistries<Registry = Address> = {
  readonly [Name in (typeof furtherRegistries)[number]]?: Registry
}

/** Those of a deployment, each as `map` makes it. */
export function mapRegistries<From, To>(
  of: FurtherRegistries<From>,
  map: (registry: From) => To,
): FurtherRegistries<To> {
  const known = furtherRegistries.flatMap((name) => {
    const registry = of[name]
    return registry === undefined ? [] : [[name, map(registry)] as const]
  })
  return Object.fromEntries(known)
}

/** Those of a deployment. */
export function registriesOf(of: FurtherRegistries): FurtherRegistries {
  return mapRegistries(of, (registry) => registry)
}

/** A contract whose events are in the index of a chain, from a block on. */
export interface IndexedContract extends FurtherRegistries {
  readonly protocol: ProtocolName
  readonly address: Address
  readonly schemaRegistry: Address | null
  readonly startBlock: number
}

/** The contract that makers of a protocol published on a chain. */
export interface PublishedContract {
  readonly contract: Address
  /** Its first block; null if that is unknown. */
  readonly startBlock: number | null
}

/** Finds the published contract of a protocol on a chain; null if no contract is known. */
export type FindPublished = (chainId: ChainId, protocol: ProtocolName) => PublishedContract | null

/** The name by which people know the contracts of a protocol on a chain. */
export type NameDeployment = (
  chainId: ChainId,
  contract: Pick<IndexedContract, 'protocol' | 'address'>,
) => string
