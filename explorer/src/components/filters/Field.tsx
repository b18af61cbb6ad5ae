import { use, useEffect, type ReactNode } from 'react'
import { MistakesContext } from './FieldMistakes.tsx'
import styles from './Field.module.css'

export interface FieldProps {
  readonly label: string
  /** The mistake in the value. */
  readonly mistake?: string | undefined
  /** The control; being inside of the label labels it. */
  readonly children: ReactNode
}

/** A control of a filter with its label above; its mistake stands in the line of its group (`FieldMistakes`). */
export function Field({ label, mistake, children }: FieldProps) {
  const line = use(MistakesContext)
  const note = line?.note
  useEffect(() => {
    note?.(label, mistake)
    return () => note?.(label, undefined)
  }, [note, label, mistake])
  return (
    <label className={styles.field}>
      <span className={styles.label}>{label}</span>
      {children}
    </label>
  )
}
