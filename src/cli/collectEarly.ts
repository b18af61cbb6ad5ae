import { setFlagsFromString } from 'node:v8'

/**
 * Makes this process collect what is no longer used when the values that it holds have grown by half since it last did. By itself V8 lets
 * several times as much pile up on a machine that has the memory, and a command that passes over a whole index would take that without
 * being any faster.
 */
export function collectEarly(): void {
  setFlagsFromString('--heap-growing-percent=50')
}
