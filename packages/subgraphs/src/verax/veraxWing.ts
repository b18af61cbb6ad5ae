import { dialectWing } from '../engine/dialectWing.ts'

/** The endpoints that answer as Verax's subgraph does. */
export const veraxWing = dialectWing('verax', async () => (await import('./serveVerax.ts')).serveVerax)
