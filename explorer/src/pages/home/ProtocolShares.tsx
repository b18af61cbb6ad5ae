import { useQuery } from '@tanstack/react-query'
import { chainsQuery } from '../../api/queries.ts'
import type { IndexStatistics } from '../../api/types.ts'
import { formatCount, formatShare } from '../../format/formatCount.ts'
import { protocolName } from '../../format/protocolName.ts'
import styles from './ProtocolShares.module.css'

/** How the attestations are spread over protocols and chains, the largest part first. */
export function ProtocolShares({ stats }: { readonly stats: IndexStatistics | undefined }) {
  const { data: chains } = useQuery(chainsQuery())
  if (stats === undefined || stats.protocols.length === 0) return null
  const parts = stats.protocols.toSorted((a, b) => b.attestationCount - a.attestationCount)
  const isOneChain = new Set(parts.map(({ chainId }) => chainId)).size === 1
  return (
    <div className={styles.shares}>
      <h3 className={styles.heading}>Attestations by protocol</h3>
      <ul className={styles.list}>
        {parts.map(({ chainId, protocol, attestationCount }) => {
          const chain = chains?.find((each) => each.chainId === chainId)?.name ?? `Chain ${chainId}`
          const share = attestationCount / Math.max(1, stats.attestationCount)
          return (
            <li key={`${chainId} ${protocol}`}>
              <div className={styles.line}>
                <span>
                  {protocolName(protocol)}
                  {!isOneChain && <span className={styles.muted}> on {chain}</span>}
                </span>
                <span className={styles.muted}>
                  {formatCount(attestationCount)} · {formatShare(share)}
                </span>
              </div>
              <div className={styles.track}>
                <div className={styles.bar} style={{ width: `${Math.max(1, share * 100)}%` }} />
              </div>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
