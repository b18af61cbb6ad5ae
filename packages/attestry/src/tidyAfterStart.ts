import { flushCompileCache } from 'node:module'
import { returnMemory } from '@attestry/host/returnMemory.ts'

/** The first answers come before. */
const delayMs = 1_000

/**
 * What a service does once, soon after its start: writes the modules that this process has compiled, and returns memory.
 * Node.js writes them at the end of the process otherwise: on a busy machine the first stop then takes ten seconds
 * instead of one, and a process that is killed leaves nothing for the next start.
 */
export function tidyAfterStart(): void {
  setTimeout(() => {
    flushCompileCache()
    returnMemory()
  }, delayMs).unref()
}
