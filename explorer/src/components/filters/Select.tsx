import { Icon } from '../Icon.tsx'
import styles from './Field.module.css'

export interface SelectProps<Value extends string> {
  /** The name of a control without a visible label. */
  readonly 'aria-label'?: string
  readonly choices: readonly { readonly value: Value; readonly label: string }[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** A choice of one option, by the browser's own list, which fits every device and input method. */
export function Select<Value extends string>({ choices, value, onChange, ...rest }: SelectProps<Value>) {
  return (
    <span className={styles.select}>
      <select
        {...rest}
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
  )
}
