import type { FeedChange } from '@attestry/core/changes/changeFilter.ts'
import type { ChangePlace } from '@attestry/core/index/indexQueries.ts'
import { writeJson } from '../../pipeline/answers/writeJson.ts'
import { presentChange } from './presentChange.ts'

/** Server-sent events (HTML standard, 9.2). JSON text holds no line ends, so that an event's data is one line. */

/** The names of the events. */
export const eventNames = [
  'attestation',
  'schema',
  'revocation',
  'anchor',
  'revert',
  'reset',
  'content',
] as const

/** How long a client waits before it connects again, in milliseconds; browsers wait about as long of themselves. */
const retryMs = 3_000

/** The first bytes of a stream. The client learns its place, even if no change ever follows. */
export function formatOpening(place: ChangePlace): string {
  return `retry: ${retryMs}\nid: ${formatPlace(place)}\n\n`
}

/**
 * A comment that shows proxies and clients that the connection lives, and moves the client's place without an event.
 */
export function formatHeartbeat(place: ChangePlace): string {
  return `: still here\nid: ${formatPlace(place)}\n\n`
}

export function eventNameOf({ kind }: FeedChange): (typeof eventNames)[number] {
  return kind === 'reverted' || kind === 'revertedAnchor' ? 'revert' : kind
}

export function formatEvent(change: FeedChange): string {
  return `event: ${eventNameOf(change)}\nid: ${formatPlace(change.place)}\ndata: ${writeJson(presentChange(change))}\n\n`
}

/** The form of a place in event ids and cursors. */
export const placePattern = /^[0-9]{1,16}-[0-9]{1,16}$/

/** A place as event ids carry it. */
export function formatPlace({ sequence, offset }: ChangePlace): string {
  return `${sequence}-${offset}`
}

/** The place of an event id; null if the text is not an event id. */
export function parsePlace(text: string): ChangePlace | null {
  const match = /^(0|[1-9][0-9]{0,15})-(0|[1-9][0-9]{0,15})$/.exec(text)
  if (match === null) return null
  const sequence = Number(match[1])
  const offset = Number(match[2])
  return Number.isSafeInteger(sequence) && Number.isSafeInteger(offset) ? { sequence, offset } : null
}
