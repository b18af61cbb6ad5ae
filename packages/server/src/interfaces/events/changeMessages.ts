import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { ChangePlace } from '@attestry/core/index/indexQueries.ts'
import {
  passesFilter,
  subjectOf,
  type ChangeFilter,
  type ChangeSubject,
  type FeedChange,
} from '@attestry/core/changes/changeFilter.ts'
import { formatEvent } from './formatEvent.ts'

/** A change, formatted once for all readers. */
export interface Message {
  readonly place: ChangePlace
  readonly change: FeedChange
  /** null for a reset, which concerns every reader. */
  readonly subject: ChangeSubject | null
  readonly text: string
}

/** Characters that one turn of the event loop hands to a connection; a longer message takes a turn of its own. */
const charactersPerTurn = 64 * 1024

/** Formats changes, in groups of the events that one turn sends. */
export function* cutIntoTurns(
  changes: readonly FeedChange[],
  decodePayload: DecodePayload,
): Generator<readonly Message[]> {
  let messages: Message[] = []
  let characters = 0
  for (const change of changes) {
    const subject = subjectOf(change, decodePayload)
    const message = { place: change.place, change, subject, text: formatEvent(change) }
    if (messages.length > 0 && characters + message.text.length > charactersPerTurn) {
      yield messages
      messages = []
      characters = 0
    }
    messages.push(message)
    characters += message.text.length
  }
  if (messages.length > 0) yield messages
}

/** Those messages behind `place` that pass a filter. */
export function messagesFor(
  filter: ChangeFilter,
  place: ChangePlace,
  messages: readonly Message[],
): readonly Message[] {
  return messages.filter((message) => {
    // A reset stands at the journal's end, which is before the place of a client that knew another journal.
    const isNew = message.subject === null || isBefore(place, message.place)
    return isNew && passesFilter(filter, message.subject)
  })
}

export function joinTexts(messages: readonly Message[]): string {
  let joined = ''
  for (const { text } of messages) joined += text
  return joined
}

/** Whether a filter passes every message and all messages are behind `place`: such readers share one text. */
export function wantsAll(filter: ChangeFilter, place: ChangePlace, [first]: readonly Message[]): boolean {
  const { fields, ...members } = filter
  const isUnfiltered = fields.length === 0 && Object.values(members).every((member) => member === null)
  return isUnfiltered && first !== undefined && isBefore(place, first.place)
}

export function laterPlace(a: ChangePlace, b: ChangePlace): ChangePlace {
  return isBefore(a, b) ? b : a
}

export function isBefore(place: ChangePlace, other: ChangePlace): boolean {
  return place.sequence === other.sequence ? place.offset < other.offset : place.sequence < other.sequence
}
