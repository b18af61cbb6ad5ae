import { Toggle } from '@base-ui/react/toggle'
import { ToggleGroup } from '@base-ui/react/toggle-group'
import styles from './Segments.module.css'

export interface SegmentsProps<Value extends string> {
  /** What is chosen: `Range`. */
  readonly label: string
  readonly choices: readonly { readonly value: Value; readonly label: string }[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** A few choices of which exactly one holds. */
export function Segments<Value extends string>({ label, choices, value, onChange }: SegmentsProps<Value>) {
  return (
    <ToggleGroup
      aria-label={label}
      className={styles.group ?? ''}
      value={[value]}
      onValueChange={([chosen]) => {
        const choice = choices.find((each) => each.value === chosen)
        if (choice !== undefined) onChange(choice.value)
      }}
    >
      {choices.map((choice) => (
        <Toggle key={choice.value} value={choice.value} className={styles.segment ?? ''}>
          {choice.label}
        </Toggle>
      ))}
    </ToggleGroup>
  )
}
