import { use, useState } from 'react'
import { classNames } from '../classNames.ts'
import { Field } from './Field.tsx'
import { MistakesContext } from './FieldMistakes.tsx'
import styles from './Field.module.css'

export interface TextFieldProps {
  readonly label: string
  readonly placeholder?: string
  /** Undefined and empty are the same. */
  readonly value: string | undefined
  /** Called when the text is complete: at Enter, or on blur. Undefined for an empty field. */
  readonly onChange: (value: string | undefined) => void
  /** The mistake in a text; undefined for a valid text. An invalid text is not passed to `onChange`. */
  readonly check?: (text: string) => string | undefined
  /** For ids and addresses. */
  readonly mono?: boolean
  /** `date` has the form `2024-06-10`. */
  readonly type?: 'text' | 'date' | 'search'
}

/** A text filter, applied once the text is complete. */
export function TextField(props: TextFieldProps) {
  const { label, placeholder, value = '', onChange, check, mono = false, type = 'text' } = props
  const line = use(MistakesContext)
  const [draft, setDraft] = useState(value)
  const [from, setFrom] = useState(value)
  const [mistake, setMistake] = useState<string>()
  const [sent, setSent] = useState<string>()
  if (from !== value) {
    setFrom(value)
    setSent(undefined)
    setMistake(undefined)
    // The URL was changed elsewhere, by a removed chip or the browser's history: the field follows. If the URL has just
    // caught up with this field, the reader may have typed on.
    if (value !== sent || draft.trim() === value) setDraft(value)
  }
  const commit = () => {
    const text = draft.trim()
    const found = text === '' || text === value ? undefined : check?.(text)
    setMistake(found)
    if (found !== undefined || text === value) return
    setSent(text)
    onChange(text === '' ? undefined : text)
  }
  return (
    <Field label={label} mistake={mistake}>
      <input
        type={type}
        className={classNames(styles.control, mono && styles.mono)}
        value={draft}
        placeholder={placeholder}
        aria-invalid={mistake !== undefined}
        aria-describedby={mistake === undefined ? undefined : line?.id}
        autoComplete="off"
        spellCheck={false}
        onChange={({ currentTarget }) => setDraft(currentTarget.value)}
        onBlur={commit}
        onKeyDown={({ key, nativeEvent }) => {
          // An input method ends a word by Enter.
          if (key === 'Enter' && !nativeEvent.isComposing) commit()
        }}
      />
    </Field>
  )
}
