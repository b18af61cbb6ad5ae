import { flushCompileCache } from 'node:module'
import { returnMemory } from '@attestry/host/returnMemory.ts'

/** The first answers come before. */
const delayMs = 1_000

/**
 * Writes the modules that this process has compiled, and returns memory, once, soon after the start of a service.
 * Otherwise Node.js writes the modules at the end of the process. The first stop on a busy machine then takes ten
 * seconds instead of one, and a process that is killed leaves nothing for the next start.
 */
export function tidyAfterStart(): void {
  setTimeout(() => {
    flushCompileCache()
    returnMemory()
  }, delayMs).unref()
}
