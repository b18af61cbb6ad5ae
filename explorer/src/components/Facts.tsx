import type { ReactNode } from 'react'
import styles from './Facts.module.css'

export interface Fact {
  readonly label: string
  readonly value: ReactNode
}

/** Facts of one record: names on the left, values on the right; stacked on narrow screens. */
export function Facts({ facts }: { readonly facts: readonly (Fact | false | null)[] }) {
  return (
    <dl className={styles.facts}>
      {facts
        .filter((fact) => fact !== false && fact !== null)
        .map(({ label, value }) => (
          <div key={label} className={styles.fact}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
