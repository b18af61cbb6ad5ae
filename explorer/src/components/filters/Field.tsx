import type { ReactNode } from 'react'
import styles from './Field.module.css'

export interface FieldProps {
  readonly label: string
  /** The mistake in the value. */
  readonly mistake?: string | undefined
  /** The control; being inside of the label labels it. */
  readonly children: ReactNode
}

/** A control of a filter with its label above. */
export function Field({ label, mistake, children }: FieldProps) {
  return (
    <label className={styles.field}>
      <span className={styles.label}>{label}</span>
      {children}
      {mistake !== undefined && (
        <span className={styles.mistake} role="alert">
          {mistake}
        </span>
      )}
    </label>
  )
}
