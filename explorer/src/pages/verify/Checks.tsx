import { Card } from '../../components/Card.tsx'
import { Icon } from '../../components/Icon.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import styles from './VerifyPage.module.css'

export interface Check {
  readonly name: string
  /** Null while the index is asked. */
  readonly ok: boolean | null
  readonly message: string
}

/** Each check with its result and what was found. */
export function Checks({ checks }: { readonly checks: readonly Check[] }) {
  return (
    <Card title="Checks" flush>
      <ul className={styles.checks}>
        {checks.map(({ name, ok, message }) => (
          <li key={name} className={ok === null ? styles.asked : ok ? styles.passed : styles.failed}>
            <Icon name={ok === null ? 'clock' : ok ? 'check' : 'close'} />
            <span className={styles.check}>
              {name}
              <span className="visuallyHidden">
                {ok === null ? ': being checked' : ok ? ': passed' : ': not passed'}
              </span>
            </span>
            <span className={styles.message}>
              <SafeText text={message} lengthMax={400} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
