import { useEffect, useEffectEvent } from 'react'
import type { OnchainAttestation, Schema } from './types.ts'

/** Events of the index. `open` comes at each (re)connection: cached data may be out of date by then. */
export type IndexEvent =
  | { readonly kind: 'attestation' | 'revocation'; readonly attestation: OnchainAttestation }
  | { readonly kind: 'schema'; readonly schema: Schema }
  | { readonly kind: 'revert' | 'reset' | 'open' | 'lost' }

type Listener = (event: IndexEvent) => void

const listeners = new Set<Listener>()
let source: EventSource | null = null

/**
 * Calls back for every event while the component is mounted. All components share one connection; browsers reopen it.
 */
export function useIndexEvents(onEvent: Listener): void {
  const latest = useEffectEvent(onEvent)
  useEffect(() => {
    const listener: Listener = (event) => latest(event)
    listeners.add(listener)
    source ??= openSource()
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      source?.close()
      source = null
    }
  }, [])
}

/** Reopens the connection: the present one is silent although it counts as open. */
export function reopenEvents(): void {
  if (source === null) return
  source.close()
  source = openSource()
  for (const listener of listeners) listener({ kind: 'lost' })
}

function openSource(): EventSource {
  const opened = new EventSource('/scan/events')
  const tell = (event: IndexEvent) => {
    for (const listener of listeners) listener(event)
  }
  opened.addEventListener('open', () => tell({ kind: 'open' }))
  opened.addEventListener('error', () => tell({ kind: 'lost' }))
  opened.addEventListener('attestation', ({ data }) =>
    tell({ kind: 'attestation', attestation: parse<OnchainAttestation>(data) }),
  )
  opened.addEventListener('revocation', ({ data }) =>
    tell({ kind: 'revocation', attestation: parse<OnchainAttestation>(data) }),
  )
  opened.addEventListener('schema', ({ data }) => tell({ kind: 'schema', schema: parse<Schema>(data) }))
  opened.addEventListener('revert', () => tell({ kind: 'revert' }))
  opened.addEventListener('reset', () => tell({ kind: 'reset' }))
  return opened
}

/** The documented data of an event: the record as its own path answers it. */
function parse<Data>(data: unknown): Data {
  return JSON.parse(String(data)) as Data
}
