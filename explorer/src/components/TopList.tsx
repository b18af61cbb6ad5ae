import type { ReactNode } from 'react'
import { formatCount } from '../format/formatCount.ts'
import { ShareBar } from './ShareBar.tsx'
import { Skeleton } from './Skeleton.tsx'
import styles from './TopList.module.css'

export interface TopListProps {
  /** Undefined while they are not known. */
  readonly rows:
    | readonly { readonly key: string; readonly label: ReactNode; readonly count: number }[]
    | undefined
  /** All that the counts are shares of. */
  readonly total: number
}

/** Counts, the greatest first, and their shares of all. */
export function TopList({ rows, total }: TopListProps) {
  return (
    <ol className={styles.list}>
      {rows === undefined
        ? Array.from({ length: 5 }, (_, index) => (
            <li key={index} className={styles.row}>
              <Skeleton characters={24} />
            </li>
          ))
        : rows.map(({ key, label, count }) => (
            <li key={key} className={styles.row}>
              {label}
              <span>
                {formatCount(count)}
                <span className={styles.share}>{formatShare(count, total)}</span>
              </span>
              <ShareBar share={count / Math.max(1, total)} />
            </li>
          ))}
    </ol>
  )
}

function formatShare(count: number, total: number): string {
  const percent = (100 * count) / Math.max(1, total)
  return percent < 1 ? '<1%' : `${Math.round(percent)}%`
}
