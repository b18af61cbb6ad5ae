import { useNavigate } from '@tanstack/react-router'
import { isAddress } from './exactRecord.ts'
import { keepRecentSearch } from './recentSearches.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** On the page of results: a keyword that names one record leads to this record instead. */
    readonly opensRecord?: boolean
  }
}

/** `named`: what the keyword names alone, where it does; `results`: the page of results in any case. */
export type SearchGoal = 'named' | 'results'

/**
 * Opens what a keyword names: the page of an address, the record that has exactly this id or was made by this
 * transaction; otherwise the page of results.
 */
export function useOpenSearch(): (keyword: string, goal: SearchGoal) => void {
  const navigate = useNavigate()
  return (keyword, goal) => {
    keepRecentSearch(keyword)
    const opensRecord = goal === 'named'
    if (opensRecord && isAddress(keyword)) {
      void navigate({ to: '/address/$address', params: { address: keyword } })
    } else {
      void navigate({ to: '/search', search: { q: keyword }, state: { opensRecord } })
    }
  }
}
