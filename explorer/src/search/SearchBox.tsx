import { useRef, useState, type ComponentType } from 'react'
import { Icon } from '../components/Icon.tsx'
import { PlainField, type Selection } from './PlainField.tsx'
import styles from './SearchBox.module.css'
import type { TypeaheadProps } from './Typeahead.tsx'
import { useOpenSearch, type SearchGoal } from './useOpenSearch.ts'
import { useSlashShortcut } from './useSlashShortcut.ts'

export interface SearchBoxProps {
  /** `page` is larger, for the home page. */
  readonly place: 'header' | 'page'
  /** The initial keyword. */
  readonly initial?: string
}

/**
 * The search. It begins with a plain field. The code of the suggestions, a fifth of all code, is loaded at the first
 * focus, and its field takes over text and focus. Form and button stay, so that Enter and a click mean the same before,
 * while and after it is loaded.
 */
export function SearchBox({ place, initial = '' }: SearchBoxProps) {
  const openSearch = useOpenSearch()
  const [Loaded, setLoaded] = useState<ComponentType<TypeaheadProps> | null>(null)
  const [text, setText] = useState(initial)
  // The characters of an input method are in its field until they are complete: until then the field is not replaced.
  const [isComposing, setComposing] = useState(false)
  const group = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const selection = useRef<Selection>(null)
  useSlashShortcut(input)
  const load = () => {
    import('./Typeahead.tsx').then(
      ({ Typeahead }) => setLoaded(() => Typeahead),
      // The plain field stays in use.
      () => undefined,
    )
  }
  const search = (keyword: string, goal: SearchGoal) => {
    input.current?.blur()
    setText(keyword)
    openSearch(keyword, goal)
  }
  return (
    <form
      className={styles[place]}
      role="search"
      onPointerEnter={load}
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() === '') input.current?.focus()
        else search(text.trim(), 'named')
      }}
    >
      <div className={styles.group} ref={group}>
        {/* Base UI puts a second field into the form. Enter then sends the form through its button alone. */}
        <button type="submit" className={styles.submit} aria-label="Search">
          <Icon name="search" />
        </button>
        {Loaded === null || isComposing ? (
          <PlainField
            place={place}
            text={text}
            onText={setText}
            onFocus={load}
            onComposing={setComposing}
            input={input}
            selection={selection}
          />
        ) : (
          <Loaded
            place={place}
            text={text}
            onText={setText}
            onSearch={search}
            input={input}
            selection={selection}
            group={group}
          />
        )}
      </div>
    </form>
  )
}
