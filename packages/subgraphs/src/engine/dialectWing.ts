import { Type, type TInteger, type TOptional } from 'typebox'
import type { NoKeys } from '@attestry/host/config/configPart.ts'
import { block, wholeNumber } from '@attestry/host/config/schemaKeys.ts'
import type { ServedWing, Wing } from '@attestry/server/wing.ts'
import { readLimitKeys, type ReadLimits } from './budget.ts'

const easLimits = block(
  'What one request may cost at /eas/<chain>/graphql, and of verax and erc8004 alike (docs/eas.md).',
  Object.fromEntries(
    Object.entries(readLimitKeys).map(([name, [value, maximum, description]]) => [
      name,
      wholeNumber(1, maximum, value, description),
    ]),
  ) as Record<keyof ReadLimits, TOptional<TInteger>>,
)

const serverKeys = { easLimits: Type.Optional(easLimits) }

/**
 * The wing of a dialect. All share the block `server.easLimits`.
 * @param load imports what serves it.
 */
export function dialectWing(
  name: string,
  load: () => Promise<(options: { readonly limits: Partial<ReadLimits> }) => ServedWing>,
): Wing<Partial<ReadLimits>, NoKeys, typeof serverKeys> {
  return {
    name,
    serverKeys,
    partPaths: { [name]: [`/${name}`] },
    resolve: ({ file }) => file.server?.easLimits ?? {},
    serve: async (_host, limits) => (await load())({ limits }),
  }
}
