import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { formatCount } from '../format/formatCount.ts'
import { Icon, type IconName } from './Icon.tsx'
import styles from './Pagination.module.css'
import { classNames } from './classNames.ts'

export interface PaginationProps {
  /** From 1. */
  readonly page: number
  readonly size: number
  /** The number of rows on all pages; undefined while it is unknown. */
  readonly total: number | undefined
  /** The noun of the rows: `attestations`. */
  readonly what: string
  /** The number is that of the list before. */
  readonly stale: boolean
  /** Stands before the steps: the choice of a size. */
  readonly children?: ReactNode
}

/**
 * The number of the page, with links to the first, last and adjacent pages: the parameter `page` of the URL; other
 * parameters stay. Every page can be reached, the last one too.
 */
export function Pagination({ page, size, total, what, stale, children }: PaginationProps) {
  if (total === 0 && page === 1) return null
  const last = total === undefined ? undefined : Math.max(1, Math.ceil(total / size))
  const from = (page - 1) * size + 1
  return (
    <nav
      className={classNames(styles.pagination, total === undefined && styles.pending, stale && styles.stale)}
      aria-label={`Pages of ${what}`}
    >
      <p className={styles.range}>
        {total === undefined || total === 0 || from > total ? (
          `${formatCount(total ?? 0)} ${what}`
        ) : (
          <>
            <b>{formatCount(from)}</b> to <b>{formatCount(Math.min(total, page * size))}</b> of{' '}
            <b>{formatCount(total)}</b> {what}
          </>
        )}
      </p>
      <div className={styles.controls}>
        {children}
        <div className={styles.pages}>
          <Step to={1} icon="first" label="First page" disabled={page <= 1} />
          <Step to={page - 1} icon="chevronLeft" label="Previous page" disabled={page <= 1} />
          <span className={styles.current}>
            Page {formatCount(page)}
            {last !== undefined && <> of {formatCount(last)}</>}
          </span>
          <Step
            to={page + 1}
            icon="chevronRight"
            label="Next page"
            disabled={last === undefined || page >= last}
          />
          <Step to={last ?? 1} icon="last" label="Last page" disabled={last === undefined || page === last} />
        </div>
      </div>
    </nav>
  )
}

interface StepProps {
  readonly to: number
  readonly icon: IconName
  readonly label: string
  readonly disabled: boolean
}

/** One element in either state: another would lose the focus with the last step. */
function Step({ to, icon, label, disabled }: StepProps) {
  return (
    <Link
      to="."
      search={(previous: object) => ({ ...previous, page: to })}
      className={styles.step}
      aria-label={label}
      title={disabled ? undefined : label}
      resetScroll={false}
      disabled={disabled}
      tabIndex={disabled ? -1 : undefined}
    >
      <Icon name={icon} />
    </Link>
  )
}
