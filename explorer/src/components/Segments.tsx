import { useId } from 'react'
import styles from './Segments.module.css'

export interface SegmentsProps<Value extends string> {
  /** The label of the choice: `Range`. */
  readonly label: string
  readonly choices: readonly { readonly value: Value; readonly label: string }[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** A choice of exactly one option: the browser's own radio buttons, as segments of a bar. */
export function Segments<Value extends string>({ label, choices, value, onChange }: SegmentsProps<Value>) {
  const name = useId()
  return (
    <div role="radiogroup" aria-label={label} className={styles.group}>
      {choices.map((choice) => (
        <label key={choice.value} className={styles.segment}>
          <input
            type="radio"
            name={name}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          {choice.label}
        </label>
      ))}
    </div>
  )
}
