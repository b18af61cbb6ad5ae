import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { ChartProps } from './Chart.tsx'
import styles from './Chart.module.css'
import { SkeletonBlock } from './Skeleton.tsx'

const load = () => import('./Chart.tsx')

const Chart = lazy(async () => ({ default: (await load()).Chart }))

/** `Chart`, drawn and with its library loaded once the reader comes near; until then a block of the same height. */
export function LazyChart(props: ChartProps) {
  const { place, isNear } = useNearness()
  return (
    <div ref={place}>
      {isNear ? (
        <Suspense fallback={<Pending />}>
          <Chart {...props} />
        </Suspense>
      ) : (
        <SkeletonBlock className={styles.pending} />
      )}
    </div>
  )
}

/** The same block while the figures are on their way, and the library beside them. */
export function ChartPending() {
  const { place, isNear } = useNearness()
  useEffect(() => {
    if (isNear) void load()
  }, [isNear])
  return <div ref={place}>{isNear ? <Pending /> : <SkeletonBlock className={styles.pending} />}</div>
}

/** Whether an element is in sight or was, or within a few lines of it. Print shows everything. */
function useNearness() {
  const place = useRef<HTMLDivElement>(null)
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    const show = () => setNear(true)
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) show()
    }, nearness)
    if (place.current !== null) observer.observe(place.current)
    window.addEventListener('beforeprint', show)
    return () => {
      observer.disconnect()
      window.removeEventListener('beforeprint', show)
    }
  }, [])
  return { place, isNear }
}

const nearness = { rootMargin: '100px' }

function Pending() {
  return (
    <div aria-busy="true" data-height="fixed">
      <SkeletonBlock className={styles.pending} />
    </div>
  )
}
