import { protocolName } from '../../format/protocolName.ts'
import { useChain, useChains } from '../useChain.ts'

interface Choice {
  readonly value: string
  readonly label: string
}

/** The protocols of all chains. */
export function useProtocolChoices(): readonly Choice[] {
  const chains = useChains()
  const protocols = [...new Set(chains?.flatMap(({ protocols: names }) => names))].sort()
  return protocols.map((protocol) => ({ value: protocol, label: protocolName(chains, protocol) }))
}

/** The service's name of a chain; the chain's number if the service does not know the chain. */
export function useChainName(chainId: string | undefined): string {
  return useChain(chainId)?.name ?? `Chain ${chainId ?? ''}`
}

/** The name of a protocol on the chains of the service. */
export function useProtocolName(protocol: string | undefined): string {
  return protocolName(useChains(), protocol ?? '')
}
