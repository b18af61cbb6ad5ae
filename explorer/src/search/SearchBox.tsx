import { useNavigate } from '@tanstack/react-router'
import { useRef, useState, type ComponentType } from 'react'
import { Icon } from '../components/Icon.tsx'
import { keepRecentSearch } from './recentSearches.ts'
import styles from './SearchBox.module.css'
import { placeholders, searchLabel } from './searchWords.ts'
import type { TypeaheadProps } from './Typeahead.tsx'
import { useSlashShortcut } from './useSlashShortcut.ts'

export interface SearchBoxProps {
  /** `page` is larger, for the home page. */
  readonly place: 'header' | 'page'
  /** The initial keyword. */
  readonly initial?: string
}

/**
 * The search. It begins as a plain field that looks the same. The code of the suggestions, a fifth of all code, is
 * loaded at the first focus, and takes over text and focus. Until then, or if loading fails, Enter opens the page of
 * results.
 */
export function SearchBox({ place, initial = '' }: SearchBoxProps) {
  const [Loaded, setLoaded] = useState<ComponentType<TypeaheadProps> | null>(null)
  const [text, setText] = useState(initial)
  const [focused, setFocused] = useState(false)
  if (Loaded !== null) return <Loaded place={place} initial={text} focused={focused} />
  const load = () => {
    import('./Typeahead.tsx').then(
      ({ Typeahead }) => setLoaded(() => Typeahead),
      // The plain field stays in use.
      () => undefined,
    )
  }
  return <PlainSearch place={place} text={text} onText={setText} onIntent={load} onFocused={setFocused} />
}

interface PlainSearchProps {
  readonly place: 'header' | 'page'
  readonly text: string
  readonly onText: (text: string) => void
  readonly onIntent: () => void
  readonly onFocused: (focused: boolean) => void
}

function PlainSearch({ place, text, onText, onIntent, onFocused }: PlainSearchProps) {
  const navigate = useNavigate()
  const input = useRef<HTMLInputElement>(null)
  useSlashShortcut(input)
  return (
    <form
      className={styles[place]}
      role="search"
      onPointerEnter={onIntent}
      onSubmit={(event) => {
        event.preventDefault()
        const q = text.trim()
        if (q === '') return
        keepRecentSearch(q)
        void navigate({ to: '/search', search: { q } })
      }}
    >
      <div className={styles.group}>
        <Icon name="search" className={styles.icon ?? ''} />
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
          onFocus={() => {
            onFocused(true)
            onIntent()
          }}
          onBlur={() => onFocused(false)}
        />
        {text === '' && (
          <kbd className={styles.key} aria-hidden="true">
            /
          </kbd>
        )}
      </div>
    </form>
  )
}
