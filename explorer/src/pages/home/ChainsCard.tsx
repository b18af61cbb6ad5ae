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
import { useAnswerAge } from '../../components/useAnswerAge.ts'
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
  const answerAge = useAnswerAge()
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
                .toSorted((a, b) => concernOf(a) - concernOf(b) || b.attestationCount - a.attestationCount)
                .map((chain) => (
                  <ChainLine
                    key={chain.chainId}
                    chain={chain}
                    answerAge={answerAge}
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

/** Chains in trouble come first, as of the newest answer: lines do not move while the server is silent. */
function concernOf(chain: Chain): number {
  return ['bad', 'warn', 'quiet', 'good'].indexOf(chainState(chain, 0).tone)
}

interface ChainLineProps {
  readonly chain: Chain
  /** Seconds since the server answered. */
  readonly answerAge: number
  /** A single chain has room for all its facts. */
  readonly isAlone: boolean
  /** The first day with an attestation, as `2024-06-10`; undefined while it is not known. */
  readonly firstDay: string | undefined
}

function ChainLine({ chain, answerAge, isAlone, firstDay }: ChainLineProps) {
  const [seenBlock] = useState(chain.indexedBlock)
  const share = useNow((now) =>
    firstDay === undefined ? null : historyShare(chain, seenBlock, parseDay(firstDay), now),
  )
  // At the head of a chain whose own blocks are of the past, the index is not up to date with the present.
  const state = chainState(chain, answerAge)
  const { word, tone } =
    share === null || state.tone !== 'good' ? state : ({ word: 'Catching up', tone: 'warn' } as const)
  return (
    <li className={styles.chain}>
      <div className={styles.line}>
        <span className={styles.name}>
          <ChainBadge chainId={chain.chainId} />
        </span>
        <span className={styles[tone]} title={chain.defect ?? chain.lastError ?? undefined}>
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
