import { useQuery } from '@tanstack/react-query'
import { chainsQuery } from '../../api/queries.ts'
import { protocolName } from '../../format/protocolName.ts'

interface Choice {
  readonly value: string
  readonly label: string
}

/** The chain options of a filter, after the option for all. */
export function useChainChoices(): readonly Choice[] {
  const { data: chains } = useQuery(chainsQuery())
  return [
    { value: '', label: 'All chains' },
    ...(chains ?? []).map(({ chainId, name }) => ({ value: chainId, label: name })),
  ]
}

/** The protocol options of a filter, after the option for all. */
export function useProtocolChoices(): readonly Choice[] {
  const { data: chains } = useQuery(chainsQuery())
  const protocols = [...new Set(chains?.flatMap(({ protocols: names }) => names))].sort()
  return [
    { value: '', label: 'All protocols' },
    ...protocols.map((protocol) => ({ value: protocol, label: protocolName(chains, protocol) })),
  ]
}

/** The service's name of a chain; the chain's number if the service does not know the chain. */
export function useChainName(chainId: string | undefined): string {
  const { data: chains } = useQuery(chainsQuery())
  return chains?.find((chain) => chain.chainId === chainId)?.name ?? `Chain ${chainId ?? ''}`
}

/** The name of a protocol on the chains of the service. */
export function useProtocolName(protocol: string | undefined): string {
  const { data: chains } = useQuery(chainsQuery())
  return protocolName(chains, protocol ?? '')
}
