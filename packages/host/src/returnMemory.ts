import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How often a thread looks whether it has come to rest. */
const lookIntervalMs = 5_000
/** Shares of the time that a thread worked: above the one it was busy, below the other it rests. */
const [busyShare, restShare] = [0.2, 0.05]

/**
 * Collects all garbage of this thread and returns the memory to the system. Loading modules grows the young generation
 * of V8 to 28 MB in a process that serves, and V8 shrinks it after minutes at rest only: this saves 20 MB a process.
 */
export function returnMemory(): void {
  setFlagsFromString('--expose-gc')
  // The function that the flag adds to the global object of new contexts.
  const collect = runInNewContext('gc') as (options: { type: 'major'; flavor: 'last-resort' }) => void
  collect({ type: 'major', flavor: 'last-resort' })
}

/**
 * Returns memory whenever this thread comes to rest after work. V8 collects when a thread makes new values: a thread
 * that waits at the head keeps the garbage of its backfill, 110 MB in the two threads of an indexer.
 */
export function returnMemoryAtRest(): void {
  const comesToRest = createRestWatch()
  let before = performance.eventLoopUtilization()
  setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (comesToRest(utilization)) returnMemory()
  }, lookIntervalMs).unref()
}

/** Creates a function that takes the utilization of each interval and returns whether the thread has come to rest. */
export function createRestWatch(): (utilization: number) => boolean {
  let wasBusy = false
  return (utilization) => {
    const rests = wasBusy && utilization < restShare
    wasBusy = utilization > busyShare || (wasBusy && !rests)
    return rests
  }
}
