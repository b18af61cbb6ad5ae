import type { ReactNode } from 'react'
import { Icon, type IconName } from './Icon.tsx'
import styles from './EmptyState.module.css'

export interface EmptyStateProps {
  readonly title: string
  /** What to do about it. */
  readonly children?: ReactNode
  readonly icon?: IconName
}

/** Says that there is nothing here, and what would bring something. */
export function EmptyState({ title, children, icon = 'empty' }: EmptyStateProps) {
  return (
    <div className={styles.state}>
      <Icon name={icon} className={styles.icon ?? ''} />
      <p className={styles.title}>{title}</p>
      {children !== undefined && <div className={styles.text}>{children}</div>}
    </div>
  )
}
