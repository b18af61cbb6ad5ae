import { dialectWing } from '../engine/dialectWing.ts'

/** The endpoints that answer as easscan does. */
export const easWing = dialectWing('eas', async () => (await import('./serveEas.ts')).serveEas)
