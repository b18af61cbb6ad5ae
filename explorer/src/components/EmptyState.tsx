import type { ReactNode } from 'react'
import { Icon, type IconName } from './Icon.tsx'
import styles from './EmptyState.module.css'

export interface EmptyStateProps {
  readonly title: string
  /** What to do about it. */
  readonly children?: ReactNode
  readonly icon?: IconName
  /** Whether it stands for a whole page, whose heading its title is then. */
  readonly wholePage?: boolean
}

/** Says that there is nothing here, and what would bring something. */
export function EmptyState({ title, children, icon = 'empty', wholePage = false }: EmptyStateProps) {
  const Title = wholePage ? 'h1' : 'p'
  return (
    <div className={styles.state}>
      <Icon name={icon} className={styles.icon ?? ''} />
      <Title className={styles.title}>{title}</Title>
      {children !== undefined && <div className={styles.text}>{children}</div>}
    </div>
  )
}
