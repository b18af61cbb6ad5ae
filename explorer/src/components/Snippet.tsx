import { CopyButton } from './CopyButton.tsx'
import styles from './Snippet.module.css'

export interface SnippetProps {
  /** The purpose of the snippet: `Ask for this schema`. */
  readonly label: string
  readonly code: string
}

/** A piece of text to copy. */
export function Snippet({ label, code }: SnippetProps) {
  return (
    <figure className={styles.snippet}>
      <figcaption className={styles.caption}>
        {label} <CopyButton value={code} label={`Copy: ${label}`} />
      </figcaption>
      {/* Scrolls, so it has to take the focus. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className={styles.code} tabIndex={0} role="region" aria-label={label}>
        {code}
      </pre>
    </figure>
  )
}
