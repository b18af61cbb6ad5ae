import { plainText } from '../format/inspectText.ts'
import { Address } from './Address.tsx'
import styles from './Recipients.module.css'

/** The first recipient, and how many more there are. */
export function Recipients({ recipients }: { readonly recipients: readonly string[] }) {
  const [first, ...others] = recipients
  if (first === undefined) return <span className={styles.none}>None</span>
  return (
    <span className={styles.recipients}>
      <Address address={first} copyable={false} />
      {others.length > 0 && (
        <span className={styles.more} title={plainText(others.slice(0, 20).join('\n'), 2000)}>
          +{others.length}
          <span className="visuallyHidden"> more</span>
        </span>
      )}
    </span>
  )
}
