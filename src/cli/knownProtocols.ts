import { knownChains } from '../chain/knownChains.ts'
import { knownDeployments } from '../protocols/deployments.ts'
import { protocolNames } from '../protocols/registry.ts'
import type { KnownProtocols } from './config/resolveChains.ts'

/** The protocols that this program can index, where they are deployed, and what is known of the chains. */
export const knownProtocols: KnownProtocols = {
  names: protocolNames,
  deployments: knownDeployments,
  chains: knownChains,
}
