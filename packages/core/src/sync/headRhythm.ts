/**
 * The rhythm of a chain's blocks, learned from the times at which polls saw them. Times are milliseconds of the local
 * clock, but for the timestamps of blocks; these may differ from it by any constant.
 */
export interface HeadRhythm {
  /** The newest heads, ascending; each poll that saw a new one added it. */
  readonly heads: readonly SeenHead[]
  /** The time between a block's timestamp and the poll that is to see the block; null before the first head. */
  readonly lagMs: number | null
  /** By how much `lagMs` changes next. */
  readonly stepMs: number
  /** Whether `lagMs` grew last. */
  readonly grew: boolean
  /** Polls since the newest head that saw no newer one, once it was due. */
  readonly misses: number
  readonly polledMs: number
}

interface SeenHead {
  readonly number: number
  readonly timestampMs: number
  readonly seenMs: number
}

export interface HeadPoll {
  readonly number: number
  readonly timestampMs: number
  /** When the poll was sent. */
  readonly atMs: number
  /** Whether a subscription announced the head just before. */
  readonly wasTold: boolean
}

/** Gaps between heads that must agree, but for `strayMax` of them: a slot may stay without a block. */
const gapsMin = 5
const gapsMax = 8
const strayMax = 1
/** Timestamps are whole seconds. */
const roundingMs = 1_000
/** Blocks that are further apart are rare enough to poll in between, in case they come out of turn. */
const gapMaxMs = 15_000
/** While a subscription announces heads, polls only check on it: this many pauses apart, but at most this long. */
const toldPauses = 5
const toldPauseMaxMs = 15_000

export const noRhythm: HeadRhythm = {
  heads: [],
  lagMs: null,
  stepMs: 0,
  grew: false,
  misses: 0,
  polledMs: Number.NEGATIVE_INFINITY,
}

/** The rhythm after a poll. */
export function notePoll(rhythm: HeadRhythm, poll: HeadPoll, pollIntervalMs: number): HeadRhythm {
  const { heads } = rhythm
  const newest = heads.at(-1)
  const polledMs = poll.atMs
  if (newest !== undefined && poll.number <= newest.number) {
    const wasDue = polledMs >= (dueMs(rhythm, pollIntervalMs) ?? polledMs)
    return { ...rhythm, misses: rhythm.misses + Number(wasDue), polledMs }
  }
  const seen = { number: poll.number, timestampMs: poll.timestampMs, seenMs: polledMs }
  const learned = { ...rhythm, heads: [...heads, seen].slice(-gapsMax - 1), misses: 0, polledMs }
  const gapMs = findGap(rhythm, pollIntervalMs)
  const observedMs = polledMs - poll.timestampMs
  // A lag that is off by a whole gap is that of a clock which has been set.
  if (rhythm.lagMs === null || gapMs === null || poll.wasTold || observedMs - rhythm.lagMs > gapMs) {
    // The block arrived between two polls.
    const earlierMs = poll.wasTold ? 0 : Math.min(pollIntervalMs, polledMs - rhythm.polledMs) / 2
    return { ...learned, lagMs: observedMs - earlierMs, stepMs: pollIntervalMs / 4, grew: false }
  }
  const grew = rhythm.misses > 0
  // Steps double in one direction and shrink around the right place.
  const stepMs = Math.min(gapMs / 4, Math.max(gapMs / 200, rhythm.stepMs * (grew === rhythm.grew ? 2 : 0.5)))
  // Two polls that come in time make up for one that is early, so that most blocks take one poll.
  const lagMs = grew ? rhythm.lagMs + stepMs : rhythm.lagMs - stepMs / 2
  return { ...learned, stepMs, grew, lagMs: Math.min(lagMs, observedMs) }
}

/**
 * The time of the next poll. If the rhythm is known, the poll comes just after the next block is due, and again
 * after short pauses, which double up to `pollIntervalMs`. Otherwise polls are `pollIntervalMs` apart.
 * @param isTold whether a subscription announces new heads.
 */
export function nextPollMs(rhythm: HeadRhythm, pollIntervalMs: number, isTold: boolean): number {
  const { misses, polledMs } = rhythm
  const gapMs = findGap(rhythm, pollIntervalMs)
  const dueAtMs = dueMs(rhythm, pollIntervalMs)
  if (gapMs === null || dueAtMs === null) {
    const toldPauseMs = Math.max(pollIntervalMs, Math.min(toldPauses * pollIntervalMs, toldPauseMaxMs))
    return polledMs + (isTold ? toldPauseMs : pollIntervalMs)
  }
  if (misses > 0) return polledMs + Math.min(pollIntervalMs, (gapMs / 32) * 2 ** (misses - 1))
  // A clock that was set back must not stop the polls.
  return Math.min(dueAtMs + (isTold ? gapMs / 2 : 0), polledMs + 2 * gapMs)
}

function dueMs(rhythm: HeadRhythm, pollIntervalMs: number): number | null {
  const newest = rhythm.heads.at(-1)
  const gapMs = findGap(rhythm, pollIntervalMs)
  return newest === undefined || gapMs === null || rhythm.lagMs === null
    ? null
    : newest.timestampMs + gapMs + rhythm.lagMs
}

/**
 * The time between two blocks; null if blocks come without a rhythm, more often than polls, or rarely. Both the
 * timestamps of blocks and the times at which they were seen must show it.
 */
function findGap({ heads }: HeadRhythm, pollIntervalMs: number): number | null {
  const gaps = heads.slice(1).map((head, i) => {
    const before = heads[i] ?? head
    const blocks = head.number - before.number
    return {
      blocks,
      timeMs: (head.timestampMs - before.timestampMs) / blocks,
      seenMs: (head.seenMs - before.seenMs) / blocks,
    }
  })
  if (gaps.length < gapsMin) return null
  const medianMs = gaps.map(({ timeMs }) => timeMs).toSorted((a, b) => a - b)[gaps.length >> 1] ?? 0
  const usual = gaps.filter(({ timeMs }) => Math.abs(timeMs - medianMs) <= roundingMs)
  const blocks = usual.reduce((sum, gap) => sum + gap.blocks, 0)
  const gapMs = usual.reduce((sum, gap) => sum + gap.timeMs * gap.blocks, 0) / blocks
  const toleranceMs = pollIntervalMs + gapMs / 8
  const regular = usual.filter(({ seenMs }) => Math.abs(seenMs - gapMs) <= toleranceMs)
  if (regular.length < gaps.length - strayMax) return null
  return gapMs >= 0.75 * pollIntervalMs && gapMs <= gapMaxMs ? gapMs : null
}
