import { Link } from '@tanstack/react-router'
import { hueOf } from '../format/hueOf.ts'
import { protocolName } from '../format/protocolName.ts'
import styles from './ChainBadge.module.css'
import { classNames } from './classNames.ts'
import { useChain } from './useChain.ts'

export interface ChainBadgeProps {
  readonly chainId: string
  /** The protocol of the record, by the interface's name. The badge shows its display name beside the chain's. */
  readonly protocol?: string | undefined
  /** Whether the protocol stands below the chain where a table has columns. */
  readonly stacked?: boolean
  /** Whether the name leads to the page of the chain; not within another link. */
  readonly linked?: boolean
}

/** The chain that something is on, by the name that the service has for it; its number until that is known. */
export function ChainBadge({ chainId, protocol, stacked = false, linked = true }: ChainBadgeProps) {
  const chain = useChain(chainId)
  const name = chain?.name ?? `Chain ${chainId}`
  return (
    <span className={classNames(styles.badge, stacked && styles.stacked)} title={`Chain ${chainId}`}>
      <svg className={styles.dot} viewBox="0 0 8 8" aria-hidden="true">
        <circle cx="4" cy="4" r="4" fill={`hsl(${hueOf(chainId)} 60% 52%)`} />
      </svg>
      {linked ? (
        <Link to="/chain/$id" params={{ id: chainId }} className={styles.name}>
          {name}
        </Link>
      ) : (
        <span className={styles.name}>{name}</span>
      )}{' '}
      {protocol !== undefined && (
        <span className={styles.protocol}>{protocolName(chain === undefined ? [] : [chain], protocol)}</span>
      )}
    </span>
  )
}
