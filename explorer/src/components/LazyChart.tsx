import { lazy, Suspense } from 'react'
import type { ChartProps } from './Chart.tsx'
import { SkeletonBlock } from './Skeleton.tsx'
import styles from './Chart.module.css'

const Chart = lazy(async () => ({ default: (await import('./Chart.tsx')).Chart }))

/** `Chart`, whose library is loaded when the first one is shown; a block as tall as it stands there meanwhile. */
export function LazyChart(props: ChartProps) {
  return (
    <Suspense fallback={<SkeletonBlock className={styles.plot} />}>
      <Chart {...props} />
    </Suspense>
  )
}
