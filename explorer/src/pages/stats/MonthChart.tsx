import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { countsBeforeQuery, monthsQuery, type Grown, type StatsFilter } from '../../api/monthCounts.ts'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { Chart } from '../../components/Chart.tsx'
import { pictureOf } from '../../components/chartPicture.ts'
import { ErrorState } from '../../components/ErrorState.tsx'
import { saveFile } from '../../components/saveFile.ts'
import { Segments } from '../../components/Segments.tsx'
import { SkeletonBlock } from '../../components/Skeleton.tsx'
import { useNow } from '../../components/now.ts'
import { formatCount } from '../../format/formatCount.ts'
import { formatMonth } from '../../format/formatTime.ts'
import { lastMonths } from '../../format/fillDays.ts'
import { CountQuery } from './CountQuery.tsx'
import { countCode, frameOf } from './countedBy.ts'
import styles from './StatsPage.module.css'

export interface MonthChartProps {
  readonly grown: Grown
  /** `Attesters`. */
  readonly name: string
  readonly filter: StatsFilter
  readonly initialView?: View
  /** In a frame of another site: shown in place of the picture and the query. */
  readonly actions?: ReactNode
  /** Below the name. */
  readonly about?: ReactNode
}

type View = 'new' | 'all'

/** Attestations whose accounts are counted unasked: the index counts them anew for each month. */
const unaskedMax = 20_000

const views = [
  { value: 'new', label: 'New' },
  { value: 'all', label: 'Cumulative' },
] as const

/** A figure by month over the last year, new or cumulative, with its query and as a picture. */
export function MonthChart(props: MonthChartProps) {
  const { grown, name, filter, initialView = 'new', actions, about } = props
  const [view, setView] = useState<View>(initialView)
  const [isAsked, setAsked] = useState(false)
  const times = useNow((now) => lastMonths(14, now).join(' '))
    .split(' ')
    .map(Number)
  const all = useQuery(monthsQuery(filter))
  const total = all.data?.total
  const isOfAccounts = grown === 'attesters' || grown === 'recipients'
  const isCounted = !isOfAccounts || isAsked || (total !== undefined && total <= unaskedMax)
  const counts = useQuery({ ...countsBeforeQuery(grown, filter, times), enabled: isCounted })
  const { data } = counts
  const { error, refetch } = isCounted ? counts : all
  // The last time is the first of the next month: the counts before it are those of today.
  const months = times.slice(1, -1)
  const before = data ?? []
  const values = months.map(
    (_, index) => (before[index + 2] ?? 0) - (view === 'new' ? (before[index + 1] ?? 0) : 0),
  )
  const title = view === 'new' ? `${name} by month` : `${name} until the end of each month`
  const save = async () => {
    const picture = await pictureOf({
      title,
      source: window.location.host,
      labels: months.map(formatMonth),
      values,
    })
    saveFile(`${grown}-by-month.png`, picture)
  }
  return (
    <Card
      title={
        <>
          {name} {about !== undefined && <small className={styles.about}>{about}</small>}
        </>
      }
      actions={
        <>
          <Segments label={`Count ${name.toLowerCase()}`} choices={views} value={view} onChange={setView} />
          {actions ?? (
            <Button onClick={() => void save()} disabled={data === undefined}>
              PNG
            </Button>
          )}
        </>
      }
    >
      {error !== null && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : total !== undefined && !isCounted ? (
        <Button onClick={() => setAsked(true)}>Count those of {formatCount(total)} attestations</Button>
      ) : data === undefined ? (
        <div aria-busy="true">
          <SkeletonBlock className={styles.pending} />
        </div>
      ) : (
        <Chart
          title={title}
          days={months}
          unit="month"
          isCumulative={view === 'all'}
          series={[{ label: name, values }]}
        />
      )}
      {actions === undefined && (
        <CountQuery
          code={countCode(grown, filter, window.location.origin)}
          frame={frameOf(title, { figure: grown, view: view === 'all' ? view : undefined, ...filter })}
        />
      )}
    </Card>
  )
}
