import type { ReactNode } from 'react'
import { formatCount } from '../format/formatCount.ts'
import { Skeleton } from './Skeleton.tsx'
import styles from './Totals.module.css'

export interface TotalsProps {
  /** Four figures are best. A value is undefined while it loads, and null if it cannot be read. */
  readonly totals: readonly {
    readonly key: string
    readonly label: ReactNode
    readonly value: number | null | undefined
  }[]
}

/** A few figures side by side, each under its name. */
export function Totals({ totals }: TotalsProps) {
  return (
    <dl className={styles.strip}>
      {totals.map(({ key, label, value }) => (
        <div key={key} className={styles.total}>
          <dt>{label}</dt>
          <dd>
            {value === undefined ? (
              <Skeleton characters={6} />
            ) : value === null ? (
              'Not known'
            ) : (
              formatCount(value)
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
