import type { ReactNode } from 'react'
import styles from './RecordLayout.module.css'
import { SkeletonBlock } from './Skeleton.tsx'

export interface RecordLayoutProps {
  readonly main: ReactNode
  /** Stands beside it, below where there is little room. */
  readonly side: ReactNode
}

/** The parts of a page about one record, in two columns. */
export function RecordLayout({ main, side }: RecordLayoutProps) {
  return (
    <div className={styles.columns}>
      <div className={styles.column}>{main}</div>
      <div className={styles.column}>{side}</div>
    </div>
  )
}

/** Stands where such a page will stand while its record is on its way. */
export function RecordPending({ what }: { readonly what: string }) {
  return (
    <div aria-busy="true">
      <h1 className="visuallyHidden">Loading the {what}</h1>
      <SkeletonBlock className={styles.pendingTitle} />
      <RecordLayout
        main={
          <>
            <SkeletonBlock className={styles.pendingCard} />
            <SkeletonBlock className={styles.pendingCard} />
          </>
        }
        side={<SkeletonBlock className={styles.pendingSide} />}
      />
    </div>
  )
}
