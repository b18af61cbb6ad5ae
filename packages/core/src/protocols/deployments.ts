import type { ChainId } from '../model/compositeId.ts'
import { parseAddress, type Address } from '../model/hex.ts'
import { mapRegistries, type FindPublished, type FurtherRegistries } from '../model/indexedContract.ts'
import type { ProtocolName } from '../model/records.ts'
import type { Deployment } from './protocolAdapter.ts'
import entries from './deployments.json' with { type: 'json' }

/** A deployment to index; a first block that is null is still to be found. */
export type ConfiguredDeployment = Omit<Deployment, 'startBlock'> & {
  readonly startBlock: number | null
  /** The block at which the search for the first block begins. */
  readonly startBlockHint?: number
}

/** A deployment of a protocol that its makers published. */
export interface KnownDeployment {
  readonly protocol: ProtocolName
  /** The name that its makers gave it; null if it has the name of the protocol. */
  readonly deploymentName: string | null
  readonly chainId: ChainId
  /** The chain's name as the protocol's makers write it, such as `arbitrum-one`. */
  readonly chainName: string
  readonly contract: Address
  /** The contract that registers schemas, where it is another one. */
  readonly schemaRegistry: Address | null
  /** The contracts that register portals and modules, where the protocol has them. */
  readonly registries: FurtherRegistries
  /** The first block to read logs from; null if it is unknown and has to be searched. */
  readonly startBlock: number | null
  /** A block that others take for the first one; null without one. Nothing proves the block. */
  readonly startBlockHint: number | null
}

/**
 * Every known deployment, at most one for a protocol on a chain. Protocols that have no adapter are among them.
 * `deployments.json` is checked as it is read, as a wrong address in it would make an empty index and no error.
 */
export const knownDeployments: readonly KnownDeployment[] = entries.map((entry) => ({
  protocol: entry.protocol,
  deploymentName: entry.deploymentName ?? null,
  chainId: entry.chainId,
  chainName: entry.chain,
  contract: requireAddress(entry.contract),
  schemaRegistry: entry.schemaRegistry === undefined ? null : requireAddress(entry.schemaRegistry),
  registries: mapRegistries<string, Address>(entry, requireAddress),
  startBlock: entry.startBlock,
  startBlockHint: entry.startBlockHint ?? null,
}))

/**
 * The deployment of a protocol on a chain; null if none is known. For EAS on any other chain, it is the predeploys that
 * every chain of the OP stack has at the same addresses (`specs/protocol/predeploys.md` of ethereum-optimism/specs).
 * Only the chain itself can tell whether contracts are deployed there.
 */
export function findDeployment(
  protocol: ProtocolName,
  chainId: ChainId,
  known: readonly KnownDeployment[],
): KnownDeployment | null {
  const found = known.find((each) => each.protocol === protocol && each.chainId === chainId)
  return found ?? (protocol === 'eas' ? { ...predeploys, chainId, chainName: `chain ${chainId}` } : null)
}

/** The contract that makers of a protocol published on a chain; null if no contract is known. */
export const findPublished: FindPublished = (chainId, protocol) =>
  knownDeployments.find((each) => each.protocol === protocol && each.chainId === chainId) ?? null

const predeploys: Omit<KnownDeployment, 'chainId' | 'chainName'> = {
  protocol: 'eas',
  deploymentName: null,
  contract: requireAddress('0x4200000000000000000000000000000000000021'),
  schemaRegistry: requireAddress('0x4200000000000000000000000000000000000020'),
  registries: {},
  startBlock: null,
  startBlockHint: null,
}

function requireAddress(text: string): Address {
  const address = parseAddress(text)
  if (address === null) throw new TypeError(`deployments.json: ${text} is no address`)
  return address
}
