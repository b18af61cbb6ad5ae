import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { OverloadedError } from '../../errors/apiErrors.ts'
import { listenToCommits } from '../../changes/commitHints.ts'
import type { ChangeJournal, ChangePlace, WantedRecord } from '../../store/indexQueries.ts'
import type { IndexReader } from '../../store/indexReader.ts'
import type { RequestMeter } from '../metrics/requestMeter.ts'
import { readChangedRecords, wantedName } from './readChangedRecords.ts'

export interface RecordWaitsOptions {
  readonly reader: Pick<IndexReader, 'indexVersion' | 'findPresent'>
  /** Tells which records a new version concerns; without a journal, all that are waited for are looked up. */
  readonly journal?: ChangeJournal | undefined
  readonly meter: RequestMeter
  readonly limits?: Partial<WaitLimits>
}

export interface WaitLimits {
  /** Requests that wait at the same time; more are refused with 503. */
  readonly waitingMax: number
  /** The pause between two looks at the version of the index, unless a commit ends it. */
  readonly pollIntervalMs: number
}

const limitDefaults: WaitLimits = { waitingMax: 10_000, pollIntervalMs: 25 }

/** The requests that wait for a record. */
export interface RecordWaits {
  /**
   * Waits until the record may be indexed. Resolves to false at `endMs` (of `performance.now`), or when the client has
   * gone away. True says to look again: also where the index cannot be read.
   * @throws OverloadedError where too many requests wait, or the server stops.
   */
  wait(record: WantedRecord, endMs: number, response: ServerResponse): Promise<boolean>
  /** Ends every wait. */
  close(): void
}

/** Records of one look-up: the event loop turns between two. */
const recordsPerLookup = 1_000

/** A look-up takes at most one part in so many of the time: with many requests, looks are further apart. */
const pausePerLookup = 9

/** Seconds after which a refused client may ask again. */
const retryAfterSeconds = 5

interface Waiter {
  readonly record: WantedRecord
  readonly end: (outcome: boolean | OverloadedError) => void
}

/**
 * Invariants:
 * 1. One loop watches the version of the index, and only while requests wait. A new version costs one look-up, of the
 *    records that the journal names.
 * 2. A request that begins to wait is looked up once at any version: its record may have come since the request looked.
 * 3. A waiter leaves the set exactly once: found, at its end, with its client, or with the server.
 */
export function createRecordWaits(options: RecordWaitsOptions): RecordWaits {
  const { reader, meter, journal } = options
  const { waitingMax, pollIntervalMs } = { ...limitDefaults, ...options.limits }
  const waiters = new Set<Waiter>()
  /** The waiters whose records may be there. */
  const doubtful = new Set<Waiter>()
  let isRunning = false
  let isClosed = false

  async function run(): Promise<void> {
    isRunning = true
    const commits = listenToCommits()
    let version: number | null = null
    let place: ChangePlace | null = null
    while (waiters.size > 0) {
      const startMs = performance.now()
      try {
        const found = await reader.indexVersion()
        if (found !== version) place = await doubtChanged(place)
        version = found
        await lookUp()
      } catch {
        // Each request looks again, and answers with the error.
        for (const waiter of waiters) waiter.end(true)
      }
      await pause((performance.now() - startMs) * pausePerLookup)
      await commits.wait(pollIntervalMs)
    }
    commits.close()
    isRunning = false
  }

  /** Doubts the waiters whose records have changed behind a place, and returns the place behind the changes. */
  async function doubtChanged(place: ChangePlace | null): Promise<ChangePlace | null> {
    const changed = journal === undefined || place === null ? null : await readChangedRecords(journal, place)
    const next = changed?.next ?? (await journal?.newestChange()) ?? null
    for (const waiter of waiters) {
      if (changed === null || changed.names.has(wantedName(waiter.record))) doubtful.add(waiter)
    }
    return next
  }

  async function lookUp(): Promise<void> {
    const asked = [...doubtful]
    doubtful.clear()
    for (let first = 0; first < asked.length; first += recordsPerLookup) {
      const part = asked.slice(first, first + recordsPerLookup)
      const present = await reader.findPresent(part.map(({ record }) => record))
      for (const [index, waiter] of part.entries()) {
        if (present[index] === true) waiter.end(true)
      }
      if (part.length === recordsPerLookup) await nextTurn()
    }
  }

  function add(record: WantedRecord, endMs: number, response: ServerResponse): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const startMs = performance.now()
      const leave = () => waiter.end(false)
      const timer = setTimeout(leave, endMs - startMs)
      const waiter: Waiter = {
        record,
        end: (outcome) => {
          if (!waiters.delete(waiter)) return
          doubtful.delete(waiter)
          clearTimeout(timer)
          response.off('close', leave)
          meter.resume(response, performance.now() - startMs)
          if (typeof outcome === 'boolean') resolve(outcome)
          else reject(outcome)
        },
      }
      waiters.add(waiter)
      doubtful.add(waiter)
      response.once('close', leave)
      // A waiting request is no work in progress, and its time is no time of answering.
      meter.suspend()
      if (!isRunning) void run()
    })
  }

  return {
    wait: async (record, endMs, response) => {
      if (isClosed) throw stopping()
      if (performance.now() >= endMs || response.destroyed) return false
      if (waiters.size >= waitingMax) {
        throw new OverloadedError(
          'Too many requests wait for records already; ask again later.',
          retryAfterSeconds,
        )
      }
      return await add(record, endMs, response)
    },
    close: () => {
      isClosed = true
      for (const waiter of waiters) waiter.end(stopping())
    },
  }
}

function stopping(): OverloadedError {
  return new OverloadedError('The server is stopping; ask again in a moment.', 1)
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs).unref())
}
