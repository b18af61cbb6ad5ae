import styles from './Sparkline.module.css'

export interface SparklineProps {
  /** Oldest first. */
  readonly values: readonly number[]
  /** A description in words: `Attestations of the last 30 days`. */
  readonly label: string
}

const width = 96
const height = 28

/** A line without axes: the shape of a series, beside its figures. */
export function Sparkline({ values, label }: SparklineProps) {
  const max = Math.max(1, ...values)
  const step = width / Math.max(1, values.length - 1)
  const points = values.map(
    (value, index) =>
      `${(index * step).toFixed(1)},${(height - 2 - (value / max) * (height - 4)).toFixed(1)}`,
  )
  return (
    <svg
      className={styles.sparkline}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
      preserveAspectRatio="none"
    >
      {points.length > 1 && (
        <>
          <polygon className={styles.area} points={`0,${height} ${points.join(' ')} ${width},${height}`} />
          <polyline className={styles.line} points={points.join(' ')} />
        </>
      )}
    </svg>
  )
}
