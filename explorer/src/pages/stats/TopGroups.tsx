import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { topGroupsQuery, type StatsFilter } from '../../api/monthCounts.ts'
import { Card } from '../../components/Card.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { TopList } from '../../components/TopList.tsx'
import { CountQuery } from './CountQuery.tsx'
import type { CountCode } from './countedBy.ts'
import styles from './StatsPage.module.css'

export interface Group {
  readonly key: string
  readonly protocol?: string
  readonly count: number
}

export interface TopGroupsProps {
  readonly title: string
  /** As the interface names it: `attester`. */
  readonly by: string
  readonly filter: StatsFilter
  readonly code: CountCode
  readonly labelOf: (group: Group) => ReactNode
}

/** The ten keys with the most attestations. */
export function TopGroups({ title, by, filter, code, labelOf }: TopGroupsProps) {
  const { data, error, refetch } = useQuery(topGroupsQuery(by, filter))
  return (
    <Card title={title} flush>
      {error !== null && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <TopList
          total={data?.total ?? 0}
          rows={data?.rows.map((group) => ({
            key: `${group.key} ${group.protocol ?? ''}`,
            label: labelOf(group),
            count: group.count,
          }))}
        />
      )}
      <div className={styles.inset}>
        <CountQuery code={code} />
      </div>
    </Card>
  )
}
