import { setFlagsFromString } from 'node:v8'

/**
 * Makes this process collect what is no longer used when the values that it holds have grown by half since it last did. By itself V8 lets
 * several times as much pile up on a machine that has the memory, and a command that passes over a whole index would take that without
 * being any faster.
 */
export function collectEarly(): void {
  collectAfterGrowthOf(50)
}

/**
 * The same for a process that answers from PostgreSQL, at twice the size: what answers under way hold while the server is waited for
 * outlives the young generation, and would pile up to four times what is kept. Answers from SQLite are made in one go.
 */
export function collectWhileServing(database: 'sqlite' | 'postgres'): void {
  if (database === 'postgres') collectAfterGrowthOf(100)
}

/**
 * The same for a process that indexes: logs, their text and their events live for a second or two each, and would pile up to four times
 * what is under way.
 */
export function collectWhileIndexing(): void {
  collectAfterGrowthOf(50)
}

/** Of a thread that fetches or writes: MiB for values just made. By default V8 takes twice as much, in each thread. */
export const indexingLimits = { maxYoungGenerationSizeMb: 24 } as const

function collectAfterGrowthOf(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`)
}
