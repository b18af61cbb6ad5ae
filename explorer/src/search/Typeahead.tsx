import { Autocomplete } from '@base-ui/react/autocomplete'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useLayoutEffect, useMemo, useState, type RefObject } from 'react'
import { searchQuery } from '../api/queries.ts'
import { classNames } from '../components/classNames.ts'
import { Icon } from '../components/Icon.tsx'
import { useKept } from '../components/useKept.ts'
import { useLinkedProtocol } from '../components/useProtocol.ts'
import { isAddress } from '../format/checkFilter.ts'
import { fieldParameter } from '../format/fieldFilters.ts'
import { shortAgentId } from '../format/agentId.ts'
import { SlashKey, type FieldProps } from './PlainField.tsx'
import { keywordOf } from './readLink.ts'
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
import type { SearchGoal } from './useOpenSearch.ts'

/** The pause in typing before a search. */
const restMs = 140
/** The longest keyword of the interface. */
const keywordLengthMax = 256

export interface TypeaheadProps extends FieldProps {
  readonly onSearch: (keyword: string, goal: SearchGoal) => void
  /** The suggestions stand below it. */
  readonly group: RefObject<HTMLElement | null>
}

/**
 * The search field with suggestions as the reader types, grouped by kind and usable with only the keyboard. If empty,
 * it suggests recent searches.
 */
export function Typeahead({ place, text, onText, onSearch, input, selection, group }: TypeaheadProps) {
  const navigate = useNavigate()
  const linkedProtocol = useLinkedProtocol()
  const [isOpen, setOpen] = useState(false)
  // Before the first paint, so that no key press is lost between the two fields.
  useLayoutEffect(() => {
    if (selection.current === null) return
    input.current?.focus()
    input.current?.setSelectionRange(...selection.current)
  }, [input, selection])
  const [recent, setRecent] = useState(readRecentSearches)
  const wanted = keywordOf(text).slice(0, keywordLengthMax)
  const keyword = useDebounced(wanted, restMs)
  const {
    data: found,
    isFetching,
    isError,
  } = useQuery({
    ...searchQuery(keyword),
    enabled: keyword !== '' && isOpen,
  })
  // Until the text is answered, the suggestions for the text before stand there, dimmed.
  const kept = useKept(found)
  const data = isError ? undefined : kept
  const isStale = keyword !== wanted || (found === undefined && !isError)

  const groups = useMemo(
    () =>
      text.trim() === ''
        ? recentSuggestions(recent)
        : keyword === ''
          ? []
          : suggestionsOf(isStale ? undefined : keyword, data ?? []),
    [text, keyword, isStale, data, recent],
  )
  const choose = (suggestion: Suggestion) => {
    setOpen(false)
    if (suggestion.kind === 'all') return onSearch(suggestion.keyword, 'results')
    if (suggestion.kind === 'recent') return onSearch(suggestion.keyword, 'named')
    keepRecentSearch(keywordOf(text))
    input.current?.blur()
    onText('')
    if (suggestion.kind === 'address') {
      void navigate({ to: '/address/$address', params: { address: suggestion.address } })
    } else if (suggestion.kind === 'name') {
      const { id } = suggestion
      if (isAddress(id)) void navigate({ to: '/address/$address', params: { address: id } })
      else void navigate({ to: '/schema/$id', params: { id }, search: {} })
    } else if (suggestion.kind === 'agent') {
      void navigate({ to: '/agent/$id', params: { id: shortAgentId(suggestion.id) }, search: {} })
    } else if (suggestion.kind === 'value') {
      const { id, protocol, field, value } = suggestion
      const search = { protocol: linkedProtocol(id, protocol), [fieldParameter(field, 'equals')]: value }
      void navigate({ to: '/schema/$id', params: { id }, search })
    } else {
      const { kind, id, protocol } = suggestion
      const to = kind === 'schema' ? '/schema/$id' : '/attestation/$id'
      void navigate({ to, params: { id }, search: { protocol: linkedProtocol(id, protocol) } })
    }
  }

  return (
    <Autocomplete.Root
      items={groups}
      filter={null}
      mode="none"
      value={text}
      onValueChange={(value, { reason }) => {
        if (reason !== 'item-press') onText(value)
      }}
      open={isOpen && (text.trim() !== '' || groups.length > 0)}
      onOpenChange={setOpen}
      openOnInputClick
      // Enter chooses what the arrow keys have come to, never what the pointer happens to rest on.
      highlightItemOnHover={false}
      itemToStringValue={(suggestion: Suggestion) => suggestion.key}
    >
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
        <SlashKey />
      ) : (
        <Autocomplete.Clear className={styles.clear ?? ''} aria-label="Clear the search">
          <Icon name="close" />
        </Autocomplete.Clear>
      )}
      <Autocomplete.Portal>
        <Autocomplete.Positioner
          anchor={group}
          className={styles.positioner ?? ''}
          sideOffset={6}
          align="start"
        >
          <Autocomplete.Popup className={styles.popup ?? ''}>
            <Autocomplete.Status className={styles.status ?? ''}>
              {statusOf({ wanted, keyword, isFetching, isError, isEmpty: groups.length === 0 })}
            </Autocomplete.Status>
            <Autocomplete.List
              className={classNames(styles.list, isStale && styles.stale)}
              aria-busy={isStale}
            >
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
  )
}

interface SearchState {
  /** The keyword of the typed text; `keyword` is the one last asked for. */
  readonly wanted: string
  readonly keyword: string
  readonly isFetching: boolean
  readonly isError: boolean
  readonly isEmpty: boolean
}

/** A line for an empty list of suggestions; empty otherwise. */
function statusOf({ wanted, keyword, isFetching, isError, isEmpty }: SearchState): string {
  if (wanted === '' || !isEmpty) return ''
  if (isError) return 'The search does not answer. Enter tries again.'
  if (isFetching || keyword !== wanted) return 'Searching …'
  return 'Nothing found. Names and descriptions of schemas, ids, addresses, transaction hashes and values of fields can be looked for.'
}
