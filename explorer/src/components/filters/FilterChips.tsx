import type { ReactNode } from 'react'
import { Icon } from '../Icon.tsx'
import styles from './FilterChips.module.css'

export interface FilterChip {
  readonly name: string
  readonly label: string
  readonly value: ReactNode
  readonly onRemove: () => void
}

/** The active filters of a list, each removable, and a button that removes all. Empty without active filters. */
export function FilterChips({
  chips,
  onClear,
}: {
  readonly chips: readonly FilterChip[]
  readonly onClear: () => void
}) {
  if (chips.length === 0) return null
  return (
    <ul className={styles.chips} aria-label="Filters that hold">
      {chips.map(({ name, label, value, onRemove }) => (
        <li key={name} className={styles.chip}>
          <span className={styles.label}>{label}</span>
          <span className={styles.value}>{value}</span>
          <button
            type="button"
            className={styles.remove}
            aria-label={`Remove the filter ${label}`}
            onClick={onRemove}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
      <li>
        <button type="button" className={styles.clear} onClick={onClear}>
          Clear all
        </button>
      </li>
    </ul>
  )
}
