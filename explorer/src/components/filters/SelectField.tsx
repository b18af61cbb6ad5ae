import { Icon } from '../Icon.tsx'
import { Field } from './Field.tsx'
import styles from './Field.module.css'

export interface SelectFieldProps<Value extends string> {
  readonly label: string
  /** The first option usually stands for no filter. */
  readonly choices: readonly { readonly value: Value; readonly label: string }[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** A choice of one option, by the browser's own list, which fits every device and input method. */
export function SelectField<Value extends string>({
  label,
  choices,
  value,
  onChange,
}: SelectFieldProps<Value>) {
  return (
    <Field label={label}>
      <span className={styles.select}>
        <select
          className={styles.control}
          value={value}
          onChange={({ currentTarget }) => {
            const choice = choices[currentTarget.selectedIndex]
            if (choice !== undefined) onChange(choice.value)
          }}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
        <Icon name="chevronDown" />
      </span>
    </Field>
  )
}
