import { useId, type ReactNode } from 'react'
import controls from '../../components/filters/Field.module.css'

export interface LabelledProps {
  readonly label: string
  readonly mistake: string | undefined
  readonly children: (control: {
    readonly id: string
    readonly 'aria-invalid': boolean
    readonly 'aria-describedby': string
    readonly autoComplete: 'off'
    readonly spellCheck: false
  }) => ReactNode
}

/** A control below its label, with a line for its mistake. */
export function Labelled({ label, mistake, children }: LabelledProps) {
  const id = useId()
  return (
    <div className={controls.field}>
      <label htmlFor={id} className={controls.label}>
        {label}
      </label>
      {children({
        id,
        'aria-invalid': mistake !== undefined,
        'aria-describedby': `${id}-mistake`,
        autoComplete: 'off',
        spellCheck: false,
      })}
      <span id={`${id}-mistake`} className={controls.mistake} role="status">
        {mistake}
      </span>
    </div>
  )
}
