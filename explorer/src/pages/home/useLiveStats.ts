import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useIndexEvents } from '../../api/events.ts'
import { chainsQuery, statsQuery } from '../../api/queries.ts'

/** Totals and chains are read again at most this often, at any rate of events. */
const intervalMs = 2000

/** Reads the totals and the state of the chains again when events arrive. */
export function useLiveStats(): void {
  const queryClient = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  useIndexEvents(({ kind }) => {
    if (kind === 'lost' || timer.current !== undefined) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      for (const { queryKey } of [statsQuery(), chainsQuery()])
        void queryClient.invalidateQueries({ queryKey })
    }, intervalMs)
  })
}
