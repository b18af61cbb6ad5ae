import { Type } from 'typebox'
import { BadParameterError } from '../../errors/apiErrors.ts'
import { groupNames, type GroupName } from '../../store/indexQueries.ts'
import { quoteInput } from '../quoteInput.ts'
import type { Parameter } from './parameter.ts'

const names = `${groupNames.slice(0, -1).join(', ')} or ${groupNames.at(-1)}`

/** By what attestations are grouped; required. */
export const groupParameter: Parameter<GroupName> = {
  name: 'by',
  in: 'query',
  schema: Type.Enum([...groupNames], { description: 'The key that attestations are counted by.' }),
  absent: null,
  read: (text) => {
    const name = groupNames.find((candidate) => candidate === text)
    if (name === undefined) {
      throw new BadParameterError(`by must be ${names}; it was ${quoteInput(text)}.`, {
        facts: { parameter: 'by' },
      })
    }
    return name
  },
}
