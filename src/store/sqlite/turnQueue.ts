/**
 * Gives out turns of the event loop one at a time: whoever waits goes on in a turn that is its own, so that many long
 * tasks together delay others no more than one does.
 */
export function createTurnQueue(): () => Promise<void> {
  const waiting: (() => void)[] = []

  function next(): void {
    waiting.shift()?.()
    if (waiting.length > 0) setImmediate(next)
  }

  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (waiting.length === 1) setImmediate(next)
    })
}
