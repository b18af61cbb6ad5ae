import { useQuery } from '@tanstack/react-query'
import { createContext, use, useState } from 'react'
import { chainsQuery } from '../api/queries.ts'
import type { Chain } from '../api/types.ts'

/** The members of a chain that do not change as it grows. */
export type KnownChain = Pick<Chain, 'chainId' | 'name' | 'explorer' | 'protocols' | 'deployments'>

/**
 * All chains of the service; undefined while they are loading. `ChainsProvider` asks for them once for the whole page:
 * an observer of the query in each row would have timers of its own, and render the row anew with each block.
 */
export const ChainsContext = createContext<readonly KnownChain[] | undefined>(undefined)

export function useChains(): readonly KnownChain[] | undefined {
  return use(ChainsContext)
}

/** The service's answer about a chain; undefined while it is loading, and for a chain that is not indexed. */
export function useChain(chainId: string | undefined): KnownChain | undefined {
  return useChains()?.find((chain) => chain.chainId === chainId)
}

/** A chain with its newest blocks; for single places of a page, which render anew with each answer. */
export function useChainState(chainId: string): Chain | undefined {
  const { data: chains } = useQuery(chainsQuery())
  return chains?.find((chain) => chain.chainId === chainId)
}

/**
 * The state of the chain when a record of it was read. The record holds as of that state, and not as of the newer ones
 * that come while the page is open.
 * @param readAt when the record was read; a new value takes the newest state.
 */
export function useChainAtReading(chainId: string, readAt: number): Chain | undefined {
  const newest = useChainState(chainId)
  const [kept, keep] = useState({ chain: newest, readAt })
  if (newest !== undefined && (kept.readAt !== readAt || kept.chain?.chainId !== chainId)) {
    keep({ chain: newest, readAt })
    return newest
  }
  return kept.chain
}

/** The front page of the chain's block explorer; undefined if none is known. */
export function explorerOrigin(chain: Pick<Chain, 'explorer'> | undefined): string | undefined {
  const link = explorerLink(chain, 'address', '')
  return link === undefined ? undefined : new URL(link).origin
}

/** The link to a record in the chain's block explorer; undefined if none is known. */
export function explorerLink(
  chain: Pick<Chain, 'explorer'> | undefined,
  what: 'address' | 'transaction' | 'block',
  value: string,
): string | undefined {
  const beginning = chain?.explorer?.[what]
  // The links come from the operator's configuration; only http and https links are shown.
  if (beginning === undefined || !/^https?:\/\//.test(beginning)) return undefined
  return `${beginning}${encodeURIComponent(value)}`
}
