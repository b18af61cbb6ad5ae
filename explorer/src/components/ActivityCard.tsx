import { useMemo, useState, type ReactNode } from 'react'
import { countsOn, daysBetween, lastDays, parseDay, startOfDay } from '../format/fillDays.ts'
import styles from './ActivityCard.module.css'
import { Card } from './Card.tsx'
import { EmptyState } from './EmptyState.tsx'
import { ErrorState } from './ErrorState.tsx'
import { Chart } from './Chart.tsx'
import { Segments } from './Segments.tsx'
import { SkeletonBlock } from './Skeleton.tsx'
import { useNow } from './now.ts'

export interface ActivityCardProps<Row> {
  /** `Attestations per day`. */
  readonly title: string
  readonly activity: {
    readonly data: readonly Row[] | undefined
    readonly error: Error | null
    readonly refetch: () => unknown
  }
  /** The counts of a day that are charted. Create the value once, outside of the component. */
  readonly series: readonly { readonly label: string; readonly count: (row: Row) => number }[]
  /** Shown if no day has any activity. */
  readonly empty: string
  /** Stand before the choice of the range. */
  readonly controls?: ReactNode
}

const ranges = [
  { value: '30', label: '30 d' },
  { value: '90', label: '90 d' },
  { value: '365', label: '1 y' },
  { value: 'all', label: 'All' },
] as const

type Range = (typeof ranges)[number]['value']

/** Counts by day as a chart, over a range that one can choose. */
export function ActivityCard<Row extends { readonly date: string }>(props: ActivityCardProps<Row>) {
  const { title, activity, series, empty, controls } = props
  const { data: rows, error } = activity
  const [range, setRange] = useState<Range>('90')
  const today = useNow(startOfDay)
  const charted = useMemo(() => chartOf(rows ?? [], series, range, today), [rows, series, range, today])
  return (
    <Card
      title={title}
      actions={
        <>
          {controls}
          <Segments label="Range" choices={ranges} value={range} onChange={setRange} />
        </>
      }
    >
      <div className={styles.content}>
        {error !== null && rows === undefined ? (
          <ErrorState error={error} onRetry={() => void activity.refetch()} />
        ) : rows?.length === 0 ? (
          <EmptyState title="No activity yet">
            <p>{empty}</p>
          </EmptyState>
        ) : rows === undefined ? (
          <div aria-busy="true" data-height="fixed">
            <SkeletonBlock className={styles.pending} />
          </div>
        ) : (
          <Chart title={title} {...charted} />
        )}
      </div>
    </Card>
  )
}

function chartOf<Row extends { readonly date: string }>(
  rows: readonly Row[],
  series: ActivityCardProps<Row>['series'],
  range: Range,
  today: number,
) {
  const first = rows[0]
  const last = Math.max(today, parseDay(rows.at(-1)?.date ?? '1970-01-01'))
  const days =
    range === 'all' && first !== undefined
      ? daysBetween(parseDay(first.date), last)
      : lastDays(range === 'all' ? 30 : Number(range), today)
  return {
    days,
    series: series.map(({ label, count }) => ({
      label,
      values: countsOn(days, new Map(rows.map((row) => [parseDay(row.date), count(row)]))),
    })),
  }
}
