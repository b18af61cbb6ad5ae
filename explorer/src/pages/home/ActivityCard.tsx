import type { UseQueryResult } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { IndexStatistics } from '../../api/types.ts'
import { Card } from '../../components/Card.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { LazyChart } from '../../components/LazyChart.tsx'
import { Segments } from '../../components/Segments.tsx'
import { useNow } from '../../components/now.ts'
import { countsOn, daysBetween, lastDays, parseDay, startOfDay } from '../../format/fillDays.ts'
import styles from './ActivityCard.module.css'

const ranges = [
  { value: '30', label: '30 d' },
  { value: '90', label: '90 d' },
  { value: '365', label: '1 y' },
  { value: 'all', label: 'All' },
] as const

type Range = (typeof ranges)[number]['value']

/** How many attestations each day has seen. */
export function ActivityCard({ stats }: { readonly stats: UseQueryResult<IndexStatistics> }) {
  const [range, setRange] = useState<Range>('90')
  const today = useNow(startOfDay)
  const charted = useMemo(() => chartOf(stats.data, range, today), [stats.data, range, today])
  return (
    <Card
      title="Attestations per day"
      actions={<Segments label="Range" choices={ranges} value={range} onChange={setRange} />}
    >
      <div className={styles.content}>
        {stats.isError && stats.data === undefined ? (
          <ErrorState error={stats.error} onRetry={() => void stats.refetch()} />
        ) : stats.data?.days.length === 0 ? (
          <EmptyState title="Nothing has been attested yet">
            <p>The first attestation will appear here as soon as it is indexed.</p>
          </EmptyState>
        ) : (
          <LazyChart title="Attestations per day" {...charted} />
        )}
      </div>
    </Card>
  )
}

function chartOf(stats: IndexStatistics | undefined, range: Range, today: number) {
  const rows = stats?.days ?? []
  const first = rows[0]
  const days =
    range === 'all' && first !== undefined
      ? daysBetween(parseDay(first.date), Math.max(today, parseDay(rows.at(-1)?.date ?? first.date)))
      : lastDays(range === 'all' ? 30 : Number(range), today)
  const counts = new Map(rows.map((row) => [parseDay(row.date), row.attestationCount]))
  return { days, series: [{ label: 'Attestations', values: countsOn(days, counts) }] }
}
