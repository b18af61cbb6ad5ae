import { setFlagsFromString } from 'node:v8'
import { returnMemoryAtRest } from './returnMemory.ts'

/**
 * Makes V8 collect garbage when the heap has grown by half. By default V8 lets the heap grow several times as large on
 * a machine with much memory, which makes a command that reads a whole index no faster.
 */
export function collectEarly(): void {
  collectAfterGrowthOf(50)
}

/**
 * Makes V8 collect garbage when the heap has doubled, in a process that answers requests. An answer that waits for
 * PostgreSQL, or for the turns of a long count, outlives the young generation. Such garbage would grow to four times
 * the live heap. After work, the memory goes back to the system.
 */
export function collectWhileServing(): void {
  collectAfterGrowthOf(100)
  returnMemoryAtRest()
}

/**
 * The same for a process that indexes, at growth by a quarter. Logs, their text and their events live for a second or
 * two, and would pile up to four times the memory of the work in progress. In a dense backfill, growth by half took 374
 * to 415 MB. Growth by a quarter took 365 to 393 MB and a tenth more processor time.
 * A shorter one took 405 to 419 MB, and 624 to 626 MB without this and `returnMemoryAtRest`.
 */
export function collectWhileIndexing(): void {
  collectAfterGrowthOf(25)
}

/**
 * Memory for values just made, in MiB, of the thread that fetches and of the one that writes. V8's own limit is twice
 * the larger. With 12 for both, more of what was fetched outlived the young generation, and a dense backfill took a
 * twentieth more processor time; 24 for both saved no more.
 */
export const youngGeneration = {
  fetching: { maxYoungGenerationSizeMb: 24 },
  writing: { maxYoungGenerationSizeMb: 12 },
} as const

function collectAfterGrowthOf(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`)
}
