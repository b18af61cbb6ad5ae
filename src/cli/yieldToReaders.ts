import { constants, platform, setPriority } from 'node:os'

/**
 * Makes the calling thread give way to the API's where both want the same processor. On Linux the priority is the calling thread's
 * own; elsewhere it is that of the whole process, and stays as it is.
 */
export function yieldToReaders(): void {
  if (platform() === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)
}
