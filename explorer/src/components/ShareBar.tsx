import styles from './ShareBar.module.css'

/** A bar under a row of a grid; `share` of the width, from 0 to 1, is filled. The row says the number in words. */
export function ShareBar({ share }: { readonly share: number }) {
  return (
    <svg className={styles.bar} viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      <rect width={100 * share} height="1" />
    </svg>
  )
}
