import { dialectWing } from '../engine/dialectWing.ts'

/** The endpoints that answer as agent0lab's subgraph does. */
export const erc8004Wing = dialectWing(
  'erc8004',
  async () => (await import('./serveErc8004.ts')).serveErc8004,
)
