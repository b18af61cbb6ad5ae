import { Type } from 'typebox'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import {
  classifyKeyword,
  keywordLengthMax,
  normalizeKeyword,
  type ClassifiedKeyword,
} from '@attestry/core/model/keyword.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import { quoteInput } from '../quoteInput.ts'
import { parseRowCursor } from '../rowCursor.ts'
import { integerParameter } from './integerParameter.ts'
import { optionalParameter, refusedParameter, type Parameter } from './parameter.ts'

/** The largest 32-bit integer, the maximum of GraphQL's `Int`; no listing has as many pages. */
const pageMax = 2_147_483_647
const sizeMax = 100

const pageOptions = {
  name: 'page',
  description: 'Number of the page, from 1. 0 is read as 1. A page past the end has no rows.',
  minimum: 1,
  readAsMinimum: 0,
  maximum: pageMax,
}

export const pageParameter = integerParameter({ ...pageOptions, absent: 1 })

/**
 * The page of a listing that can also be walked by cursor: null if the request names no page, which means the first.
 */
export const pageOrCursorParameter = integerParameter({
  ...pageOptions,
  description: `${pageOptions.description} 1 by default; not together with \`cursor\`.`,
  absent: null,
})

const sizeOptions = { name: 'size', description: 'Rows on a page.', minimum: 1, maximum: sizeMax }

export const sizeParameter = integerParameter({ ...sizeOptions, absent: 10 })

/** The page size for clients that expect the largest by default. */
export const largeSizeParameter = integerParameter({ ...sizeOptions, absent: sizeMax })

/** The start of a walk through a listing. `place` is null for its beginning. */
export interface Cursor {
  readonly place: RowPlace | null
}

/** The value of `cursor` that begins a walk; no cursor has this form. */
const cursorOfBeginning = '*'

/** A cursor as an optional parameter; null when it is absent or empty. */
export const cursorParameter = optionalParameter(
  'cursor',
  Type.String({
    pattern: '^(\\*|[A-Za-z0-9_-]+)$',
    description:
      'Walks the listing instead of paging it: `*` from the beginning, then `nextCursor` of each answer, until that is null. ' +
      'A step costs the same at any depth, and no row repeats or is missed while others are added.',
    examples: [cursorOfBeginning],
  }),
  (text): Cursor => {
    if (text === cursorOfBeginning) return { place: null }
    const place = parseRowCursor(text)
    if (place !== null) return { place }
    throw new BadParameterError(
      `cursor must be * or the nextCursor of an earlier answer; it was ${quoteInput(text)}.`,
    )
  },
)

/** The classified keyword; null if it is absent or empty after trimming. */
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
        )
      }
      return classifyKeyword(text)
    },
  }
}

/** A keyword where rows are counted by a key or exported. */
export const refusedKeywordParameter = refusedParameter(
  'keyword',
  'No filter here; a keyword is refused.',
  'keyword is no filter of this path; leave it out, or ask the listing with it.',
)
