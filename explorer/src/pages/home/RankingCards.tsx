import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { topSchemasQuery, trendingSchemasQuery } from '../../api/queries.ts'
import { sparklinesQuery, type DayCounts } from '../../api/sparklines.ts'
import type { RankedSchema } from '../../api/types.ts'
import { Card } from '../../components/Card.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { Sliced } from '../../components/Sliced.tsx'
import { useNow } from '../../components/now.ts'
import { countsOn, lastDays, startOfDay } from '../../format/fillDays.ts'
import { recordKey } from '../../format/recordKey.ts'
import { RankedSchemaList } from './RankedSchemaList.tsx'
import styles from './RankingCards.module.css'

/** The most used schemas ever, and the trending ones. */
export function RankingCards() {
  const top = useQuery(topSchemasQuery())
  const trending = useQuery(trendingSchemasQuery())
  const ranked = top.data === undefined || trending.data === undefined ? [] : [...top.data, ...trending.data]
  const { data: counts } = useQuery(sparklinesQuery(ranked))
  return (
    <div className={styles.columns}>
      <RankingCard title="Top schemas" query={top} counts={counts} />
      <RankingCard title="Trending this week" query={trending} counts={counts} />
    </div>
  )
}

interface RankingCardProps {
  readonly title: string
  readonly query: {
    readonly data: readonly RankedSchema[] | undefined
    readonly isError: boolean
    readonly error: unknown
    readonly refetch: () => unknown
  }
  readonly counts: ReadonlyMap<string, DayCounts> | undefined
}

function RankingCard({ title, query, counts }: RankingCardProps) {
  const today = useNow(startOfDay)
  const days = lastDays(30, today)
  return (
    <Card title={title} actions={<Link to="/schemas">All schemas</Link>} flush>
      <Sliced>
        {query.isError && query.data === undefined ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : query.data?.length === 0 ? (
          <EmptyState title="No schema has been used yet">
            <p>Schemas appear here with their first attestation.</p>
          </EmptyState>
        ) : (
          <RankedSchemaList
            schemas={query.data}
            seriesOf={(schema) => {
              const ofSchema = counts?.get(recordKey(schema))
              return ofSchema === undefined ? undefined : countsOn(days, ofSchema)
            }}
          />
        )}
      </Sliced>
    </Card>
  )
}
