import type { ReactNode } from 'react'
import { Icon, type IconName } from './Icon.tsx'
import styles from './EmptyState.module.css'

export interface EmptyStateProps {
  readonly title: string
  /** A suggestion of what to do next. */
  readonly children?: ReactNode
  readonly icon?: IconName
  /** Whether it fills a whole page; its title is then the heading of the page. */
  readonly wholePage?: boolean
}

/** Says that a list or page is empty, and how to fill it. */
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
