import { AsyncLocalStorage } from 'node:async_hooks'
import { OverloadedError } from '@attestry/core/errors/apiErrors.ts'
import { presentAsker } from '@attestry/core/shares/askers.ts'
import { createClientPlaces } from './clientPlaces.ts'
import { createFairShares } from '@attestry/core/shares/fairShares.ts'

/**
 * Work that holds much memory: one piece of it at a time for each client, and so many bytes for all clients together.
 * Further work of a client waits in its order.
 */
export interface HeavyWork {
  /**
   * Runs work on behalf of the present client. Work of few bytes, and work of the program itself, runs at once.
   * @param bytes the most that the work holds, by an estimate.
   * @throws OverloadedError where too much work of the client waits, or its share of the bytes is used.
   */
  run<Result>(bytes: number, work: () => Promise<Result>): Promise<Result>
}

export interface HeavyWorkOptions {
  /** Bytes for the work of all clients. */
  readonly total: number
  /** Says what there is too much of, in a sentence. */
  readonly refusal: string
  /**
   * Longest pause of a client between two pieces of work, in milliseconds. A pause lasts as long as the piece before it,
   * so that half of the thread's time is left to others. 0 by default.
   */
  readonly pauseMaxMs?: number
}

/** Work of fewer bytes is not counted. */
const countedFrom = 256 * 1024

/** How many pieces of work of one client may wait. */
const waitingMax = 8

/** `Retry-After` of work that may not even wait. */
const retrySeconds = 5

export function createHeavyWork({ total, refusal, pauseMaxMs = 0 }: HeavyWorkOptions): HeavyWork {
  const places = createClientPlaces(1)
  const inside = new AsyncLocalStorage<true>()
  const shares = createFairShares({ total, windowMs: null, refusal })
  const begun = new Map<string, number>()

  function count(name: string, by: 1 | -1): void {
    const number = (begun.get(name) ?? 0) + by
    if (number === 0) begun.delete(name)
    else begun.set(name, number)
  }

  return {
    run: async (bytes, work) => {
      const name = presentAsker()?.name
      // Work within work is part of it.
      if (name === undefined || bytes < countedFrom || inside.getStore() === true) return await work()
      if ((begun.get(name) ?? 0) > waitingMax) throw new OverloadedError(refusal, retrySeconds)
      count(name, 1)
      try {
        const leave = await places.enter(name)
        let pauseMs = 0
        try {
          const giveBack = shares.take(bytes)
          const startMs = performance.now()
          try {
            return await inside.run(true, work)
          } finally {
            giveBack()
            pauseMs = Math.min(performance.now() - startMs, pauseMaxMs)
          }
        } finally {
          if (pauseMs === 0) leave()
          else setTimeout(leave, pauseMs)
        }
      } finally {
        count(name, -1)
      }
    },
  }
}
