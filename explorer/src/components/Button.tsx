import type { ComponentProps } from 'react'
import styles from './Button.module.css'
import { classNames } from './classNames.ts'

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'type'> {
  readonly look?: 'plain' | 'primary' | 'quiet'
  /** Sends the form that it stands in. */
  readonly submits?: boolean
}

export function Button({ look = 'plain', className, submits = false, ...rest }: ButtonProps) {
  return (
    <button
      type={submits ? 'submit' : 'button'}
      className={classNames(styles.button, styles[look], className)}
      {...rest}
    />
  )
}

/** The same look for a link: `className={buttonClass()}`. */
export function buttonClass(look: 'plain' | 'primary' | 'quiet' = 'plain'): string {
  return classNames(styles.button, styles[look])
}
