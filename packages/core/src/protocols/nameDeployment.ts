import type { NameDeployment } from '../model/indexedContract.ts'
import { knownDeployments } from './deployments.ts'
import { findProtocol } from './registry.ts'

/** The name of a known deployment that has one of its own, such as BAS among those of EAS; else that of the protocol. */
export const nameDeployment: NameDeployment = (chainId, { protocol, address }) => {
  const known = knownDeployments.find(
    (each) => each.protocol === protocol && each.chainId === chainId && each.contract === address,
  )
  return known?.deploymentName ?? findProtocol(protocol)?.title ?? protocol
}
