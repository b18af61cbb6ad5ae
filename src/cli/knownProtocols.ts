import { knownDeployments } from '../protocols/deployments.ts'
import { protocolNames } from '../protocols/registry.ts'
import type { KnownProtocols } from './config/resolveChains.ts'

/** The protocols that this program can index, and where they are deployed. */
export const knownProtocols: KnownProtocols = { names: protocolNames, deployments: knownDeployments }
