import type { NoKeys } from '@attestry/host/config/configPart.ts'
import type { Wing } from '@attestry/server/wing.ts'
import { limitsPart, type LimitKeys } from '../engine/limitsPart.ts'
import type { ReadLimits } from '../engine/budget.ts'

/** The endpoints that answer as Verax's subgraph does. */
export const veraxWing: Wing<Partial<ReadLimits>, NoKeys, LimitKeys> = {
  name: 'verax',
  ...limitsPart,
  serve: async (_host, limits) => (await import('./serveVerax.ts')).serveVerax({ limits }),
}
