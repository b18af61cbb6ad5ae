import { lazy, Suspense, useEffect } from 'react'
import type { ChartProps } from './Chart.tsx'
import styles from './Chart.module.css'
import { SkeletonBlock } from './Skeleton.tsx'

const load = () => import('./Chart.tsx')

const Chart = lazy(async () => ({ default: (await load()).Chart }))

/** `Chart`, with its library loaded at the first use; meanwhile a block of the same height. */
export function LazyChart(props: ChartProps) {
  return (
    <Suspense fallback={<Pending />}>
      <Chart {...props} />
    </Suspense>
  )
}

/** The same block while the figures are on their way, and the library beside them. */
export function ChartPending() {
  useEffect(() => void load(), [])
  return <Pending />
}

function Pending() {
  return (
    <div aria-busy="true" data-height="fixed">
      <SkeletonBlock className={styles.pending} />
    </div>
  )
}
