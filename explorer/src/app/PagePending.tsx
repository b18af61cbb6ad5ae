import { SkeletonBlock } from '../components/Skeleton.tsx'
import styles from './PagePending.module.css'

/** Stands where a page will stand while its code is on its way. */
export function PagePending() {
  return (
    <div className={styles.pending} aria-busy="true">
      <h1 className="visuallyHidden">Loading</h1>
      <SkeletonBlock className={styles.title} />
      <SkeletonBlock className={styles.content} />
    </div>
  )
}
