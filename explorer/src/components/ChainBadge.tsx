import { hueOf } from '../format/hueOf.ts'
import styles from './ChainBadge.module.css'
import { useChain } from './useChain.ts'

/** The chain that something is on, by the name that the service has for it; its number until that is known. */
export function ChainBadge({ chainId }: { readonly chainId: string }) {
  const name = useChain(chainId)?.name ?? `Chain ${chainId}`
  return (
    <span className={styles.badge} title={`Chain ${chainId}`}>
      <svg className={styles.dot} viewBox="0 0 8 8" aria-hidden="true">
        <circle cx="4" cy="4" r="4" fill={`hsl(${hueOf(chainId)} 60% 52%)`} />
      </svg>
      {name}
    </span>
  )
}
