import type { NoKeys } from '@attestry/host/config/configPart.ts'
import type { Wing } from '@attestry/server/wing.ts'
import { limitsPart, type LimitKeys } from '../engine/limitsPart.ts'
import type { ReadLimits } from '../engine/budget.ts'

/** The endpoints that answer as easscan does. */
export const easWing: Wing<Partial<ReadLimits>, NoKeys, LimitKeys> = {
  name: 'eas',
  ...limitsPart,
  serve: async (_host, limits) => (await import('./serveEas.ts')).serveEas({ limits }),
}
