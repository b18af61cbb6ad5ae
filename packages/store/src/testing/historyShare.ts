import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The part of the random histories that a run tries: less than 1 in `npm test`, more in `npm run test:soak`. */
    readonly historyShare: number
  }
}

/** How many of `count` random histories this run tries, of which a store with slow histories tries the part `share`. */
export function historyRuns(count: number, share = 1): number {
  return Math.ceil(count * share * inject('historyShare'))
}
