import { AsyncLocalStorage } from 'node:async_hooks'
import { OverloadedError } from '@attestry/core/errors/apiErrors.ts'
import { presentAsker } from '@attestry/core/shares/askers.ts'
import { createClientSlots } from './clientSlots.ts'
import { createFairShares } from '@attestry/core/shares/fairShares.ts'

/**
 * Work that holds much memory: one piece of it at a time for each client, and so many bytes for all clients together.
 * Further work of a client waits in its order.
 */
export interface HeavyWork {
  /**
   * Runs work on behalf of the present client. Work of few bytes, and work of the program itself, runs at once.
   * @param bytes the most that the work holds, by an estimate.
   * @throws OverloadedError if too much work of the client waits, or its share of the bytes is used.
   */
  run<Result>(bytes: number, work: () => Promise<Result>): Promise<Result>
  /** Begins work whose bytes become known by and by, on behalf of the present client. */
  open(): OpenWork
}

/** Heavy work that goes on until its `end`. */
export interface OpenWork {
  /**
   * Counts further bytes; to be called before much is done with them. It waits until the earlier heavy work of the client
   * has ended. At most half of all bytes are counted: the work has limits of its own.
   * @throws OverloadedError as `run` does, at each further call too.
   */
  hold(bytes: number): Promise<void>
  end(): void
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
  const slots = createClientSlots(1)
  const inside = new AsyncLocalStorage<true>()
  const shares = createFairShares({ total, windowMs: null, refusal })
  const begun = new Map<string, number>()

  function count(name: string, by: 1 | -1): void {
    const number = (begun.get(name) ?? 0) + by
    if (number === 0) begun.delete(name)
    else begun.set(name, number)
  }

  function open(bytesMax: number): OpenWork {
    const name = presentAsker()?.name
    // Work within work is part of it.
    if (name === undefined || inside.getStore() === true) return free
    let bytes = 0
    let isOver = false
    let startMs: number | null = null
    let refused: Error | null = null
    let entering: Promise<void> | null = null
    let giveBack = () => {}
    let leave = () => {}

    async function enter(client: string): Promise<void> {
      if ((begun.get(client) ?? 0) > waitingMax) throw new OverloadedError(refusal, retrySeconds)
      count(client, 1)
      leave = await slots.enter(client)
      startMs = performance.now()
      if (isOver) giveUp(client)
    }

    function giveUp(client: string): void {
      count(client, -1)
      const pauseMs = Math.min(performance.now() - (startMs ?? 0), pauseMaxMs)
      if (pauseMs === 0) leave()
      else setTimeout(leave, pauseMs)
    }

    return {
      hold: async (more) => {
        bytes = Math.min(bytes + more, bytesMax)
        if (bytes < countedFrom) return
        await (entering ??= enter(name))
        if (isOver) return
        if (refused !== null) throw refused
        // All bytes of the work are one piece, of which a client that holds nothing else gets one.
        giveBack()
        giveBack = () => {}
        try {
          giveBack = shares.take(bytes)
        } catch (error) {
          refused = error as Error
          throw error
        }
      },
      end: () => {
        if (isOver) return
        isOver = true
        giveBack()
        if (startMs !== null) giveUp(name)
      },
    }
  }

  return {
    open: () => open(total / 2),
    run: async (bytes, work) => {
      const opened = open(Infinity)
      if (opened === free || bytes < countedFrom) return await work()
      try {
        await opened.hold(bytes)
        return await inside.run(true, work)
      } finally {
        opened.end()
      }
    },
  }
}

/** Work that is not counted. */
const free: OpenWork = { hold: () => Promise.resolve(), end: () => {} }
