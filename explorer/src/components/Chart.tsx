import { useEffect, useId, useMemo, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatCompactCount, formatCount } from '../format/formatCount.ts'
import { formatDay } from '../format/formatTime.ts'
import styles from './Chart.module.css'
import { useThemeColours } from './useThemeColours.ts'

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
}

const seriesColours = ['--series-1', '--series-2', '--series-3', '--series-4', '--series-5'] as const

/**
 * Counts by day as stacked bars. The values under the pointer are shown above the bars; arrow keys move through the
 * days; a table holds the same counts as text.
 */
export function Chart({ title, days, series }: ChartProps) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(null)
  const [pointed, setPointed] = useState<number | null>(null)
  const colours = useThemeColours([...seriesColours, '--ink-muted', '--line'])
  const description = useId()

  useEffect(() => {
    const element = host.current
    if (element === null) return undefined
    const made = new uPlot(
      optionsOf(sizeOf(element), series, colours, setPointed),
      stack(days, series),
      element,
    )
    plot.current = made
    const observer = new ResizeObserver(() => made.setSize(sizeOf(element)))
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
      plot.current = null
    }
  }, [days, series, colours])

  const totals = useMemo(
    () => series.map(({ values }) => values.reduce((sum, value) => sum + value, 0)),
    [series],
  )
  const move = (step: number) => {
    const index = Math.min(days.length - 1, Math.max(0, (pointed ?? days.length) + step))
    plot.current?.setCursor({ left: plot.current.valToPos(days[index] ?? 0, 'x'), top: 0 })
    setPointed(index)
  }
  return (
    <figure className={styles.chart} aria-label={title}>
      <div className={styles.legend}>
        <span className={styles.when}>
          {pointed === null ? `Last ${formatCount(days.length)} days` : formatDay(days[pointed] ?? 0)}
        </span>
        {series.map(({ label, values }, index) => (
          <span key={label} className={styles.entry}>
            <svg className={styles.swatch} viewBox="0 0 8 8" aria-hidden="true">
              <rect width="8" height="8" rx="2" fill={`var(${seriesColours[index % 5]})`} />
            </svg>
            {label}
            <b>{formatCount(pointed === null ? (totals[index] ?? 0) : (values[pointed] ?? 0))}</b>
          </span>
        ))}
      </div>
      <div
        ref={host}
        className={styles.plot}
        tabIndex={0}
        role="slider"
        aria-label={`${title}, by day`}
        aria-describedby={description}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, days.length - 1)}
        aria-valuenow={pointed ?? Math.max(0, days.length - 1)}
        aria-valuetext={describeDay(days, series, pointed ?? days.length - 1)}
        onKeyDown={(event) => {
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
          move(step)
        }}
      />
      <p id={description} className="visuallyHidden">
        Arrow keys move through the days; the table below has all of them.
      </p>
      <ChartTable title={title} days={days} series={series} />
    </figure>
  )
}

function ChartTable({ title, days, series }: ChartProps) {
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
                <th scope="col">Day</th>
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
                    <th scope="row">{formatDay(day)}</th>
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

function describeDay(days: readonly number[], series: readonly ChartSeries[], index: number): string {
  const day = days[index]
  if (day === undefined) return 'no days'
  const values = series.map(({ label, values: counts }) => `${label} ${formatCount(counts[index] ?? 0)}`)
  return `${formatDay(day)}: ${values.join(', ')}`
}

/** Later series stand on earlier ones: drawn in reverse, each bar from the ground, the higher ones behind. */
function stack(days: readonly number[], series: readonly ChartSeries[]): uPlot.AlignedData {
  const sums = new Array<number>(days.length).fill(0)
  const stacked = series.map(({ values }) =>
    sums.map((sum, index) => (sums[index] = sum + (values[index] ?? 0))),
  )
  return [[...days], ...stacked.toReversed()]
}

type PlotSize = Pick<uPlot.Options, 'width' | 'height'>

/** The class sets the height. */
function sizeOf({ clientWidth, clientHeight }: Element): PlotSize {
  return { width: clientWidth, height: clientHeight }
}

function optionsOf(
  size: PlotSize,
  series: readonly ChartSeries[],
  colours: Readonly<Record<string, string>>,
  onPoint: (index: number | null) => void,
): uPlot.Options {
  const bars = uPlot.paths.bars?.({ size: [0.72, 22], radius: 0.15, align: 0 })
  const drawn = series.map(({ label }, index): uPlot.Series => {
    const colour = colours[seriesColours[index % 5] ?? '--series-1'] ?? 'blue'
    return {
      label,
      stroke: colour,
      fill: colour,
      width: 0,
      points: { show: false },
      ...(bars && { paths: bars }),
    }
  })
  const axis = {
    stroke: colours['--ink-muted'] ?? 'gray',
    font: `12px ${getComputedStyle(document.body).fontFamily}`,
    ticks: { show: false },
  }
  return {
    ...size,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { range: (_plot, min, max) => [min - 43_200, max + 43_200] },
      y: { range: (_plot, _min, max) => [0, Math.max(4, max * 1.08)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 52,
        size: 32,
        values: (_plot, splits) => splits.map(formatAxisDay),
      },
      {
        ...axis,
        size: 44,
        space: 36,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6, 1e7],
        grid: { stroke: colours['--line'] ?? 'silver', width: 1 },
        values: (_plot, splits) => splits.map(formatCompactCount),
      },
    ],
    series: [{}, ...drawn.toReversed()],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  }
}

const axisDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

function formatAxisDay(seconds: number): string {
  return axisDay.format(seconds * 1000)
}
