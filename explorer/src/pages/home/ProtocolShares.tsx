import type { IndexStatistics } from '../../api/types.ts'
import { useChains } from '../../components/useChain.ts'
import { formatCount, formatShare } from '../../format/formatCount.ts'
import { protocolName } from '../../format/protocolName.ts'
import styles from './ProtocolShares.module.css'

/** The shares of the protocols in all attestations, the largest first. Empty with a single protocol. */
export function ProtocolShares({ stats }: { readonly stats: IndexStatistics | undefined }) {
  const chains = useChains()
  const counts = new Map<string, number>()
  for (const { protocol, attestationCount } of stats?.protocols ?? []) {
    counts.set(protocol, (counts.get(protocol) ?? 0) + attestationCount)
  }
  if (stats === undefined || counts.size < 2) return null
  return (
    <div className={styles.shares}>
      <h3 className={styles.heading}>Attestations by protocol</h3>
      <ul className={styles.list}>
        {[...counts]
          .sort(([, a], [, b]) => b - a)
          .map(([protocol, count]) => {
            const share = count / Math.max(1, stats.attestationCount)
            return (
              <li key={protocol}>
                <div className={styles.line}>
                  <span>{protocolName(chains, protocol)}</span>
                  <span className={styles.muted}>
                    {formatCount(count)} · {formatShare(share)}
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
