import { useQuery } from '@tanstack/react-query'
import { agentHistoryQuery } from '../../api/queries.ts'
import type { AgentChange } from '../../api/types.ts'
import { AgentAccount } from '../../components/AgentLink.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { Hash } from '../../components/Hash.tsx'
import { Listing } from '../../components/Listing.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { SkeletonBlock } from '../../components/Skeleton.tsx'
import { Time } from '../../components/Time.tsx'
import { explorerLink, useChain } from '../../components/useChain.ts'
import { pageSizeDefault } from '../../format/readSearch.ts'
import styles from './AgentTimeline.module.css'

const size = pageSizeDefault

export interface AgentTimelineProps {
  readonly id: string
  readonly chainId: string
  readonly page: number
}

/** The events of an agent in the registry of identities, newest first. */
export function AgentTimeline({ id, chainId, page }: AgentTimelineProps) {
  const chain = useChain(chainId)
  return (
    <Listing
      listed={useQuery(agentHistoryQuery(id, page, size))}
      page={page}
      size={size}
      what="changes"
      empty={<EmptyState title="No event of this agent is indexed">{null}</EmptyState>}
    >
      {({ rows, stale, empty }) =>
        rows === undefined ? (
          <div aria-busy="true">
            <SkeletonBlock className={styles.pending} />
          </div>
        ) : rows.length === 0 ? (
          empty
        ) : (
          <ol className={styles.timeline} aria-label="Changes, newest first" aria-busy={stale}>
            {rows.map((change, index) => (
              <li key={index} className={styles.change}>
                <div className={styles.line}>
                  <b>{changeNames[change.change]}</b>
                  <Time seconds={change.timestamp} show="both" />
                </div>
                <ChangeWords change={change} />
                {/* Pages of transactions have schemas, attestations and revocations, and no changes of agents. */}
                <Hash
                  hash={change.transactionHash}
                  what="transaction hash"
                  href={explorerLink(chain, 'transaction', change.transactionHash)}
                />
              </li>
            ))}
          </ol>
        )
      }
    </Listing>
  )
}

const changeNames = {
  registered: 'Registered',
  transferred: 'Transferred',
  uriUpdated: 'New registration',
  metadataSet: 'Metadata',
} as const

function ChangeWords({ change: { change, owner, from, uri, key, value } }: { readonly change: AgentChange }) {
  switch (change) {
    case 'registered':
      return (
        <div>
          By <AgentAccount address={owner} />
        </div>
      )
    case 'transferred':
      return (
        <div>
          From <AgentAccount address={from} /> to <AgentAccount address={owner} />
        </div>
      )
    case 'uriUpdated':
      return (
        <div>
          <SafeText text={uri} lengthMax={160} />
        </div>
      )
    case 'metadataSet':
      return (
        <div>
          <SafeText text={`${key}: ${value}`} lengthMax={160} />
        </div>
      )
  }
}
