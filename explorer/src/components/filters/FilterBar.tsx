import { useState, type ReactNode } from 'react'
import { FieldMistakes } from './FieldMistakes.tsx'
import { Button } from '../Button.tsx'
import { Icon } from '../Icon.tsx'
import styles from './FilterBar.module.css'

export interface FilterBarProps {
  /** The most used filters, always visible. */
  readonly children: ReactNode
  /** The others, behind a button. */
  readonly more?: ReactNode
  /** The number of active filters among the others; if any, they are shown from the beginning. */
  readonly moreCount?: number
}

/** The filter controls of a list. */
export function FilterBar({ children, more, moreCount = 0 }: FilterBarProps) {
  const [isOpen, setOpen] = useState(moreCount > 0)
  return (
    <div className={styles.bar} role="group" aria-label="Filters">
      <FieldMistakes>
        <div className={styles.row}>
          {children}
          {more !== undefined && (
            <Button
              className={styles.toggle}
              aria-expanded={isOpen}
              look={isOpen ? 'quiet' : 'plain'}
              onClick={() => setOpen(!isOpen)}
            >
              <Icon name="filter" /> {isOpen ? 'Fewer filters' : 'More filters'}
            </Button>
          )}
        </div>
        {isOpen && <div className={styles.more}>{more}</div>}
      </FieldMistakes>
    </div>
  )
}
