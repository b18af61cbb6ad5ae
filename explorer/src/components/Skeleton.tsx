import styles from './Skeleton.module.css'

/** A placeholder for text, as tall as a line of it. `characters` is the approximate length of the text. */
export function Skeleton({ characters = 12 }: { readonly characters?: number }) {
  return (
    <span className={styles.line} aria-hidden="true" data-skeleton>
      <span className={styles.bar} style={{ width: `${characters}ch` }} />
    </span>
  )
}

/** Reserves the room of a block of known height; the class sets the height. */
export function SkeletonBlock({ className }: { readonly className?: string | undefined }) {
  return <div className={`${styles.block} ${className ?? ''}`} aria-hidden="true" data-skeleton />
}
