import { Autocomplete } from '@base-ui/react/autocomplete'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { searchQuery } from '../api/queries.ts'
import { Icon } from '../components/Icon.tsx'
import { useLinkedProtocol } from '../components/useProtocol.ts'
import { keepRecentSearch, readRecentSearches } from './recentSearches.ts'
import styles from './SearchBox.module.css'
import {
  recentSuggestions,
  suggestionsOf,
  type Suggestion,
  type SuggestionGroup,
} from './searchSuggestions.ts'
import { SuggestionItem } from './SuggestionItem.tsx'
import { placeholders, searchLabel } from './searchWords.ts'
import { useDebounced } from './useDebounced.ts'
import { useSlashShortcut } from './useSlashShortcut.ts'

/** The pause in typing before a search. */
const restMs = 140
/** The longest keyword of the interface. */
const keywordLengthMax = 256

export interface TypeaheadProps {
  readonly place: 'header' | 'page'
  /** The initial keyword. */
  readonly initial: string
  /** Whether it replaces a field that had the focus. */
  readonly focused: boolean
}

/**
 * A search with suggestions while the reader types, grouped by kind and usable by keyboard alone; without a text, it
 * suggests recent searches. Enter without a choice opens the page of results.
 */
export function Typeahead({ place, initial, focused }: TypeaheadProps) {
  const navigate = useNavigate()
  const linkedProtocol = useLinkedProtocol()
  const input = useRef<HTMLInputElement>(null)
  useSlashShortcut(input)
  // Before the first paint, so that no key press is lost between the two fields.
  useLayoutEffect(() => {
    if (focused) input.current?.focus()
  }, [focused])
  const [text, setText] = useState(initial)
  const [isOpen, setOpen] = useState(focused)
  const [recent, setRecent] = useState(readRecentSearches)
  const keyword = useDebounced(text.trim().slice(0, keywordLengthMax), restMs)
  const { data, isFetching, isError } = useQuery({
    ...searchQuery(keyword),
    enabled: keyword !== '' && isOpen,
  })

  const groups = useMemo(
    () =>
      text.trim() === ''
        ? recentSuggestions(recent)
        : keyword === ''
          ? []
          : suggestionsOf(keyword, data ?? []),
    [text, keyword, data, recent],
  )
  const leave = (looked: string) => {
    keepRecentSearch(looked)
    setRecent(readRecentSearches())
    setOpen(false)
    input.current?.blur()
  }
  const showAll = (looked: string) => {
    leave(looked)
    setText(looked)
    void navigate({ to: '/search', search: { q: looked } })
  }
  const choose = (suggestion: Suggestion) => {
    if (suggestion.kind === 'all' || suggestion.kind === 'recent') {
      showAll(suggestion.keyword)
      return
    }
    leave(text)
    setText('')
    if (suggestion.kind === 'address') {
      void navigate({ to: '/address/$address', params: { address: suggestion.address } })
    } else {
      const { kind, id, protocol } = suggestion
      const to = kind === 'schema' ? '/schema/$id' : '/attestation/$id'
      void navigate({ to, params: { id }, search: { protocol: linkedProtocol(id, protocol) } })
    }
  }

  return (
    <form
      className={styles[place]}
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '') showAll(text.trim())
      }}
    >
      <Autocomplete.Root
        items={groups}
        filter={null}
        mode="none"
        value={text}
        onValueChange={(value, { reason }) => {
          if (reason !== 'item-press') setText(value)
        }}
        open={isOpen && (text.trim() !== '' || groups.length > 0)}
        onOpenChange={setOpen}
        openOnInputClick
        itemToStringValue={(suggestion: Suggestion) => suggestion.key}
      >
        <Autocomplete.InputGroup className={styles.group ?? ''}>
          <Icon name="search" className={styles.icon ?? ''} />
          <Autocomplete.Input
            ref={input}
            className={styles.input ?? ''}
            aria-label={searchLabel}
            placeholder={placeholders[place]}
            maxLength={1024}
            autoComplete="off"
            spellCheck={false}
            enterKeyHint="search"
            onFocus={() => {
              setRecent(readRecentSearches())
              setOpen(true)
            }}
          />
          {text === '' ? (
            <kbd className={styles.key} aria-hidden="true">
              /
            </kbd>
          ) : (
            <Autocomplete.Clear className={styles.clear ?? ''} aria-label="Clear the search">
              <Icon name="close" />
            </Autocomplete.Clear>
          )}
        </Autocomplete.InputGroup>
        <Autocomplete.Portal>
          <Autocomplete.Positioner className={styles.positioner ?? ''} sideOffset={6} align="start">
            <Autocomplete.Popup className={styles.popup ?? ''}>
              <Autocomplete.Status className={styles.status ?? ''}>
                {statusOf({ text, keyword, isFetching, isError, isEmpty: groups.length === 0 })}
              </Autocomplete.Status>
              <Autocomplete.List className={styles.list ?? ''}>
                {(group: SuggestionGroup) => (
                  <Autocomplete.Group key={group.label} items={group.items} className={styles.section ?? ''}>
                    {group.label !== '' && (
                      <Autocomplete.GroupLabel className={styles.label ?? ''}>
                        {group.label}
                      </Autocomplete.GroupLabel>
                    )}
                    <Autocomplete.Collection>
                      {(suggestion: Suggestion) => (
                        <Autocomplete.Item
                          key={suggestion.key}
                          value={suggestion}
                          className={styles.item ?? ''}
                          onClick={() => choose(suggestion)}
                        >
                          <SuggestionItem suggestion={suggestion} />
                        </Autocomplete.Item>
                      )}
                    </Autocomplete.Collection>
                  </Autocomplete.Group>
                )}
              </Autocomplete.List>
            </Autocomplete.Popup>
          </Autocomplete.Positioner>
        </Autocomplete.Portal>
      </Autocomplete.Root>
    </form>
  )
}

interface SearchState {
  readonly text: string
  readonly keyword: string
  readonly isFetching: boolean
  readonly isError: boolean
  readonly isEmpty: boolean
}

/** A line for an empty list of suggestions; empty otherwise. */
function statusOf({ text, keyword, isFetching, isError, isEmpty }: SearchState): string {
  if (text.trim() === '' || !isEmpty) return ''
  if (isError) return 'The search does not answer. Enter tries again.'
  if (isFetching || keyword !== text.trim()) return 'Searching …'
  return 'Nothing found. Names and descriptions of schemas, ids, addresses and transaction hashes can be looked for.'
}
