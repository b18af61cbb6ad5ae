import { useNavigate } from '@tanstack/react-router'
import { useLinkedProtocol } from '../components/useProtocol.ts'
import { isAddress } from '../format/checkFilter.ts'
import { keepRecentSearch } from './recentSearches.ts'
import { readLink } from './readLink.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** On the page of results: a keyword that names one record leads to this record instead. */
    readonly opensRecord?: boolean
  }
}

/** `named`: opens the only record that the keyword names, if there is one; `results`: always the page of results. */
export type SearchGoal = 'named' | 'results'

/**
 * Opens the page of an address, of the record that has exactly this id, of the transaction with this hash, or the goal of
 * another explorer's link. Otherwise opens the page of results.
 */
export function useOpenSearch(): (keyword: string, goal: SearchGoal) => void {
  const navigate = useNavigate()
  const linkedProtocol = useLinkedProtocol()
  return (text, goal) => {
    const link = readLink(text)
    const keyword = link?.keyword ?? text
    keepRecentSearch(keyword)
    const opensRecord = goal === 'named'
    if (opensRecord && link !== null && 'id' in link) {
      const { page, id, protocol } = link
      void navigate({ to: page, params: { id }, search: { protocol: linkedProtocol(id, protocol) } })
    } else if (opensRecord && isAddress(keyword)) {
      void navigate({ to: '/address/$address', params: { address: keyword } })
    } else {
      void navigate({ to: '/search', search: { q: keyword }, state: { opensRecord } })
    }
  }
}
