import { useNavigate } from '@tanstack/react-router'
import { useEffect, useId, useRef, useState } from 'react'
import { momentMistake, readMoment } from '../format/moment.ts'
import styles from './MomentField.module.css'

/** The field for the moment at which records and lists are shown. */
export function MomentField({ asOf }: { readonly asOf: string | undefined }) {
  const navigate = useNavigate()
  /** The moment that was shown when the field was wrong: another one ends the mistake. */
  const [wrongAt, setWrongAt] = useState<{ readonly asOf: string | undefined } | null>(null)
  const isWrong = wrongAt !== null && wrongAt.asOf === asOf
  const field = useRef<HTMLInputElement>(null)
  const mistake = useId()
  // The same element stays, and keeps the focus.
  useEffect(() => {
    if (field.current !== null) field.current.value = asOf ?? ''
  }, [asOf])
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        const text = field.current?.value ?? ''
        const moment = readMoment(text)
        const isMistake = text.trim() !== '' && moment === null
        setWrongAt(isMistake ? { asOf } : null)
        if (isMistake) return
        void navigate({
          to: '.',
          search: (earlier: object) => ({ ...earlier, asOf: moment ?? undefined, page: undefined }),
        })
      }}
    >
      <label className={styles.label}>
        As of
        <input
          ref={field}
          placeholder="now, or 2025-11-03"
          className={styles.field}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={isWrong}
          aria-describedby={isWrong ? mistake : undefined}
        />
      </label>
      {isWrong && (
        <span id={mistake} role="alert" className={styles.mistake}>
          {momentMistake}
        </span>
      )}
    </form>
  )
}
