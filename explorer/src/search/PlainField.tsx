import { useLayoutEffect, type RefObject } from 'react'
import styles from './SearchBox.module.css'
import { placeholders, searchLabel } from './searchWords.ts'

/** The selection in the text of a focused field: from, to. */
export type Selection = readonly [from: number | null, to: number | null]

export interface FieldProps {
  readonly place: 'header' | 'page'
  readonly text: string
  readonly onText: (text: string) => void
  readonly input: RefObject<HTMLInputElement | null>
  /** The selection that the field which replaces the plain one takes over; null without focus. */
  readonly selection: RefObject<Selection | null>
}

export interface PlainFieldProps extends FieldProps {
  readonly onFocus: () => void
  readonly onComposing: (isComposing: boolean) => void
}

/** The field of the search before its suggestions are loaded. */
export function PlainField(props: PlainFieldProps) {
  const { place, text, onText, onFocus, onComposing, input, selection } = props
  useLayoutEffect(() => {
    const field = input.current
    // React runs this before it removes the field, which then still has the focus.
    return () => {
      selection.current =
        field !== null && document.activeElement === field ? [field.selectionStart, field.selectionEnd] : null
    }
  }, [input, selection])
  return (
    <>
      <input
        ref={input}
        className={styles.input}
        aria-label={searchLabel}
        placeholder={placeholders[place]}
        value={text}
        maxLength={1024}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        onChange={({ currentTarget }) => onText(currentTarget.value)}
        onFocus={onFocus}
        onCompositionStart={() => onComposing(true)}
        onCompositionEnd={() => onComposing(false)}
      />
      {text === '' && <SlashKey />}
    </>
  )
}

/** The key that focuses the search. */
export function SlashKey() {
  return (
    <kbd className={styles.key} aria-hidden="true">
      /
    </kbd>
  )
}
