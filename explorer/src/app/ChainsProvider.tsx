import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { chainsQuery } from '../api/queries.ts'
import type { Chain } from '../api/types.ts'
import { ChainsContext, type KnownChain } from '../components/useChain.ts'

/** Tells the page the names of the chains. The page renders anew when a name changes, not when a block comes. */
export function ChainsProvider({ children }: { readonly children: ReactNode }) {
  const { data: chains } = useQuery({ ...chainsQuery(), select: knownChains })
  return <ChainsContext value={chains}>{children}</ChainsContext>
}

function knownChains({ rows }: { readonly rows: readonly Chain[] }): readonly KnownChain[] {
  return rows.map(({ chainId, name, explorer, protocols, deployments }) => ({
    chainId,
    name,
    explorer,
    protocols,
    deployments,
  }))
}
