import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DecodePayload } from '../../model/decodedPayload.ts'
import { listenToCommits, type CommitHints } from '../../changes/commitHints.ts'
import type { ChangePlace, ChangeSlice } from '../../store/indexQueries.ts'
import type { ChangeFilter, FeedChange } from '../../changes/changeFilter.ts'
import { cutIntoTurns, joinTexts, laterPlace, messagesFor, wantsAll, type Message } from './changeMessages.ts'
import { formatHeartbeat, formatPlace } from './formatEvent.ts'

/** One connection, as the feed sees it. */
export interface Subscriber {
  readonly filter: ChangeFilter
  /** How changes are written, where it is not as events of `/scan/events`. */
  readonly form?: StreamForm
  /** Bytes written that the network has not taken yet. */
  pendingBytes(): number
  write(text: string): void
  /** Ends the connection in good order. */
  end(): void
  /** Cuts off a connection that does not keep up. */
  drop(): void
}

/** Another form of a stream. */
export interface StreamForm {
  /** The text of a change, with the id of its place. */
  readonly format: (id: string, change: FeedChange) => Promise<string>
  readonly heartbeat: string
}

/** What a feed reads, in the terms of `ChangeJournal`. */
export interface FeedJournal {
  newestChange(): Promise<ChangePlace>
  listChanges(after: ChangePlace, limit: number): Promise<FeedSlice>
}

export interface FeedSlice extends Omit<ChangeSlice, 'changes'> {
  readonly changes: readonly FeedChange[]
}

export interface ChangeFeedOptions {
  readonly journal: FeedJournal
  /** For filters by decoded fields. */
  readonly decodePayload: DecodePayload
  /** Moves when there may be changes; read at each poll. */
  readonly version: () => Promise<number>
  readonly pollIntervalMs: number
  readonly heartbeatMs: number
  /** Live connections with more bytes pending are dropped. */
  readonly pendingBytesMax: number
  readonly onFailure: (error: unknown) => void
}

/** Feeds any number of connections from one poll of the journal. */
export interface ChangeFeed {
  /** Sends a subscriber every change behind `place`. Returns the function that ends the subscription. */
  subscribe(subscriber: Subscriber, place: ChangePlace): () => void
  readonly size: number
  /** Ends all connections. */
  close(): void
}

/** Changes read at once. */
const changesPerRead = 100

/** A connection that catches up gets no further events while this many bytes are pending: its client sets the pace. */
const catchUpPendingBytes = 32 * 1024

/** Pause before the next attempt while the sockets of all connections that catch up are full. */
const blockedPauseMs = 50

/** Pause after a failed read. */
const failurePauseMs = 1_000

/**
 * A connection is in one of three states:
 * 1. `behind`: it reads the journal on its own from `place`, and pauses while its network is full. `movedAtMs` is the
 *    time of its last read.
 * 2. `live`: it gets the changes that the loop reads for all live connections, from `place` on. A connection becomes
 *    live at the end of the journal.
 * 3. `gone`: it left, was dropped, or the feed is closed.
 */
type ConnectionState =
  | { readonly kind: 'behind'; readonly place: ChangePlace; readonly movedAtMs: number }
  | { readonly kind: 'live'; readonly place: ChangePlace }
  | { readonly kind: 'gone' }

interface Connection {
  readonly subscriber: Subscriber
  state: ConnectionState
}

/** `idle`: no connection. `running`: the loop polls for the connections, and pauses until a commit at most. */
type FeedState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly commits: CommitHints }
  | { readonly kind: 'closed' }

/**
 * Invariants:
 * 1. One loop reads, and only while there are connections. Changes are formatted once for all live connections.
 * 2. Each connection gets every change exactly once: the place of a live connection is never before the live place.
 * 3. Nothing is kept for a connection but what its socket holds, which is bounded.
 */
export function createChangeFeed(options: ChangeFeedOptions): ChangeFeed {
  const { journal, decodePayload } = options
  const connections = new Set<Connection>()
  let state: FeedState = { kind: 'idle' }
  /**
   * Live connections have every change up to here; the version is null if the index must be read at any version.
   */
  let live: { readonly place: ChangePlace; readonly version: number | null } = {
    place: { sequence: 0, offset: 0 },
    version: null,
  }
  let isHandingOver = false

  const heartbeats = setInterval(() => {
    for (const connection of connections) {
      if (connection.state.kind === 'behind') dropWhenStuck(connection, connection.state.movedAtMs)
      // While changes are handed over, some live connections are already past the live place.
      else if (connection.state.kind === 'live' && !isHandingOver) {
        const { form } = connection.subscriber
        write(connection, form?.heartbeat ?? formatHeartbeat(laterPlace(connection.state.place, live.place)))
      }
    }
  }, options.heartbeatMs)
  heartbeats.unref()

  function remove(connection: Connection): void {
    connections.delete(connection)
    connection.state = { kind: 'gone' }
  }

  function drop(connection: Connection): void {
    remove(connection)
    connection.subscriber.drop()
  }

  function dropWhenStuck(connection: Connection, movedAtMs: number): void {
    if (performance.now() - movedAtMs > options.heartbeatMs * 2) drop(connection)
  }

  /** Writes to a live connection, or drops it if its network has not taken what earlier turns wrote. */
  function write(connection: Connection, text: string): void {
    if (text === '') return
    if (connection.subscriber.pendingBytes() > options.pendingBytesMax) drop(connection)
    else connection.subscriber.write(text)
  }

  function liveConnections(): Connection[] {
    return [...connections].filter((connection) => connection.state.kind === 'live')
  }

  async function run(): Promise<void> {
    const running: FeedState = { kind: 'running', commits: listenToCommits() }
    const { commits } = running
    state = running
    while (state === running && connections.size > 0) {
      try {
        const hasMore = await readLive()
        const { isReading, isBlocked } = await catchUp()
        if (!hasMore && !isReading) await commits.wait(isBlocked ? blockedPauseMs : options.pollIntervalMs)
      } catch (error) {
        // The caller closes the index after the feed, which may end a read.
        if (state !== running) return
        options.onFailure(error)
        await commits.wait(failurePauseMs)
      }
    }
    if (state === running) state = { kind: 'idle' }
    commits.close()
  }

  /** Hands a page of changes to all live connections. Returns whether there are more. */
  async function readLive(): Promise<boolean> {
    if (liveConnections().length === 0) return false
    const version = await options.version()
    if (version === live.version) return false
    const { changes, next, hasMore } = await journal.listChanges(live.place, changesPerRead)
    isHandingOver = true
    for (const messages of cutIntoTurns(changes, decodePayload)) {
      const whole = joinTexts(messages)
      for (const connection of connections) {
        if (connection.state.kind !== 'live') continue
        const { place } = connection.state
        const { filter, form } = connection.subscriber
        const wanted = wantsAll(filter, place, messages) ? messages : messagesFor(filter, place, messages)
        if (form === undefined) write(connection, wanted === messages ? whole : joinTexts(wanted))
        else {
          const text = await formatMessages(form, wanted)
          if (isLive(connection)) write(connection, text)
        }
      }
      await nextTurn()
    }
    isHandingOver = false
    live = { place: next, version: hasMore ? live.version : version }
    return hasMore
  }

  /** Hands each connection that is behind a page of its own. */
  async function catchUp(): Promise<{ readonly isReading: boolean; readonly isBlocked: boolean }> {
    let isReading = false
    let isBlocked = false
    for (const connection of connections) {
      if (connection.state.kind !== 'behind') continue
      await nextTurn()
      if (isFull(connection)) {
        isBlocked = true
        continue
      }
      const before = connection.state
      if (before.kind !== 'behind') continue
      const { changes, next, hasMore } = await journal.listChanges(before.place, changesPerRead)
      const isThrough = await handOver(connection, changes, next)
      if (!isBehind(connection)) continue
      if (hasMore || !isThrough) isReading = true
      else join(connection, next)
    }
    return { isReading, isBlocked }
  }

  /** Hands changes to one connection as long as its network takes them. Returns whether the connection took all. */
  async function handOver(
    connection: Connection,
    changes: readonly FeedChange[],
    next: ChangePlace,
  ): Promise<boolean> {
    const movedAtMs = performance.now()
    for (const messages of cutIntoTurns(changes, decodePayload)) {
      if (connection.state.kind !== 'behind' || isFull(connection)) return false
      const { filter, form } = connection.subscriber
      const wanted = messagesFor(filter, connection.state.place, messages)
      const text = form === undefined ? joinTexts(wanted) : await formatMessages(form, wanted)
      if (!isBehind(connection)) return false
      if (text !== '') connection.subscriber.write(text)
      const place = messages.at(-1)?.place ?? connection.state.place
      connection.state = { kind: 'behind', place, movedAtMs }
      await nextTurn()
    }
    if (!isBehind(connection)) return false
    connection.state = { kind: 'behind', place: next, movedAtMs }
    return true
  }

  /**
   * Makes a connection live that has every change. No live connection is ahead of it, since one loop reads for all. If
   * no connection was live, the live place may be old.
   */
  function join(connection: Connection, place: ChangePlace): void {
    if (liveConnections().length === 0) live = { place, version: null }
    connection.state = { kind: 'live', place }
  }

  return {
    subscribe: (subscriber, place) => {
      const connection: Connection = {
        subscriber,
        state: { kind: 'behind', place, movedAtMs: performance.now() },
      }
      connections.add(connection)
      if (state.kind === 'running') state.commits.wake()
      else if (state.kind === 'idle') void run()
      return () => remove(connection)
    },
    get size() {
      return connections.size
    },
    close: () => {
      const before = state
      state = { kind: 'closed' }
      clearInterval(heartbeats)
      for (const connection of [...connections]) {
        remove(connection)
        connection.subscriber.end()
      }
      if (before.kind === 'running') before.commits.close()
    },
  }
}

/** A function, because the state changes while the loop awaits. */
function isBehind(connection: Connection): boolean {
  return connection.state.kind === 'behind'
}

function isLive(connection: Connection): boolean {
  return connection.state.kind === 'live'
}

async function formatMessages({ format }: StreamForm, messages: readonly Message[]): Promise<string> {
  let text = ''
  for (const { place, change } of messages) text += await format(formatPlace(place), change)
  return text
}

function isFull({ subscriber }: Connection): boolean {
  return subscriber.pendingBytes() > catchUpPendingBytes
}
