/**
 * Turns of the event loop, which all long tasks of a thread take one at a time. Each waiting task continues in a turn of
 * its own, so that many long tasks together delay others no more than one does.
 */

/**
 * Waits, between two steps of a long task, for the turn of the next one. Rejects to end the task, with the error of the
 * caller that asked for it.
 */
export type TakeTurn = () => Promise<void>

export interface ThreadTurn {
  /** Work of one turn has no other work but its own between two of its steps. */
  readonly number: number
  /** When long work first asked for it, on the clock of `performance.now()`. */
  readonly startMs: number
}

/** How often a turn waits for connections that arrive, so that a flood of them stops no work. */
const deferralsMax = 100

const waiting: (() => void)[] = []
let turn: ThreadTurn = { number: 0, startMs: 0 }
let isCounted = false
let hasArrival = false
let deferrals = 0

export function presentTurn(): ThreadTurn {
  if (!isCounted) {
    isCounted = true
    turn = nextTurn()
    setImmediate(() => {
      isCounted = false
    })
  }
  return turn
}

/** How long the work of one turn may go on, that of all requests together, in milliseconds. */
export const turnMs = 10

/** To be called between two short pieces of long work: waits where the present turn has been used up. */
export function shareTurn(): void | Promise<void> {
  if (performance.now() - presentTurn().startMs >= turnMs) return takeTurn()
}

/** Resolves in a turn of its own, behind everybody who waits for one. */
export function takeTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(next)
  })
}

function nextTurn(): ThreadTurn {
  return { number: turn.number + 1, startMs: performance.now() }
}

/**
 * To be called when a connection was accepted. Node.js accepts one in each turn of the event loop: if long work took all
 * turns, the last of hundreds of connections would wait for hundreds of pieces of work. Turns wait until all have come.
 */
export function noteArrival(): void {
  hasArrival = true
}

function next(): void {
  if (hasArrival && deferrals < deferralsMax) {
    hasArrival = false
    deferrals += 1
    setImmediate(next)
    return
  }
  deferrals = 0
  turn = nextTurn()
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(next)
}
