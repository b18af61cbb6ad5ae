import type { Clock } from '../model/clock.ts'
import type { ChangeJournal, ChangePlace } from '../index/indexQueries.ts'
import { onCommit } from './commitHints.ts'
import { createPauses } from './pauses.ts'

export interface JournalTailOptions<Item> {
  /** Moves when there may be changes; read at each look. */
  readonly version: () => Promise<number>
  /** null: followers read the changes themselves, and are notified of each new version. */
  readonly journal: ChangeJournal<Item> | null
  readonly onFailure?: (error: unknown) => void
  readonly clock?: Clock
}

/** The one loop of a thread that follows a journal, for any number of followers. */
export interface JournalTail<Item> {
  /** Followers receive the changes after this place. Null: the tail has not begun, and will send `null` first. */
  readonly place: ChangePlace | null
  /**
   * @param everyMs the pause between two looks at the version, unless a commit ends it; the shortest of all counts.
   * @param tell takes the next changes, oldest first; the tail reads on when all followers have taken theirs. `null`:
   *   anything may have changed, or the index cannot be read. Must not reject.
   * @returns ends the following.
   */
  follow(everyMs: number, tell: (changes: readonly Item[] | null) => Promise<void> | void): () => void
  /** Reports a failed read of the journal, by the tail or by a follower. */
  noteFailure(error: unknown): void
}

/** Changes read at once. */
export const changesPerRead = 100

/** Pause after a failed read. */
export const failurePauseMs = 1_000

/** The place of a tail without a journal. */
const noPlace: ChangePlace = { sequence: 0, offset: 0 }

/** The loop runs while there are followers. Each of them gets every change after `place` exactly once. */
export function createJournalTail<Item>(options: JournalTailOptions<Item>): JournalTail<Item> {
  const { journal, onFailure: noteFailure = () => undefined } = options
  const followers = new Map<Parameters<JournalTail<Item>['follow']>[1], number>()
  const pauses = createPauses(options.clock)
  let place: ChangePlace | null = null
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    const stopListening = onCommit(pauses.wake)
    let version: number | null = null
    while (followers.size > 0) {
      try {
        const found = await options.version()
        const hasMore = found !== version && (await read())
        if (hasMore) continue
        version = found
        await pauses.wait(Math.min(...followers.values()))
      } catch (error) {
        // The caller closes the index after the last follower has left, which may end a read.
        if (followers.size === 0) break
        noteFailure(error)
        await tellAll(null)
        await pauses.wait(failurePauseMs)
      }
    }
    stopListening()
    place = null
    isRunning = false
  }

  /** Reads and tells what is new. Returns whether there is more. */
  async function read(): Promise<boolean> {
    const slice = place === null ? null : await journal?.listChanges(place, changesPerRead)
    place = slice?.next ?? (await journal?.newestChange()) ?? noPlace
    await tellAll(slice?.changes ?? null)
    return slice?.hasMore === true
  }

  async function tellAll(changes: readonly Item[] | null): Promise<void> {
    await Promise.all([...followers.keys()].map(async (tell) => await tell(changes)))
  }

  return {
    get place() {
      return place
    },
    follow: (everyMs, tell) => {
      followers.set(tell, everyMs)
      if (isRunning) pauses.wake()
      else void run()
      return () => {
        followers.delete(tell)
        if (followers.size === 0) pauses.wake()
      }
    },
    noteFailure,
  }
}
