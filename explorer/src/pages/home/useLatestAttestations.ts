import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { reopenEvents, useIndexEvents } from '../../api/events.ts'
import { chainsQuery, latestAttestationsQuery } from '../../api/queries.ts'
import type { LatestAttestation } from '../../api/types.ts'
import { recordKey, type Keyed } from '../../format/recordKey.ts'
import { useIsSilent } from '../../components/useAnswerAge.ts'
import { mergeLatest } from './mergeLatest.ts'
import { createStreamWatch } from './streamWatch.ts'

/** The payloads of rows, in the tables that show them. */
const decodedKey = ['attestations', 'decoded']

/** New rows are shown, and their payloads read, at most this often: the list stays readable during a backfill. */
const flushMs = 1_000

/** The newest attestations, updated by the stream of events; while updates are paused, new rows wait. */
export function useLatestAttestations() {
  const queryClient = useQueryClient()
  const [held, setHeld] = useState(false)
  const query = useQuery({ ...latestAttestationsQuery(), refetchInterval: held ? false : 60_000 })
  const waiting = useRef<LatestAttestation[]>([])
  const [waitingCount, setWaitingCount] = useState(0)
  const [isOpen, setOpen] = useState(false)
  // A connection that broke off in silence still counts as open.
  const isSilent = useIsSilent()
  const chains = useQuery(chainsQuery())
  const watch = useRef(createStreamWatch())
  const attestationCount = chains.data?.reduce((sum, chain) => sum + chain.attestationCount, 0)
  useEffect(() => {
    if (attestationCount !== undefined && watch.current.look(attestationCount)) reopenEvents()
  }, [attestationCount, chains.dataUpdatedAt])
  const [arrived, setArrived] = useState<ReadonlySet<string>>(new Set())

  const flush = useCallback(() => {
    // Further rows would end the question for the payloads of these.
    if (queryClient.isFetching({ queryKey: decodedKey }) > 0) return
    const added = waiting.current
    waiting.current = []
    setWaitingCount(0)
    if (added.length === 0) return
    setArrived(new Set(added.map(recordKey)))
    queryClient.setQueryData(latestAttestationsQuery().queryKey, (kept) =>
      kept === undefined ? kept : { rows: mergeLatest(kept.rows, added) },
    )
  }, [queryClient])

  useEffect(() => {
    if (held) return undefined
    const timer = setInterval(flush, flushMs)
    return () => clearInterval(timer)
  }, [held, flush])

  const refetchLatest = () => {
    void queryClient.invalidateQueries({ queryKey: latestAttestationsQuery().queryKey })
  }
  const isShown = (id: string) =>
    queryClient.getQueryData(latestAttestationsQuery().queryKey)?.rows.some((row) => row.id === id) === true
  useIndexEvents((event) => {
    watch.current.hear()
    switch (event.kind) {
      case 'attestation':
        waiting.current = mergeLatest(waiting.current, [event.attestation])
        if (held) setWaitingCount(waiting.current.length)
        break
      case 'open':
      case 'lost':
        setOpen(event.kind === 'open')
        if (event.kind === 'open') refetchLatest()
        break
      case 'revert':
      case 'reset':
        refetchLatest()
        break
      case 'revocation':
        if (isShown(event.attestation.id)) {
          void queryClient.invalidateQueries({ queryKey: decodedKey })
        }
        break
      case 'schema':
    }
  })

  return {
    ...query,
    isLive: isOpen && !isSilent,
    waitingCount,
    setHeld,
    isNew: (row: Keyed) => arrived.has(recordKey(row)),
  }
}
