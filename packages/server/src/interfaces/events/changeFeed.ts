import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import { OverloadedError } from '@attestry/core/errors/apiErrors.ts'
import { shareTurn } from '@attestry/core/model/threadTurns.ts'
import { changesPerRead, failurePauseMs, type JournalTail } from '@attestry/core/changes/journalTail.ts'
import { createPauses } from '@attestry/core/changes/pauses.ts'
import type { ChangeJournal, ChangePlace } from '@attestry/core/index/indexQueries.ts'
import type { ChangeFilter, FeedChange } from '@attestry/core/changes/changeFilter.ts'
import {
  cutIntoTurns,
  isBefore,
  joinTexts,
  laterPlace,
  messagesFor,
  wantsAll,
  type Message,
} from './changeMessages.ts'
import { formatHeartbeat, formatPlace } from './formatEvent.ts'

/** One connection, as the feed sees it. */
export interface Subscriber {
  readonly filter: ChangeFilter
  /** The form of changes; that of `/scan/events` by default. */
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
  /** The text of a change, with the id of its place. Rejects with OverloadedError to cut the connection off. */
  readonly format: (id: string, change: FeedChange) => Promise<string>
  readonly heartbeat: string
}

export interface ChangeFeedOptions {
  readonly journal: ChangeJournal<FeedChange>
  /** Follows the same journal. */
  readonly tail: JournalTail<FeedChange>
  /** For filters by decoded fields. */
  readonly decodePayload: DecodePayload
  /** See `JournalTail.follow`. */
  readonly pollIntervalMs: number
  readonly heartbeatMs: number
  /** Live connections with more bytes pending are dropped. */
  readonly pendingBytesMax: number
}

/** Feeds any number of connections from one tail of the journal. */
export interface ChangeFeed {
  /** Sends a subscriber every change after `place`. Returns the function that ends the subscription. */
  subscribe(subscriber: Subscriber, place: ChangePlace): () => void
  readonly size: number
  /** Ends all connections. */
  close(): void
}

/** A connection that catches up gets no further events while this many bytes are pending: its client sets the pace. */
const catchUpPendingBytes = 32 * 1024

/** Pause before the next attempt while no connection that catches up can take more. */
const blockedPauseMs = 50

/**
 * A connection is in one of three states:
 * 1. `behind`: it reads the journal on its own from `place`, and pauses while its network is full. `movedAtMs` is the
 *    time of its last read.
 * 2. `live`: it gets the changes that the tail reads, from `place` on. A connection becomes live when it has reached
 *    the place of the tail.
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

/**
 * Invariants:
 * 1. Live connections get each page that the tail reads; one loop reads for all others. Neither runs without
 *    connections. Changes are formatted once for all live connections but those with a form of their own, which come
 *    last.
 * 2. Each connection gets every change exactly once: the place of a live connection was not before that of the tail when
 *    the connection became live.
 * 3. Nothing is kept for a connection but what its socket holds, which is bounded.
 */
export function createChangeFeed(options: ChangeFeedOptions): ChangeFeed {
  const { journal, tail, decodePayload } = options
  const connections = new Set<Connection>()
  const pauses = createPauses()
  let isHandingOver = false
  let isCatchingUp = false
  let leaveTail = (): void => undefined

  const heartbeats = setInterval(() => {
    for (const connection of connections) {
      if (connection.state.kind === 'gone') continue
      const { place } = connection.state
      if (connection.state.kind === 'behind') {
        // A connection that waits for the index, not for its network, keeps up.
        if (isFull(connection)) dropWhenStuck(connection, connection.state.movedAtMs)
        else beat(connection, place)
      }
      // While changes are handed over, some live connections are not yet at the place of the tail.
      else if (!isHandingOver) beat(connection, laterPlace(place, tail.place ?? place))
    }
  }, options.heartbeatMs)
  heartbeats.unref()

  function remove(connection: Connection): void {
    connections.delete(connection)
    connection.state = { kind: 'gone' }
    if (connections.size === 0) leaveTail()
  }

  function drop(connection: Connection): void {
    remove(connection)
    connection.subscriber.drop()
  }

  function dropWhenStuck(connection: Connection, movedAtMs: number): void {
    if (performance.now() - movedAtMs > options.heartbeatMs * 2) drop(connection)
  }

  function beat(connection: Connection, place: ChangePlace): void {
    write(connection, connection.subscriber.form?.heartbeat ?? formatHeartbeat(place))
  }

  /** Writes to a connection, or drops it if its network has not taken what earlier turns wrote. */
  function write(connection: Connection, text: string): void {
    if (text === '') return
    if (connection.subscriber.pendingBytes() > options.pendingBytesMax) drop(connection)
    else connection.subscriber.write(text)
  }

  /** Hands a page of changes to all live connections. */
  async function tell(changes: readonly FeedChange[] | null): Promise<void> {
    pauses.wake()
    if (changes === null || ![...connections].some(isLive)) return
    isHandingOver = true
    for (const messages of cutIntoTurns(changes, decodePayload)) {
      const whole = joinTexts(messages)
      for (const connection of connections) {
        if (connection.state.kind !== 'live') continue
        const { place } = connection.state
        const { filter, form } = connection.subscriber
        if (form !== undefined) continue
        const wanted = wantsAll(filter, place, messages) ? messages : messagesFor(filter, place, messages)
        write(connection, wanted === messages ? whole : joinTexts(wanted))
      }
      // One change after the other: connections share what was formatted, and little waits in each of them.
      for (const message of messages) await tellFormatted(message)
      await nextTurn()
    }
    isHandingOver = false
  }

  async function tellFormatted(message: Message): Promise<void> {
    for (const connection of connections) {
      const { state, subscriber } = connection
      if (state.kind !== 'live' || subscriber.form === undefined) continue
      if (messagesFor(subscriber.filter, state.place, [message]).length === 0) continue
      const text = await format(connection, subscriber.form, message)
      if (text !== null && isLive(connection)) write(connection, text)
    }
  }

  /** The text of a change in a form of its own; null: the connection was dropped. */
  async function format(
    connection: Connection,
    form: StreamForm,
    { place, change }: Message,
  ): Promise<string | null> {
    const paused = shareTurn()
    if (paused !== undefined) await paused
    try {
      return await form.format(formatPlace(place), change)
    } catch (error) {
      if (!(error instanceof OverloadedError)) throw error
      drop(connection)
      return null
    }
  }

  /** Hands pages of their own to the connections that are behind, until none is. */
  async function catchUp(): Promise<void> {
    isCatchingUp = true
    while ([...connections].some(isBehind)) {
      let isBlocked = true
      for (const connection of connections) {
        if (!isBehind(connection)) continue
        try {
          await nextTurn()
          if (!isFull(connection) && (await readOwn(connection))) isBlocked = false
        } catch (error) {
          // The caller closes the index after the feed, which may end a read.
          if (connections.size === 0) break
          options.tail.noteFailure(error)
          await pauses.wait(failurePauseMs)
        }
      }
      if (isBlocked) await pauses.wait(blockedPauseMs)
    }
    isCatchingUp = false
  }

  /** Hands a connection that is behind the next page. Returns false if the connection has to wait for the tail. */
  async function readOwn(connection: Connection): Promise<boolean> {
    if (connection.state.kind !== 'behind') return false
    const { changes, next, hasMore } = await journal.listChanges(connection.state.place, changesPerRead)
    const isThrough = await handOver(connection, changes, next)
    if (hasMore || !isThrough || !isBehind(connection)) return true
    if (tail.place === null) return false
    if (!isBefore(next, tail.place)) connection.state = { kind: 'live', place: next }
    return true
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
      if (form === undefined) {
        const text = joinTexts(wanted)
        if (text !== '') connection.subscriber.write(text)
      } else {
        for (const message of wanted) {
          const text = await format(connection, form, message)
          if (text === null || !isBehind(connection)) return false
          if (text !== '') connection.subscriber.write(text)
          connection.state = { kind: 'behind', place: message.place, movedAtMs }
          if (isFull(connection)) return false
        }
      }
      const place = messages.at(-1)?.place ?? connection.state.place
      connection.state = { kind: 'behind', place, movedAtMs }
      await nextTurn()
    }
    if (!isBehind(connection)) return false
    connection.state = { kind: 'behind', place: next, movedAtMs }
    return true
  }

  return {
    subscribe: (subscriber, place) => {
      const connection: Connection = {
        subscriber,
        state: { kind: 'behind', place, movedAtMs: performance.now() },
      }
      if (connections.size === 0) leaveTail = tail.follow(options.pollIntervalMs, tell)
      connections.add(connection)
      pauses.wake()
      if (!isCatchingUp) void catchUp()
      return () => remove(connection)
    },
    get size() {
      return connections.size
    },
    close: () => {
      clearInterval(heartbeats)
      for (const connection of connections) {
        remove(connection)
        connection.subscriber.end()
      }
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

function isFull({ subscriber }: Connection): boolean {
  return subscriber.pendingBytes() > catchUpPendingBytes
}
