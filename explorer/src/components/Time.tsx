import { formatMachineTime, formatRelativeTime } from '../format/formatTime.ts'
import { useNow } from './now.ts'
import { useAbsoluteTime } from './timeZone.ts'
import styles from './Time.module.css'
import { classNames } from './classNames.ts'

export interface TimeProps {
  /** Unix seconds, as number or digits. */
  readonly seconds: number | string
  /** `both` for pages about one record; relative, with the other on hover, by default. */
  readonly show?: 'relative' | 'absolute' | 'both'
}

/** A time, kept up to date. */
export function Time({ seconds, show = 'relative' }: TimeProps) {
  const value = Number(seconds)
  const relative = useNow((now) => formatRelativeTime(value, now))
  const absolute = useAbsoluteTime()(value)
  return (
    <time
      className={classNames(styles.time, show === 'both' && styles.both)}
      dateTime={formatMachineTime(value)}
      title={absolute}
    >
      {show === 'absolute' ? absolute : relative}
      {show === 'both' && <span className={styles.absolute}>{absolute}</span>}
    </time>
  )
}
