import { Type, type TInteger, type TOptional } from 'typebox'
import type { NoKeys } from '@attestry/host/config/configPart.ts'
import { block, wholeNumber } from '@attestry/host/config/schemaKeys.ts'
import type { ServedWing, Wing } from '@attestry/server/wing.ts'
import { defaultReadLimits, type ReadLimits } from './budget.ts'

/** A limit, its largest value, and what it limits. */
const limits: Readonly<Record<keyof ReadLimits, readonly [maximum: number, description: string]>> = {
  bodyBytes: [64 * 1024 * 1024, 'Bytes of a body.'],
  tokens: [10_000_000, 'Tokens of a document.'],
  depth: [100, 'Fields in one another.'],
  aliases: [100_000, 'Aliases of a document.'],
  rootFields: [100_000, 'Fields at the root of a document.'],
  fields: [1_000_000, 'Fields of a document, once its fragments are spread.'],
  rows: [1_000_000_000, 'Rows that one request reads.'],
  characters: [2 ** 40, 'Characters of these rows, and of payloads in the answer.'],
  passes: [1_000_000, 'Stretches of rows that the index passes over in vain.'],
  comparedCharacters: [2 ** 40, 'Characters that patterns such as contains are held against.'],
}

const easLimits = block(
  'What one request may cost at /eas/<chain>/graphql, and of verax and erc8004 alike (docs/eas.md).',
  Object.fromEntries(
    Object.entries(limits).map(([name, [maximum, description]]) => {
      const value = defaultReadLimits[name as keyof ReadLimits]
      return [name, wholeNumber(1, maximum, value, description)]
    }),
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
