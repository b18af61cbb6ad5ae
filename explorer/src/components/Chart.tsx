import { useId, useMemo, useState, type KeyboardEvent, type MouseEvent } from 'react'
import { formatCompactCount, formatCount, formatQuantity } from '../format/formatCount.ts'
import { formatDay, formatDayOfYear, formatMonth } from '../format/formatTime.ts'
import { classNames } from './classNames.ts'
import styles from './Chart.module.css'
import { axisOf, barsOf, daysToName } from './chartGeometry.ts'

export interface ChartSeries {
  readonly label: string
  /** One for each day, 0 where nothing happened. */
  readonly values: readonly number[]
}

export interface ChartProps {
  /** The title of the chart: `Attestations per day`. */
  readonly title: string
  /** The first second of each day, Unix time, ascending and without gaps. */
  readonly days: readonly number[]
  /** At most five; they are stacked. */
  readonly series: readonly ChartSeries[]
  /** The span that each value is of: the days are the first ones of months. */
  readonly unit?: 'day' | 'month'
  /** Whether each value holds those before it, so that the last one is the total. */
  readonly isCumulative?: boolean
}

const formats = {
  day: { whole: formatDay, short: formatDayOfYear },
  month: { whole: formatMonth, short: formatMonth },
} as const

const colourOf = (index: number) => `var(--series-${(index % 5) + 1})`

/**
 * Counts by day as stacked bars. The values under the pointer are shown above the bars; arrow keys move through the
 * days; a table holds the same counts as text. Each series is one path in units of days and counts, which the browser
 * stretches: the chart reads no size, and is not drawn anew for another width or theme.
 */
export function Chart({ title, days, series, unit = 'day', isCumulative = false }: ChartProps) {
  const format = formats[unit]
  const [pointed, setPointed] = useState<number | null>(null)
  const description = useId()
  const { totals, steps, top, bars, named } = useMemo(() => {
    const { steps, top } = axisOf(highestOf(days, series))
    return {
      totals: series.map(({ values }) =>
        isCumulative ? (values.at(-1) ?? 0) : values.reduce((sum, value) => sum + value, 0),
      ),
      steps,
      top,
      bars: barsOf(series.map(({ values }) => values)),
      named: daysToName(days.length),
    }
  }, [days, series, isCumulative])
  const last = Math.max(0, days.length - 1)
  // Another range may have fewer days.
  const shown = pointed === null ? null : Math.min(last, pointed)
  const move = (event: KeyboardEvent) => {
    const step = {
      ArrowLeft: -1,
      ArrowRight: 1,
      PageUp: 7,
      PageDown: -7,
      Home: -days.length,
      End: days.length,
    }[event.key]
    if (step === undefined) return
    event.preventDefault()
    setPointed(Math.min(last, Math.max(0, (shown ?? days.length) + step)))
  }
  const point = ({ currentTarget, clientX }: MouseEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    setPointed(Math.min(last, Math.max(0, Math.floor(((clientX - left) / width) * days.length))))
  }
  return (
    <figure className={classNames(styles.chart, unit === 'month' && styles.months)} aria-label={title}>
      <div className={styles.legend}>
        <span className={styles.when}>
          {shown === null ? `Last ${formatQuantity(days.length, unit)}` : format.whole(days[shown] ?? 0)}
        </span>
        {series.map(({ label, values }, index) => (
          <span key={label} className={styles.entry}>
            <svg className={styles.swatch} viewBox="0 0 8 8" aria-hidden="true">
              <rect width="8" height="8" rx="2" fill={colourOf(index)} />
            </svg>
            {label}
            <b>{formatCount(shown === null ? (totals[index] ?? 0) : (values[shown] ?? 0))}</b>
          </span>
        ))}
      </div>
      <div
        className={styles.plot}
        tabIndex={0}
        role="slider"
        aria-label={`${title}, by ${unit}`}
        aria-describedby={description}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={shown ?? last}
        aria-valuetext={describeDay(format.whole, days, series, shown ?? last)}
        onKeyDown={move}
      >
        <div className={styles.area} onMouseMove={point} onMouseLeave={() => setPointed(null)}>
          {steps.map((count) => (
            <div key={count} className={styles.step} style={{ bottom: `${(count / top) * 100}%` }}>
              <span>{formatCompactCount(count)}</span>
            </div>
          ))}
          <svg
            className={styles.bars}
            viewBox={`0 0 ${Math.max(1, days.length)} ${top}`}
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            {shown !== null && <rect className={styles.pointed} x={shown} width={1} height={top} />}
            {/* Counts grow upwards, as they do on paper. */}
            <g transform={`matrix(1 0 0 -1 0 ${top})`}>
              {bars.map((path, index) => (
                <path key={index} d={path} fill={colourOf(index)} />
              ))}
            </g>
          </svg>
          {named.map((index) => (
            <span
              key={index}
              className={styles.day}
              style={{ left: `${((index + 0.5) / days.length) * 100}%` }}
            >
              {format.short(days[index] ?? 0)}
            </span>
          ))}
        </div>
      </div>
      <p id={description} className="visuallyHidden">
        Arrow keys move through the {unit}s; the table below has all of them.
      </p>
      <ChartTable title={title} days={days} series={series} unit={unit} />
    </figure>
  )
}
function ChartTable({ title, days, series, unit = 'day' }: ChartProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={styles.details} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Show as a table</summary>
      {isOpen && (
        // Scrolls, so it has to take the focus.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div className={styles.tableBox} role="region" aria-label={`${title}, table`} tabIndex={0}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">{unit === 'day' ? 'Day' : 'Month'}</th>
                {series.map(({ label }) => (
                  <th key={label} scope="col">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days
                .map((day, index) => (
                  <tr key={day}>
                    <th scope="row">{formats[unit].whole(day)}</th>
                    {series.map(({ label, values }) => (
                      <td key={label}>{formatCount(values[index] ?? 0)}</td>
                    ))}
                  </tr>
                ))
                .toReversed()}
            </tbody>
          </table>
        </div>
      )}
    </details>
  )
}

function describeDay(
  format: (day: number) => string,
  days: readonly number[],
  series: readonly ChartSeries[],
  index: number,
): string {
  const day = days[index]
  if (day === undefined) return 'no days'
  const values = series.map(({ label, values: counts }) => `${label} ${formatCount(counts[index] ?? 0)}`)
  return `${format(day)}: ${values.join(', ')}`
}

function highestOf(days: readonly number[], series: readonly ChartSeries[]): number {
  return Math.max(
    0,
    ...days.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)),
  )
}
