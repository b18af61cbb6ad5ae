import { expect, test } from 'vitest'
import { noteArrival, takeTurn } from './threadTurns.ts'

/** Announces a connection in each turn of the event loop, `countMax` times; returns the number so far. */
function arrive(countMax: number): () => number {
  let count = 0
  const next = (): void => {
    noteArrival()
    count += 1
    if (count < countMax) setImmediate(next)
  }
  next()
  return () => count
}

test('work waits until queued connections are accepted, but not for a flood of them', async () => {
  const few = arrive(20)
  await takeTurn()
  expect(few()).toBe(20)
  const flood = arrive(1_000)
  await takeTurn()
  expect(flood()).toBeLessThan(200)
})
