import { Type } from 'typebox'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { parseFieldPath } from '@attestry/core/model/fieldValues.ts'
import { type GroupBy, groupNames } from '@attestry/core/index/indexQueries.ts'
import { quoteInput } from '../quoteInput.ts'
import type { Parameter } from './parameter.ts'

/** By what attestations are grouped; required. */
export const groupParameter: Parameter<GroupBy> = {
  name: 'by',
  in: 'query',
  schema: Type.String({
    pattern: `^(${groupNames.join('|')}|field\\[.*\\])$`,
    description: `The key that attestations are counted by: ${groupNames.join(', ')}, or \`field[name]\` with \`schemaId\`.`,
    examples: ['day'],
  }),
  absent: null,
  read: (text) => {
    const name = groupNames.find((candidate) => candidate === text)
    if (name !== undefined) return name
    const [, pathText] = /^field\[(.*)\]$/s.exec(text) ?? []
    const path = pathText === undefined ? null : parseFieldPath(pathText)
    if (path === null) {
      throw new BadParameterError(
        `by must be ${groupNames.join(', ')} or field[name]; it was ${quoteInput(text)}.`,
      )
    }
    return { path }
  },
}
