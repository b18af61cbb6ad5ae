import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { OverloadedError } from '@attestry/core/errors/apiErrors.ts'
import {
  passesFilter,
  subjectOf,
  type ChangeFilter,
  type ChangeSubject,
} from '@attestry/core/changes/changeFilter.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { JournalTail } from '@attestry/core/changes/journalTail.ts'
import type { Change, ChangePlace, WantedRecord } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { isBefore } from '../../interfaces/events/changeMessages.ts'
import type { RequestMeter } from '../metrics/requestMeter.ts'
import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import { detailOf } from '@attestry/core/model/recordJson.ts'

export interface RecordWaitsOptions {
  readonly reader: Pick<IndexReader, 'findPresent'>
  readonly tail: JournalTail<Change>
  readonly decodePayload: DecodePayload
  readonly meter: RequestMeter
  readonly limits?: Partial<WaitLimits>
}

export interface WaitLimits {
  /** Requests that wait at the same time; more are refused with 503. */
  readonly waitingMax: number
  /** See `JournalTail.follow`. */
  readonly pollIntervalMs: number
}

const limitDefaults: WaitLimits = { waitingMax: 10_000, pollIntervalMs: 25 }

/** The requests that wait for a record. */
export interface RecordWaits {
  /**
   * Waits until the record may be indexed. Resolves to false at `endMs` (of `performance.now`), or when the client has
   * gone away. True says to look again: also where the index cannot be read.
   * @throws OverloadedError if too many requests wait, or the server stops.
   */
  wait(record: WantedRecord, endMs: number, response: ServerResponse): Promise<boolean>
  /** The same for any change that passes a filter. */
  waitForChange(wanted: WantedChange, endMs: number, response: ServerResponse): Promise<boolean>
  /** Ends every wait. */
  close(): void
}

/** Records of one look-up: the event loop turns between two. */
const recordsPerLookup = 1_000

/** A look-up takes at most one part in so many of the time: with many requests, looks are further apart. */
const pausePerLookup = 9

/** Seconds after which a refused client may ask again. */
const retryAfterSeconds = 5

/** A change that a request waits for. */
export interface WantedChange {
  /** null: only a reset of the journal ends the wait. */
  readonly filter: ChangeFilter | null
  /** The place up to which the request knows the changes. */
  readonly after: ChangePlace
}

interface Waiter<Wanted = WantedRecord | WantedChange> {
  readonly wanted: Wanted
  readonly end: (outcome: boolean | OverloadedError) => void
}

/**
 * Invariants:
 * 1. The waits follow the journal, and only while requests wait. A change costs a look-up of those who wait for its
 *    record.
 * 2. A request that begins to wait is looked up once: its record may have come since the request looked, and before the
 *    journal is followed.
 * 3. A waiter leaves the set exactly once: found, at its end, with its client, or with the server.
 */
export function createRecordWaits(options: RecordWaitsOptions): RecordWaits {
  const { reader, meter, tail, decodePayload } = options
  const { waitingMax, pollIntervalMs } = { ...limitDefaults, ...options.limits }
  const waiters = new Set<Waiter>()
  /** The waiters whose records may be there. */
  const doubtful = new Set<Waiter<WantedRecord>>()
  let isLooking = false
  let isClosed = false
  let leave = (): void => undefined

  function doubt(changes: readonly Change[] | null): void {
    const names = namesOfChanged(changes)
    let subjects: readonly (ChangeSubject | null)[] | null = null
    for (const waiter of [...waiters]) {
      if (isForChange(waiter)) {
        subjects ??= changes?.map((change) => subjectOf(change, decodePayload)) ?? []
        endIfChanged(waiter, subjects)
      }
      if (isForRecord(waiter) && names?.has(wantedName(waiter.wanted)) !== false) doubtful.add(waiter)
    }
    void lookUp()
  }

  /**
   * Ends a wait for a change. A tail that begins, or cannot read the index, reports no changes: then the places say
   * whether any may be new.
   */
  function endIfChanged(
    { wanted, end }: Waiter<WantedChange>,
    subjects: readonly (ChangeSubject | null)[],
  ): void {
    const { filter, after } = wanted
    const isNew = tail.place !== null && isBefore(after, tail.place)
    const passes = (subject: ChangeSubject | null) =>
      filter === null ? subject === null : passesFilter(filter, subject)
    if (isNew && (subjects.length === 0 || subjects.some(passes))) end(true)
  }

  async function lookUp(): Promise<void> {
    if (isLooking) return
    isLooking = true
    while (doubtful.size > 0) {
      const startMs = performance.now()
      const asked = [...doubtful]
      doubtful.clear()
      for (let first = 0; first < asked.length; first += recordsPerLookup) {
        const part = asked.slice(first, first + recordsPerLookup)
        // If the index cannot be read, each request looks again, and answers with the error.
        const present = await reader.findPresent(part.map(({ wanted }) => wanted)).catch(() => null)
        for (const [index, waiter] of part.entries()) {
          if (present?.[index] !== false) waiter.end(true)
        }
        if (part.length === recordsPerLookup) await nextTurn()
      }
      await pause((performance.now() - startMs) * pausePerLookup)
    }
    isLooking = false
  }

  function add(wanted: Waiter['wanted'], endMs: number, response: ServerResponse): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const startMs = performance.now()
      const giveUp = () => waiter.end(false)
      const timer = setTimeout(giveUp, endMs - startMs)
      const waiter: Waiter = {
        wanted,
        end: (outcome) => {
          if (!waiters.delete(waiter)) return
          if (isForRecord(waiter)) doubtful.delete(waiter)
          if (waiters.size === 0) leave()
          clearTimeout(timer)
          response.off('close', giveUp)
          meter.resume(response, performance.now() - startMs)
          if (typeof outcome === 'boolean') resolve(outcome)
          else reject(outcome)
        },
      }
      if (waiters.size === 0) leave = tail.follow(pollIntervalMs, doubt)
      waiters.add(waiter)
      response.once('close', giveUp)
      // A waiting request is no work in progress, and its time is no time of answering.
      meter.suspend()
      // A tail that has not begun makes all doubtful when it does.
      if (tail.place === null) return
      if (isForChange(waiter)) endIfChanged(waiter, [])
      if (!isForRecord(waiter)) return
      doubtful.add(waiter)
      void lookUp()
    })
  }

  async function wait(wanted: Waiter['wanted'], endMs: number, response: ServerResponse): Promise<boolean> {
    if (isClosed) throw stopping()
    if (performance.now() >= endMs || response.destroyed) return false
    if (waiters.size >= waitingMax) {
      throw new OverloadedError(
        'Too many requests wait for records already; ask again later.',
        retryAfterSeconds,
      )
    }
    return await add(wanted, endMs, response)
  }

  return {
    wait,
    waitForChange: wait,
    close: () => {
      isClosed = true
      for (const waiter of waiters) waiter.end(stopping())
    },
  }
}

function isForChange(waiter: Waiter): waiter is Waiter<WantedChange> {
  return 'after' in waiter.wanted
}

function isForRecord(waiter: Waiter): waiter is Waiter<WantedRecord> {
  return !isForChange(waiter)
}

function stopping(): OverloadedError {
  return new OverloadedError('The server is stopping; ask again in a moment.', 1)
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs).unref())
}

/** The names (`wantedName`) of the records that changed; null: any record may have. */
function namesOfChanged(changes: readonly Change[] | null): ReadonlySet<string> | null {
  if (changes === null || changes.some(({ kind }) => kind === 'reset')) return null
  return new Set(changes.flatMap(namesOf))
}

function namesOf(change: Change): readonly string[] {
  switch (change.kind) {
    case 'schema':
      return [recordName('schema', change.schema.key), transactionName(change.schema.transactionHash)]
    case 'attestation':
    case 'revocation': {
      const { key, detail, revocation } = change.attestation
      const revoking = revocation === null ? [] : [transactionName(revocation.transactionHash)]
      return [recordName('attestation', key), transactionName(detailOf(detail).transactionHash), ...revoking]
    }
    default:
      return []
  }
}

/** The name of a record, or of a transaction, among those that changed. */
function wantedName(wanted: WantedRecord): string {
  return wanted.kind === 'transaction' ? transactionName(wanted.hash) : recordName(wanted.kind, wanted.key)
}

function recordName(kind: 'attestation' | 'schema', { chainId, localId }: RecordKey): string {
  return `${kind} ${chainId} ${localId}`
}

function transactionName(hash: string): string {
  return `transaction ${hash}`
}
