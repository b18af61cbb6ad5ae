import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { chainsQuery } from '../../api/queries.ts'
import type { Chain, IndexStatistics } from '../../api/types.ts'
import { Card } from '../../components/Card.tsx'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { chainState } from '../../format/chainState.ts'
import { formatCount } from '../../format/formatCount.ts'
import styles from './ChainsCard.module.css'
import { ProtocolShares } from './ProtocolShares.tsx'

/** Every chain that is indexed, and how fresh it is. */
export function ChainsCard({ stats }: { readonly stats: IndexStatistics | undefined }) {
  const { data: chains, isError, error, refetch } = useQuery(chainsQuery())
  return (
    <Card title="Chains" flush className={styles.card}>
      {isError && chains === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : chains?.length === 0 ? (
        <EmptyState title="No chain is indexed yet">
          <p>Chains appear once their indexer has begun.</p>
        </EmptyState>
      ) : (
        <ul className={styles.list}>
          {chains === undefined
            ? [0, 1, 2].map((index) => (
                <li key={index} className={styles.chain}>
                  <Skeleton characters={14} />
                  <Skeleton characters={20} />
                </li>
              ))
            : chains.toSorted(byConcern).map((chain) => <ChainLine key={chain.chainId} chain={chain} />)}
        </ul>
      )}
      <ProtocolShares stats={stats} />
    </Card>
  )
}

/** Those that are not up to date first, then the largest. */
function byConcern(a: Chain, b: Chain): number {
  const concern = (chain: Chain) => ['bad', 'warn', 'quiet', 'good'].indexOf(chainState(chain).tone)
  return concern(a) - concern(b) || b.attestationCount - a.attestationCount
}

function ChainLine({ chain }: { readonly chain: Chain }) {
  const { word, tone } = chainState(chain)
  return (
    <li className={styles.chain}>
      <div className={styles.line}>
        <Link
          to="/attestations"
          search={{ chainId: chain.chainId }}
          className={styles.name}
          title={`Attestations on ${chain.name}`}
        >
          <ChainBadge chainId={chain.chainId} />
        </Link>
        <span className={styles[tone]} title={chain.lastError ?? undefined}>
          <span className={styles.light} aria-hidden="true" />
          {word}
        </span>
      </div>
      <div className={styles.figures}>
        <span>
          {chain.indexedBlock === null ? 'No block yet' : `Block ${formatCount(chain.indexedBlock)}`}
        </span>
        <span>{formatCount(chain.attestationCount)} attestations</span>
      </div>
    </li>
  )
}
