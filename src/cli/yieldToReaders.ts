import { constants, platform, setPriority } from 'node:os'

/**
 * Lowers the priority of the calling thread below that of the API's thread. Only on Linux, where a priority belongs to
 * a thread; elsewhere the call would lower the whole process.
 */
export function yieldToReaders(): void {
  if (platform() === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)
}
