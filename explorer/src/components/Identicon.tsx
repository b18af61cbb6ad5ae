import { useMemo } from 'react'
import { identicon } from '../format/identicon.ts'
import styles from './Identicon.module.css'

/** The picture of an address, drawn here: equal for equal addresses in any case. */
export function Identicon({
  of,
  size = 'small',
}: {
  readonly of: string
  readonly size?: 'small' | 'large'
}) {
  const { cells, hue, secondHue } = useMemo(() => identicon(of), [of])
  const path = cells.map((painted, i) => (painted ? `M${i % 5} ${Math.floor(i / 5)}h1v1h-1z` : '')).join('')
  return (
    <svg className={styles[size]} viewBox="-0.75 -0.75 6.5 6.5" aria-hidden="true">
      <rect x="-0.75" y="-0.75" width="6.5" height="6.5" fill={`hsl(${secondHue} 45% 86%)`} />
      <path d={path} fill={`hsl(${hue} 62% 42%)`} shapeRendering="crispEdges" />
    </svg>
  )
}
