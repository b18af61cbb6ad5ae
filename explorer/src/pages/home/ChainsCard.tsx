import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { chainsQuery, statsQuery } from '../../api/queries.ts'
import type { Chain } from '../../api/types.ts'
import { Card } from '../../components/Card.tsx'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { ChainStateWord } from '../../components/ChainStateWord.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { Time } from '../../components/Time.tsx'
import { useNow } from '../../components/now.ts'
import { useAnswerAge } from '../../components/useAnswerAge.ts'
import { byState, chainState, concernOf } from '../../format/chainState.ts'
import { parseDay } from '../../format/fillDays.ts'
import { formatCount } from '../../format/formatCount.ts'
import { formatDay } from '../../format/formatTime.ts'
import styles from './ChainsCard.module.css'
import { historyShare } from './historyShare.ts'
import { ProtocolShares } from './ProtocolShares.tsx'

/** More chains than that are shown by their states; only those in trouble have lines of their own. */
const linesMax = 3

/** All indexed chains, and the freshness of each. */
export function ChainsCard() {
  const { data: stats } = useQuery(statsQuery())
  const { data: chains, isError, error, refetch } = useQuery(chainsQuery())
  const answerAge = useAnswerAge()
  const ordered = (chains ?? []).toSorted(
    (a, b) => concernOf(a) - concernOf(b) || b.attestationCount - a.attestationCount,
  )
  return (
    <Card title="Chains" actions={<Link to="/chains">All chains</Link>} flush className={styles.card}>
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
            : ordered
                .slice(0, ordered.length > linesMax ? linesMax - 1 : linesMax)
                .map((chain) => (
                  <ChainLine
                    key={chain.chainId}
                    chain={chain}
                    answerAge={answerAge}
                    isAlone={ordered.length === 1}
                    firstDay={stats?.days[0]?.date}
                  />
                ))}
          {ordered.length > linesMax && (
            <li>
              <StateStrip chains={ordered} answerAge={answerAge} />
            </li>
          )}
        </ul>
      )}
      {/* The lights of many chains take its room. */}
      {ordered.length <= linesMax && <ProtocolShares stats={stats} />}
    </Card>
  )
}

/** Every chain as a light that leads to its page, by state. */
function StateStrip({
  chains,
  answerAge,
}: {
  readonly chains: readonly Chain[]
  readonly answerAge: number
}) {
  return (
    <div className={styles.strip}>
      {byState(chains, answerAge).map(({ label, chains: those }) => (
        <div key={label}>
          {label} <b>{formatCount(those.length)}</b>
          <div className={styles.dots}>
            {those.map(({ chain, state }) => (
              <Link
                key={chain.chainId}
                to="/chain/$id"
                params={{ id: chain.chainId }}
                className={styles.dot}
                title={`${chain.name}: ${state.word}`}
                aria-label={`${chain.name}: ${state.word}`}
              >
                <ChainStateWord chain={chain} state={{ ...state, word: '' }} />
              </Link>
            ))}
          </div>
        </div>
      ))}
    </div>
  )
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
  const shown =
    share === null || state.tone !== 'good' ? state : ({ word: 'Catching up', tone: 'warn' } as const)
  return (
    <li className={styles.chain}>
      <div className={styles.line}>
        <span className={styles.name}>
          <ChainBadge chainId={chain.chainId} />
        </span>
        <ChainStateWord chain={chain} state={shown} />
      </div>
      {share !== null && chain.indexedTimestamp !== null && (
        <label className={styles.history}>
          History up to {formatDay(chain.indexedTimestamp)}
          <progress value={share} />
        </label>
      )}
      {isAlone ? (
        <ChainFigures chain={chain} />
      ) : (
        // A line with its progress is as high as one without: the next line is not cut off.
        share === null && (
          <div className={styles.figures}>
            <span>
              {chain.indexedBlock === null ? 'No block yet' : `Block ${formatCount(chain.indexedBlock)}`}
            </span>
            <span>{formatCount(chain.attestationCount)} attestations</span>
          </div>
        )
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
