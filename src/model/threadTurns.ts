/**
 * Turns of the event loop, which all long work of a thread takes one at a time: whoever waits goes on in a turn that is
 * its own, so that many long tasks together delay others no more than one does.
 */

/**
 * Waits, between two steps of long work, for the turn of the next one. Rejects to end the work, with the error of whoever
 * asked for the work.
 */
export type TakeTurn = () => Promise<void>

const waiting: (() => void)[] = []
let turn = 0
let isCounted = false

/** The number of the present turn. Work of one turn has no other work but its own between two of its steps. */
export function presentTurn(): number {
  if (!isCounted) {
    isCounted = true
    setImmediate(() => {
      isCounted = false
      turn += 1
    })
  }
  return turn
}

/** Resolves in a turn of its own, behind everybody who waits for one. */
export function takeTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(next)
  })
}

function next(): void {
  turn += 1
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(next)
}
