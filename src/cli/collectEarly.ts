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

function collectAfterGrowthOf(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`)
}
