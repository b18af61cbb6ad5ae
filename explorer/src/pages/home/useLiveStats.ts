import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useIndexEvents } from '../../api/events.ts'
import { statsQuery } from '../../api/queries.ts'

/** Totals are read again at most this often, at any rate of events. */
const intervalMs = 5000

/** Reads the totals again when events arrive. */
export function useLiveStats(): void {
  const queryClient = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  useIndexEvents(({ kind }) => {
    if (kind === 'lost' || timer.current !== undefined) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      void queryClient.invalidateQueries({ queryKey: statsQuery().queryKey })
    }, intervalMs)
  })
}
