import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { chainsQuery, statsQuery } from '../../api/queries.ts'
import type { Chain } from '../../api/types.ts'
import { Card } from '../../components/Card.tsx'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { Time } from '../../components/Time.tsx'
import { useNow } from '../../components/now.ts'
import { chainState } from '../../format/chainState.ts'
import { parseDay } from '../../format/fillDays.ts'
import { formatCount } from '../../format/formatCount.ts'
import { formatDay } from '../../format/formatTime.ts'
import styles from './ChainsCard.module.css'
import { historyShare } from './historyShare.ts'
import { ProtocolShares } from './ProtocolShares.tsx'

/** All indexed chains, and the freshness of each. */
export function ChainsCard() {
  const { data: stats } = useQuery(statsQuery())
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
            : chains
                .toSorted(byConcern)
                .map((chain) => (
                  <ChainLine
                    key={chain.chainId}
                    chain={chain}
                    isAlone={chains.length === 1}
                    firstDay={stats?.days[0]?.date}
                  />
                ))}
        </ul>
      )}
      <ProtocolShares stats={stats} />
    </Card>
  )
}

/** Chains that are not up to date first, then the largest. */
function byConcern(a: Chain, b: Chain): number {
  const concern = (chain: Chain) => ['bad', 'warn', 'quiet', 'good'].indexOf(chainState(chain).tone)
  return concern(a) - concern(b) || b.attestationCount - a.attestationCount
}

interface ChainLineProps {
  readonly chain: Chain
  /** A single chain has room for all its facts. */
  readonly isAlone: boolean
  /** The first day with an attestation, as `2024-06-10`; undefined while it is not known. */
  readonly firstDay: string | undefined
}

function ChainLine({ chain, isAlone, firstDay }: ChainLineProps) {
  const [seenBlock] = useState(chain.indexedBlock)
  const share = useNow((now) =>
    firstDay === undefined ? null : historyShare(chain, seenBlock, parseDay(firstDay), now),
  )
  // At the head of a chain whose own blocks are of the past, the index is not up to date with the present.
  const { word, tone } = share === null ? chainState(chain) : ({ word: 'Catching up', tone: 'warn' } as const)
  return (
    <li className={styles.chain}>
      <div className={styles.line}>
        <span className={styles.name}>
          <ChainBadge chainId={chain.chainId} />
        </span>
        <span className={styles[tone]} title={chain.lastError ?? undefined}>
          <span className={styles.light} aria-hidden="true" />
          {word}
        </span>
      </div>
      {isAlone ? (
        <ChainFigures chain={chain} />
      ) : (
        <div className={styles.figures}>
          <span>
            {chain.indexedBlock === null ? 'No block yet' : `Block ${formatCount(chain.indexedBlock)}`}
          </span>
          <span>{formatCount(chain.attestationCount)} attestations</span>
        </div>
      )}
      {share !== null && chain.indexedTimestamp !== null && (
        <label className={styles.history}>
          History up to {formatDay(chain.indexedTimestamp)}
          <progress value={share} />
        </label>
      )}
    </li>
  )
}

function ChainFigures({ chain }: { readonly chain: Chain }) {
  const { indexedBlock, indexedTimestamp, headBlock, attestationCount, schemaCount, revocationCount } = chain
  const figures: readonly (readonly [label: string, value: ReactNode])[] = [
    ['Protocols', chain.deployments.map(({ name }) => name).join(', ')],
    ['Newest block of the index', indexedBlock === null ? 'none yet' : formatCount(indexedBlock)],
    ['Made', indexedTimestamp === null ? 'not known' : <Time key="made" seconds={indexedTimestamp} />],
    ['Newest block of the chain', headBlock === null ? 'not known' : formatCount(headBlock)],
    ['Attestations', formatCount(attestationCount)],
    ['Schemas', formatCount(schemaCount)],
    ['Revocations', formatCount(revocationCount)],
  ]
  return (
    <dl className={styles.known}>
      {figures.map(([label, value]) => (
        <div key={label} className={styles.figures}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
