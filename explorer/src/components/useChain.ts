import { useQuery } from '@tanstack/react-query'
import { chainsQuery } from '../api/queries.ts'
import type { Chain } from '../api/types.ts'

/** The service's answer about a chain; undefined while it is loading, and for a chain that is not indexed. */
export function useChain(chainId: string): Chain | undefined {
  const { data: chains } = useQuery(chainsQuery())
  return chains?.find((chain) => chain.chainId === chainId)
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
