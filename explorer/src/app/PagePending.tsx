import { SkeletonBlock } from '../components/Skeleton.tsx'
import styles from './PagePending.module.css'

/** A placeholder while a page's code loads. */
export function PagePending() {
  return (
    <div className={styles.pending} aria-busy="true">
      <h1 className="visuallyHidden">Loading</h1>
      <SkeletonBlock className={styles.title} />
      <SkeletonBlock className={styles.content} />
    </div>
  )
}
