import { useSearch } from '@tanstack/react-router'
import { useChains } from './useChain.ts'

/**
 * The protocol whose records the page shows, as its URL says. Without one an id means the record of the first protocol
 * by name that has it.
 */
export function useProtocol(): string | undefined {
  return useSearch({ strict: false }).protocol
}

/**
 * The `protocol` in the link to a record by its id: its own, unless its chain has no other protocol, which may share
 * the id. If the protocol of the record is unknown, the page's.
 */
export function useLinkedProtocol(): (id: string, own: string | undefined) => string | undefined {
  const ofPage = useProtocol()
  const chains = useChains()
  return (id, own) => {
    if (own === undefined) return ofPage
    const chain = chains?.find(({ chainId }) => id.startsWith(`onchain_evm_${chainId}_`))
    return chain?.protocols.length === 1 ? undefined : own
  }
}
