import { Field } from './Field.tsx'
import { Select, type SelectProps } from './Select.tsx'

export interface SelectFieldProps<Value extends string> extends Omit<SelectProps<Value>, 'aria-label'> {
  readonly label: string
}

/** A choice of one option below its label. The first option usually stands for no filter. */
export function SelectField<Value extends string>({ label, ...rest }: SelectFieldProps<Value>) {
  return (
    <Field label={label}>
      <Select {...rest} />
    </Field>
  )
}
