import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '@attestry/core/model/clock.ts'

/** Time that stands still while anything runs, and jumps to the next moment that somebody waits for. */
export interface VirtualClock extends Clock {
  /** Lets time pass until `done`, turn by turn of the event loop. Rejects when nobody waits for anything before. */
  runUntil(done: () => boolean): Promise<void>
  /** Time stands still while this work is under way, which waits for something outside the simulated world. */
  during<Result>(work: () => Promise<Result>): Promise<Result>
}

interface Timer {
  readonly atMs: number
  readonly order: number
  readonly fire: () => void
}

/** Turns without a timer before it counts as certain that nothing goes on any more. */
const idleTurnsMax = 1_000

/**
 * Time jumps so far only after some turns in which nothing went on. A commit takes up to three. An index that waits for
 * nothing else would lose the jump, which may be a block or a quarter of an hour.
 */
const longJumpMs = 1_000
const quietTurns = 10

export function createVirtualClock(startMs: number): VirtualClock {
  let nowMs = startMs
  let order = 0
  /** Works outside the simulated world that are under way. */
  let outside = 0
  /** Soonest last. */
  const timers: Timer[] = []

  function add(atMs: number, fire: () => void): Timer {
    const timer = { atMs, order: order++, fire }
    let low = 0
    let high = timers.length
    while (low < high) {
      const middle = (low + high) >> 1
      const other = timers[middle]
      if (other !== undefined && other.atMs > atMs) low = middle + 1
      else high = middle
    }
    // Among timers of one moment the oldest fires first, so a new one goes before (below) them.
    timers.splice(low, 0, timer)
    return timer
  }

  return {
    nowMs: () => Math.floor(nowMs),
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason)
          return
        }
        const timer = add(nowMs + Math.max(0, delayMs), () => {
          signal.removeEventListener('abort', onAbort)
          resolve()
        })
        const onAbort = () => {
          const at = timers.indexOf(timer)
          if (at >= 0) timers.splice(at, 1)
          reject(signal.reason)
        }
        signal.addEventListener('abort', onAbort, { once: true })
      }),
    async during(work) {
      outside++
      try {
        return await work()
      } finally {
        outside--
      }
    },
    async runUntil(done) {
      let idleTurns = 0
      while (!done()) {
        await nextTurn()
        if (done()) return
        if (outside > 0) {
          idleTurns = 0
          continue
        }
        const timer = timers.at(-1)
        const turns = timer === undefined ? idleTurnsMax : timer.atMs - nowMs < longJumpMs ? 0 : quietTurns
        if (idleTurns < turns) {
          idleTurns++
          continue
        }
        if (timer === undefined) throw new Error('nothing goes on any more')
        timers.pop()
        idleTurns = 0
        nowMs = Math.max(nowMs, timer.atMs)
        timer.fire()
      }
    },
  }
}
