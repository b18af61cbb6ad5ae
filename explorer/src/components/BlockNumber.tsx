import { useQuery } from '@tanstack/react-query'
import { transactionQuery } from '../api/queries.ts'
import { formatCount } from '../format/formatCount.ts'
import { Icon } from './Icon.tsx'
import { Skeleton } from './Skeleton.tsx'
import { explorerLink, useChain, type KnownChain } from './useChain.ts'

export interface BlockNumberProps {
  readonly chainId: string
  /** Not of zeros, which stand for no transaction. */
  readonly transactionHash: string
}

/** The block number of a transaction, with a link to the chain's block explorer if one is known. */
export function BlockNumber({ chainId, transactionHash }: BlockNumberProps) {
  const { data, isError } = useQuery(transactionQuery(transactionHash, chainId))
  const chain = useChain(chainId)
  if (isError) return <>Not known</>
  const number = data?.blockNumber
  if (number === undefined) return <Skeleton characters={9} />
  return <BlockLink chain={chain} block={number} />
}

/** A block number, with a link to the chain's block explorer if one is known. */
export function BlockLink({
  chain,
  block,
}: {
  readonly chain: KnownChain | undefined
  readonly block: number
}) {
  const href = explorerLink(chain, 'block', String(block))
  if (href === undefined) return <>{formatCount(block)}</>
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {formatCount(block)} <Icon name="external" />
    </a>
  )
}
