import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Change, ChangeJournal, ChangePlace } from '../../store/indexQueries.ts'
import { passesFilter, subjectOf, type ChangeFilter, type ChangeSubject } from './changeFilter.ts'
import { formatEvent, formatHeartbeat } from './formatEvent.ts'

/** One connection, as the feed sees it. */
export interface Subscriber {
  readonly filter: ChangeFilter
  /** Bytes that were written and not yet taken by the network. */
  pendingBytes(): number
  write(text: string): void
  /** Ends the connection in good order. */
  end(): void
  /** Cuts off a reader that does not keep up. */
  drop(): void
}

export interface ChangeFeedOptions {
  readonly journal: ChangeJournal
  /** Moves when there may be changes; asked at each look. */
  readonly indexVersion: () => Promise<number>
  readonly pollIntervalMs: number
  readonly heartbeatMs: number
  /** Live readers with more than this many bytes pending are dropped. */
  readonly pendingBytesMax: number
  readonly onFailure: (error: unknown) => void
}

/** Feeds any number of connections from one look at the journal. */
export interface ChangeFeed {
  /** Tells a subscriber of everything behind `place`. Answers the function that ends it. */
  subscribe(subscriber: Subscriber, place: ChangePlace): () => void
  readonly size: number
  /** Ends all connections. */
  close(): void
}

/** Changes read at once. */
const changesPerRead = 100

/** Characters handed to a connection in one turn, but for a single change that is longer. */
const charactersPerTurn = 64 * 1024

/** Pending bytes from which on a reader that catches up is handed no more: it reads history at its own pace. */
const catchUpPendingBytes = 32 * 1024

/** How often readers that catch up are looked at while the network takes nothing more of theirs. */
const blockedPauseMs = 50

/** Pause after a failed look. */
const failurePauseMs = 1_000

interface Entry {
  readonly subscriber: Subscriber
  /** Everything up to here was handed over, or passed over. */
  place: ChangePlace
  /** When it was last handed something, or asked for nothing, while it catches up. */
  movedAtMs: number
}

/** A change ready to be sent to whoever it passes the filter of. */
interface Message {
  readonly place: ChangePlace
  readonly subject: ChangeSubject | null
  readonly text: string
}

/**
 * Invariants:
 * 1. One loop reads, and only while somebody is there; what the live ones get is formatted once.
 * 2. A connection is either behind, and reads for itself from its own place on, nothing while its network is full; or live,
 *    and then its place is not before the live one: each gets every change exactly once.
 * 3. Nothing is kept for a connection but what its socket holds, and that is bounded.
 */
export function createChangeFeed(options: ChangeFeedOptions): ChangeFeed {
  const { journal } = options
  const live = new Set<Entry>()
  const behind = new Set<Entry>()
  let livePlace: ChangePlace = { sequence: 0, offset: 0 }
  let knownVersion: number | null = null
  let isRunning = false
  let isClosed = false
  let isHandingOver = false
  let wake = (): void => undefined

  const heartbeats = setInterval(() => {
    // In the middle of handing over, the live place is behind what some have been told.
    if (!isHandingOver)
      for (const entry of live) deliver(entry, formatHeartbeat(latest(entry.place, livePlace)))
    for (const entry of behind) dropWhenStuck(entry)
  }, options.heartbeatMs)
  heartbeats.unref()

  function remove(entry: Entry): void {
    live.delete(entry)
    behind.delete(entry)
  }

  /** Whoever has not taken what earlier turns handed over does not keep up; what this turn does is on its way still. */
  function deliver(entry: Entry, text: string): void {
    if (entry.subscriber.pendingBytes() <= options.pendingBytesMax) entry.subscriber.write(text)
    else drop(entry)
  }

  function dropWhenStuck(entry: Entry): void {
    if (performance.now() - entry.movedAtMs > options.heartbeatMs * 2) drop(entry)
  }

  function drop(entry: Entry): void {
    remove(entry)
    entry.subscriber.drop()
  }

  async function run(): Promise<void> {
    isRunning = true
    while (!isClosed && live.size + behind.size > 0) {
      try {
        const hasMore = await readLive()
        const { isReading, isBlocked } = await catchUp()
        if (!hasMore && !isReading) await pause(isBlocked ? blockedPauseMs : options.pollIntervalMs)
      } catch (error) {
        options.onFailure(error)
        await pause(failurePauseMs)
      }
    }
    isRunning = false
  }

  /** Hands a page of changes to all who are live. Says whether there are more. */
  async function readLive(): Promise<boolean> {
    if (live.size === 0) return false
    const version = await options.indexVersion()
    if (version === knownVersion) return false
    const { changes, next, hasMore } = await journal.listChanges(livePlace, changesPerRead)
    isHandingOver = true
    for (const messages of cutIntoTurns(changes)) {
      const whole = messages.map(({ text }) => text).join('')
      for (const entry of live) {
        const text = isForEverything(entry, messages) ? whole : joinWanted(entry, messages)
        if (text !== '') deliver(entry, text)
      }
      await nextTurn()
    }
    isHandingOver = false
    livePlace = next
    if (!hasMore) knownVersion = version
    return hasMore
  }

  /** Hands a page of its own to each who is behind. */
  async function catchUp(): Promise<{ readonly isReading: boolean; readonly isBlocked: boolean }> {
    let isReading = false
    let isBlocked = false
    for (const entry of behind) {
      await nextTurn()
      if (entry.subscriber.pendingBytes() > catchUpPendingBytes) {
        isBlocked = true
        continue
      }
      const { changes, next, hasMore } = await journal.listChanges(entry.place, changesPerRead)
      entry.movedAtMs = performance.now()
      const isThrough = await handOver(entry, changes)
      if (!behind.has(entry)) continue
      if (isThrough) entry.place = next
      if (hasMore || !isThrough) isReading = true
      else join(entry)
    }
    return { isReading, isBlocked }
  }

  /** Hands changes to one reader for as long as its network takes them. Says whether it took all. */
  async function handOver(entry: Entry, changes: readonly Change[]): Promise<boolean> {
    for (const messages of cutIntoTurns(changes)) {
      if (entry.subscriber.pendingBytes() > catchUpPendingBytes || !behind.has(entry)) return false
      const text = joinWanted(entry, messages)
      if (text !== '') entry.subscriber.write(text)
      entry.place = messages.at(-1)?.place ?? entry.place
      await nextTurn()
    }
    return true
  }

  /**
   * Makes a reader live that is behind nothing. No live reader has been told of anything beyond, since one loop reads for all;
   * where nobody was live, the live place may have stood still for long.
   */
  function join(entry: Entry): void {
    behind.delete(entry)
    if (live.size === 0) {
      livePlace = entry.place
      knownVersion = null
    }
    live.add(entry)
  }

  async function pause(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs)
      timer.unref()
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    wake = () => undefined
  }

  return {
    subscribe: (subscriber, place) => {
      const entry = { subscriber, place, movedAtMs: performance.now() }
      behind.add(entry)
      if (isRunning) wake()
      else void run()
      return () => remove(entry)
    },
    get size() {
      return live.size + behind.size
    },
    close: () => {
      isClosed = true
      clearInterval(heartbeats)
      for (const { subscriber } of [...live, ...behind]) subscriber.end()
      live.clear()
      behind.clear()
      wake()
    },
  }
}

/** Formats changes, in groups of about what one turn hands over. */
function* cutIntoTurns(changes: readonly Change[]): Generator<Message[]> {
  let messages: Message[] = []
  let characters = 0
  for (const change of changes) {
    const message = { place: change.place, subject: subjectOf(change), text: formatEvent(change) }
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

function isForEverything({ subscriber, place }: Entry, [first]: readonly Message[]): boolean {
  const { schema, attester, recipient, chainId } = subscriber.filter
  const isUnfiltered = schema === null && attester === null && recipient === null && chainId === null
  return isUnfiltered && first !== undefined && isBefore(place, first.place)
}

function joinWanted({ subscriber, place }: Entry, messages: readonly Message[]): string {
  let joined = ''
  for (const message of messages) {
    // A reset stands where the journal ends, which is before the place of a client that knew another journal.
    const isNews = message.subject === null || isBefore(place, message.place)
    if (isNews && passesFilter(subscriber.filter, message.subject)) {
      joined += message.text
    }
  }
  return joined
}

function latest(a: ChangePlace, b: ChangePlace): ChangePlace {
  return isBefore(a, b) ? b : a
}

function isBefore(place: ChangePlace, other: ChangePlace): boolean {
  return place.sequence === other.sequence ? place.offset < other.offset : place.sequence < other.sequence
}
