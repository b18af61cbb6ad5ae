import type { Chain } from '../api/types.ts'

/**
 * The name of a protocol: the names of its deployments on these chains. The interface's name if it has no deployments,
 * or until the chains are known.
 */
export function protocolName(
  chains: readonly Pick<Chain, 'deployments'>[] | undefined,
  protocol: string,
): string {
  const deployments = (chains ?? []).flatMap((chain) => chain.deployments)
  const names = new Set(deployments.filter((each) => each.protocol === protocol).map(({ name }) => name))
  return names.size === 0 ? protocol : [...names].join(', ')
}
