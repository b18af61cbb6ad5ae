import type { ReactNode } from 'react'
import styles from './Card.module.css'
import { classNames } from './classNames.ts'

export interface CardProps {
  readonly title?: ReactNode
  /** Stands at the end of the title's line. */
  readonly actions?: ReactNode
  /** Without padding, for tables and lists that bring their own. */
  readonly flush?: boolean
  readonly className?: string | undefined
  readonly children: ReactNode
}

/** A section on its own surface, with a heading. */
export function Card({ title, actions, flush = false, className, children }: CardProps) {
  return (
    <section className={classNames(styles.card, className)}>
      {title !== undefined && (
        <header className={styles.header}>
          <h2>{title}</h2>
          {actions !== undefined && <div className={styles.actions}>{actions}</div>}
        </header>
      )}
      <div className={flush ? styles.flush : styles.body}>{children}</div>
    </section>
  )
}
