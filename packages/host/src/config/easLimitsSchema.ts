import type { TInteger, TOptional } from 'typebox'
import { block, wholeNumber } from './schemaKeys.ts'
import { defaultReadLimits, type ReadLimits } from '@attestry/subgraphs/protocolGraphql/budget.ts'

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

/** The block `server.easLimits`. */
export const easLimits = block(
  'What one request may cost at /eas/<chain>/graphql, and of verax and erc8004 alike (docs/eas.md).',
  Object.fromEntries(
    Object.entries(limits).map(([name, [maximum, description]]) => {
      const value = defaultReadLimits[name as keyof ReadLimits]
      return [name, wholeNumber(1, maximum, value, description)]
    }),
  ) as Record<keyof ReadLimits, TOptional<TInteger>>,
)
