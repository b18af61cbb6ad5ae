import { Type } from 'typebox'
import { BadParameterError } from '../../errors/apiErrors.ts'
import {
  classifyKeyword,
  keywordLengthMax,
  normalizeKeyword,
  type ClassifiedKeyword,
} from '../../model/keyword.ts'
import { integerParameter } from './integerParameter.ts'
import type { Parameter } from './parameter.ts'

/** The largest 32-bit integer: what `Int` of GraphQL holds, and beyond any page that exists. */
const pageMax = 2_147_483_647
const sizeMax = 100
const sizeDefault = 10

export const pageParameter = integerParameter({
  name: 'page',
  description: 'Number of the page, from 1. 0 is read as 1. A page past the end has no rows.',
  minimum: 1,
  readAsMinimum: 0,
  maximum: pageMax,
  absent: 1,
})

export const sizeParameter = integerParameter({
  name: 'size',
  description: 'Rows on a page.',
  minimum: 1,
  maximum: sizeMax,
  absent: sizeDefault,
})

/** What to look for, classified; null when it is absent or nothing is left of it after trimming. */
export function keywordParameter(description: string): Parameter<ClassifiedKeyword | null> {
  return {
    name: 'keyword',
    in: 'query',
    schema: Type.String({ maxLength: keywordLengthMax, description }),
    absent: { value: null },
    read: (text) => {
      const { length } = normalizeKeyword(text)
      if (length > keywordLengthMax) {
        throw new BadParameterError(
          `keyword must have at most ${keywordLengthMax} characters after trimming; it had ${length}.`,
          { facts: { parameter: 'keyword' } },
        )
      }
      return classifyKeyword(text)
    },
  }
}
