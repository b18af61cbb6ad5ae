import { Card } from '../../components/Card.tsx'
import { Icon } from '../../components/Icon.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import styles from './VerifyPage.module.css'

export interface Check {
  readonly name: string
  /** Null while the index is asked. */
  readonly ok: boolean | null
  readonly message: string
  /** Set if the check could not be made. */
  readonly unknown?: boolean
}

const looks = {
  asked: { icon: 'clock', words: ': being checked' },
  passed: { icon: 'check', words: ': passed' },
  unknown: { icon: 'info', words: ': not known here' },
  failed: { icon: 'close', words: ': not passed' },
} as const

function lookOf({ ok, unknown = false }: Check): keyof typeof looks {
  if (ok === null) return 'asked'
  if (ok) return 'passed'
  return unknown ? 'unknown' : 'failed'
}

/** Each check with its result and what was found. */
export function Checks({ checks }: { readonly checks: readonly Check[] }) {
  return (
    <Card title="Checks" flush>
      <ul className={styles.checks}>
        {checks.map((check) => {
          const look = lookOf(check)
          return (
            <li key={check.name} className={styles[look]}>
              <Icon name={looks[look].icon} />
              <span className={styles.check}>
                {check.name}
                <span className="visuallyHidden">{looks[look].words}</span>
              </span>
              <span className={styles.message}>
                <SafeText text={check.message} lengthMax={400} />
              </span>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
