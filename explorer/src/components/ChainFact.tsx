import { ChainBadge, type ChainBadgeProps } from './ChainBadge.tsx'
import styles from './ChainFact.module.css'
import { Icon } from './Icon.tsx'
import { explorerOrigin, useChain } from './useChain.ts'

/** The chain and the protocol of a record, with a link to its block explorer if one is known. */
export function ChainFact({ chainId, protocol }: Pick<ChainBadgeProps, 'chainId' | 'protocol'>) {
  const origin = explorerOrigin(useChain(chainId))
  return (
    <span className={styles.fact}>
      <ChainBadge chainId={chainId} protocol={protocol} />
      {origin !== undefined && (
        <a href={origin} target="_blank" rel="noreferrer" className={styles.link}>
          Block explorer <Icon name="external" />
        </a>
      )}
    </span>
  )
}
