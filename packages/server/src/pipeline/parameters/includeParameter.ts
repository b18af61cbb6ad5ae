import { Type } from 'typebox'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { quoteInput } from '../quoteInput.ts'
import type { Parameter } from './parameter.ts'

/** The words of an `include`. */
export type Included = ReadonlySet<string>

export const nothingIncluded: Included = new Set()

/**
 * The parameter `include`: words in any order, with commas between them; empty when it is absent.
 * @param words the words that it takes, each with a clause for the reference.
 * @param more what the reference says beside.
 */
export function createIncludeParameter(
  words: Readonly<Record<string, string>>,
  more = '',
): Parameter<Included> {
  const known = Object.keys(words)
  const either = `(${known.join('|')})`
  const clauses = Object.entries(words).map(([word, clause]) => `\`${word}\`: ${clause}`)
  const several = known.length === 1 ? '' : ' Several stand with commas, in any order.'
  return {
    name: 'include',
    in: 'query',
    schema: Type.String({
      pattern: `^${either}(,${either})*$`,
      description: `${clauses.join(' ')}${more}${several}`,
      examples: [known[0] ?? ''],
    }),
    absent: { value: nothingIncluded },
    read: (text) => {
      const included = text === '' ? [] : text.split(',')
      if (included.every((word) => known.includes(word))) return new Set(included)
      const told =
        known.length === 1
          ? `${known[0]} or absent`
          : `one or more of ${known.join(', ')}, separated by commas`
      throw new BadParameterError(`include must be ${told}; it was ${quoteInput(text)}.`)
    },
  }
}
