import { BadParameterError, RequestEndedError } from '@attestry/core/errors/apiErrors.ts'
import {
  presentTurn,
  takeTurn,
  turnMs,
  type TakeTurn,
  type ThreadTurn,
} from '@attestry/core/model/threadTurns.ts'

/** The share of the common thread that one request takes (docs/adr/0026). */
export interface Effort {
  /**
   * Runs a read of the store, in a turn of the event loop that has not been used up.
   * @throws BadParameterError once the request has taken its time, RequestEndedError once nobody waits for it.
   */
  run<Result>(read: () => Promise<Result>): Promise<Result>
  /** Resolves a field that makes reads of its own, such as a list, once few others do; throws as `run` does. */
  begin(resolve: () => unknown): unknown
  /** To be called between two pieces of other work: waits where others have to go on first, and throws as `run` does. */
  pause(): void | Promise<void>
  /** A turn of the event loop for the next step of a read, which counts as the request's own; rejects as `run` does. */
  readonly turn: TakeTurn
  /** Milliseconds that the request has taken of the thread, of its processor where they are many. */
  spentMs(): number
}

export interface EffortOptions {
  /** Whether reads are made in this thread: they are then made one by one. */
  readonly sharesThread: boolean
  /** Whether nobody waits for the answer any more. */
  readonly isEnded: () => boolean
  readonly limits?: EffortLimits
  readonly thread?: EffortThread
}

export interface EffortLimits {
  /** How long requests may go on in one turn, all of them together. */
  readonly turnMs: number
  /** How long all its turns may take together. */
  readonly totalMs: number
  /** How many of its reads, and of its fields with reads of their own, may be under way or wait. */
  readonly readsMax: number
  /** How many of them go on at a time where another thread reads. */
  readonly atOnceMax: number
}

/** The thread and its clock, in milliseconds. */
export interface EffortThread {
  readonly nowMs: () => number
  /** The time of a processor that the thread has taken. */
  readonly processorMs: () => number
  readonly presentTurn: () => ThreadTurn
  readonly takeTurn: TakeTurn
}

/** A read may go on for longer than the rest of the turn in which it begins. */
const limitsDefault: EffortLimits = { turnMs, totalMs: 2_000, readsMax: 2_000, atOnceMax: 4 }

const thisThread: EffortThread = {
  nowMs: () => performance.now(),
  processorMs: () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  },
  presentTurn,
  takeTurn,
}

/**
 * From so many milliseconds on, a request is charged the time of the processor: on a busy machine the clock also counts
 * what other processes take. Asking for that time takes 1.3 µs, against 0.3 µs for the clock, which short requests do
 * not pay.
 */
const chargedByClockMs = 250

/** The effort of a request that begins now. */
export function createEffort({
  sharesThread,
  isEnded,
  limits = limitsDefault,
  thread = thisThread,
}: EffortOptions): Effort {
  let spentMs = 0
  let turn = thread.presentTurn()
  let lastMs = thread.nowMs()
  let lastProcessorMs: number | null = null
  let lastTurn = Promise.resolve()
  let refusal: Error | null = null
  const atOnceMax = sharesThread ? 1 : limits.atOnceMax
  const [reads, fields] = [createSlots(atOnceMax), createSlots(atOnceMax)]

  /** Counts the time since the last step of the same turn: between turns the thread does the work of others. */
  function note(): void {
    const nowMs = thread.nowMs()
    const processorMs = spentMs < chargedByClockMs ? null : thread.processorMs()
    const present = thread.presentTurn()
    if (present.number === turn.number) {
      // One step by the clock may have waited for a processor for seconds.
      spentMs +=
        processorMs === null || lastProcessorMs === null
          ? Math.min(nowMs - lastMs, chargedByClockMs)
          : processorMs - lastProcessorMs
    }
    turn = present
    lastMs = nowMs
    lastProcessorMs = processorMs
  }

  /** Throws one error for all: in the turn of the refusal, a hundred thousand reads may stand in the queue. */
  function check(): void {
    refusal ??= isEnded() ? new RequestEndedError() : spentMs > limits.totalMs ? tooMuchTime(limits) : null
    if (refusal !== null) throw refusal
  }

  /** Siblings of one request run in sequence: the request waits for one turn at a time. */
  async function wait(): Promise<void> {
    lastTurn = lastTurn.then(() => thread.takeTurn())
    await lastTurn
    note()
    check()
  }

  function pause(): void | Promise<void> {
    note()
    check()
    if (lastMs - turn.startMs >= limits.turnMs) return wait()
  }

  async function turnOfRead(): Promise<void> {
    note()
    check()
    await wait()
  }

  async function runNow<Result>(work: () => Result | Promise<Result>, slots: Slots): Promise<Result> {
    try {
      const paused = pause()
      if (paused !== undefined) await paused
      return await work()
    } finally {
      note()
      slots.leave()
    }
  }

  /** Throws one error for all where too many wait. */
  function checkCount({ count }: Slots): void {
    if (count() >= limits.readsMax) refusal ??= tooManyReads(limits)
    if (refusal !== null) throw refusal
  }

  return {
    pause,
    turn: turnOfRead,
    spentMs: () => spentMs,
    run: async (read) => {
      checkCount(reads)
      const entered = reads.enter()
      if (entered !== null) await entered
      return await runNow(read, reads)
    },
    begin: (resolve) => {
      checkCount(fields)
      const entered = fields.enter()
      return entered === null ? runNow(resolve, fields) : entered.then(() => runNow(resolve, fields))
    },
  }
}

/** Slots for work that runs at the same time. */
interface Slots {
  count(): number
  /** Takes a slot; the promise of one if all are taken. */
  enter(): Promise<void> | null
  leave(): void
}

/**
 * The newest work goes first: lists below a record are read before its siblings are, so that few wait. A slot is handed
 * on once all that follows from the work at once has been queued.
 */
function createSlots(countMax: number): Slots {
  const waiting: (() => void)[] = []
  let taken = 0
  const handOn = (): void => {
    const next = waiting.pop()
    if (next === undefined) taken -= 1
    else next()
  }
  return {
    count: () => taken + waiting.length,
    enter: () => {
      if (taken === countMax) return new Promise((resolve) => waiting.push(resolve))
      taken += 1
      return null
    },
    leave: () => process.nextTick(handOn),
  }
}

function tooMuchTime({ totalMs }: EffortLimits): BadParameterError {
  return new BadParameterError(
    `This request would take more than ${totalMs.toLocaleString('en')} milliseconds of the server's time ` +
      '(limit time); narrow its filters, or ask for less in one request.',
  )
}

function tooManyReads({ readsMax }: EffortLimits): BadParameterError {
  return new BadParameterError(
    `This request would make more than ${readsMax.toLocaleString('en')} reads at a time (limit reads); ` +
      'narrow its filters, or ask for fewer records with lists of their own.',
  )
}
