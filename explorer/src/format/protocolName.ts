import type { Chain } from '../api/types.ts'

/**
 * The name of a protocol: the names of its deployments on these chains. The interface's name where there are none, and
 * while the chains are not known.
 */
export function protocolName(
  chains: readonly Pick<Chain, 'deployments'>[] | undefined,
  protocol: string,
): string {
  const deployments = (chains ?? []).flatMap((chain) => chain.deployments)
  const names = new Set(deployments.filter((each) => each.protocol === protocol).map(({ name }) => name))
  return names.size === 0 ? protocol : [...names].join(', ')
}
