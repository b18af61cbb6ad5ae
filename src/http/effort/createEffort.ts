import { BadParameterError, RequestEndedError } from '../../errors/apiErrors.ts'
import { presentTurn, takeTurn, type TakeTurn, type ThreadTurn } from '../../model/threadTurns.ts'

/** What one request takes of the thread that it shares with all others (docs/adr/0026). */
export interface Effort {
  /**
   * Runs a read of the store, in a turn of the event loop that has not been used up.
   * @throws BadParameterError once the request has taken its time, RequestEndedError once nobody waits for it.
   */
  run<Result>(read: () => Promise<Result>): Promise<Result>
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
  /** How many of its reads may be under way or wait: each holds some 10 kB of what goes on behind it. */
  readonly readsMax: number
  /** How many of its reads another thread makes at a time. */
  readonly readsAtOnceMax: number
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
const limitsDefault: EffortLimits = { turnMs: 10, totalMs: 2_000, readsMax: 2_000, readsAtOnceMax: 4 }

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
  let reading = 0
  /** The newest read goes first: lists below a record are read before its siblings are, and few lists wait. */
  const waiting: (() => void)[] = []
  const readsAtOnce = sharesThread ? 1 : limits.readsAtOnceMax

  /** Counts the time since the last step of the same turn: between turns the thread does the work of others. */
  function note(): void {
    const nowMs = thread.nowMs()
    const processorMs = spentMs < chargedByClockMs ? null : thread.processorMs()
    const present = thread.presentTurn()
    if (present.number === turn.number) {
      spentMs +=
        processorMs === null || lastProcessorMs === null ? nowMs - lastMs : processorMs - lastProcessorMs
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

  /** Siblings of one request stand behind one another: the request waits for one turn at a time. */
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

  function beginNext(): void {
    const next = waiting.pop()
    if (next === undefined) reading -= 1
    else next()
  }

  /** Makes a read, which hands its place on once all that follows from the read at once has been queued. */
  async function runNow<Result>(read: () => Promise<Result>): Promise<Result> {
    try {
      const paused = pause()
      if (paused !== undefined) await paused
      return await read()
    } finally {
      note()
      process.nextTick(beginNext)
    }
  }

  return {
    pause,
    turn: turnOfRead,
    spentMs: () => spentMs,
    run: (read) => {
      if (reading + waiting.length >= limits.readsMax) refusal ??= tooManyReads(limits)
      if (refusal !== null) return Promise.reject(refusal)
      if (reading === readsAtOnce) {
        return new Promise<void>((resolve) => waiting.push(resolve)).then(() => runNow(read))
      }
      reading += 1
      return runNow(read)
    },
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
