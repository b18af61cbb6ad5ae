import type { ReactNode } from 'react'
import styles from './PageHeader.module.css'

export interface PageHeaderProps {
  /** The kind of page, above the title. */
  readonly kind?: ReactNode
  readonly title: ReactNode
  /** Stands at the end of the title's line. */
  readonly actions?: ReactNode
  /** A line or two below the title. */
  readonly children?: ReactNode
}

/** The head of a page, with its only first-level heading. */
export function PageHeader({ kind, title, actions, children }: PageHeaderProps) {
  return (
    <header className={styles.header}>
      <div className={styles.words}>
        {kind !== undefined && <p className={styles.kind}>{kind}</p>}
        <h1>{title}</h1>
        {children !== undefined && <div className={styles.lead}>{children}</div>}
      </div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </header>
  )
}
