import { constants, platform, setPriority } from 'node:os'

const { PRIORITY_BELOW_NORMAL: belowNormal, PRIORITY_LOW: low } = constants.priority

/**
 * Lowers the priority of the calling thread below that of the API's thread. Only on Linux, where a priority belongs to
 * a thread; elsewhere the call would lower the whole process.
 */
export function yieldToReaders(): void {
  lower(belowNormal)
}

/** The same, below the threads that index: what waits for days can wait for a backfill. */
export function yieldToIndexing(): void {
  lower(low)
}

function lower(priority: number): void {
  if (platform() === 'linux') setPriority(0, priority)
}
