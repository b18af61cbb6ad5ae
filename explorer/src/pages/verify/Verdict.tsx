import { Icon } from '../../components/Icon.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { classNames } from '../../components/classNames.ts'
import type { Verdict as VerdictOf } from './verdictOf.ts'
import styles from './VerifyPage.module.css'

const icons = { valid: 'check', invalid: 'close', unconfirmed: 'warning', asked: 'clock' } as const

/** The result of a verification, and the first reason against it; an empty reason is not shown. */
export function Verdict({ kind, words, reason = '' }: VerdictOf & { readonly reason?: string }) {
  return (
    <section className={classNames(styles.verdict, styles[kind])}>
      <h2>
        <Icon name={icons[kind]} /> {words}
      </h2>
      {reason !== '' && <SafeText text={reason} lengthMax={400} />}
    </section>
  )
}
