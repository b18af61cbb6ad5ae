import type { NoKeys } from '@attestry/host/config/configPart.ts'
import type { Wing } from '@attestry/server/wing.ts'
import { limitsPart, type LimitKeys } from '../engine/limitsPart.ts'
import type { ReadLimits } from '../engine/budget.ts'

/** The endpoints that answer as agent0lab's subgraph does. */
export const erc8004Wing: Wing<Partial<ReadLimits>, NoKeys, LimitKeys> = {
  name: 'erc8004',
  ...limitsPart,
  serve: async (_host, limits) => (await import('./serveErc8004.ts')).serveErc8004({ limits }),
}
