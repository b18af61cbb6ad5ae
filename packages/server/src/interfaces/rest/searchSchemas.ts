import { Type, type TSchema } from 'typebox'
import {
  count,
  exactly,
  foundAddress,
  foundAttestation,
  foundSchema,
  foundValue,
  knownName,
} from '../../records/payloadSchemas.ts'

import type { SearchPart } from './searchPart.ts'

/** The payload of a search, as a TypeBox schema. */

const searchGroup = (type: string, row: TSchema) =>
  exactly(
    {
      type: Type.Literal(type, { description: 'Kind of the results.' }),
      rows: Type.Array(row, { maxItems: 10, description: 'The best rows.' }),
      total: count('All matches.'),
    },
    `Results of type ${type}.`,
  )

const foundName = exactly(
  {
    id: Type.String({ description: 'The address, checksummed, or the composite id of the schema.' }),
    ...knownName,
  },
  'A name in the results of a search.',
  'FoundName',
)

/** The groups that clients of the original service know. */
export const knownGroups = ['schema', 'attestation', 'address']

/** The groups of a search, in the order of the answer. */
export function searchGroups(parts: readonly SearchPart[]): readonly string[] {
  return [...knownGroups, 'value', ...parts.map(({ type }) => type), 'name']
}

/** The result of a search with the groups of capabilities. */
export function searchResultOf(parts: readonly SearchPart[]) {
  const order = searchGroups(parts)
  return exactly(
    {
      queryResult: Type.Array(
        Type.Union([
          searchGroup('schema', foundSchema),
          searchGroup('attestation', foundAttestation),
          searchGroup('address', foundAddress),
          searchGroup('value', foundValue),
          ...parts.map(({ type, row }) => searchGroup(type, row)),
          searchGroup('name', foundName),
        ]),
        {
          minItems: 1,
          maxItems: order.length,
          description: `The groups, in the order ${order.join(', ')}; those after address only if one was found.`,
        },
      ),
    },
    'The result of a search.',
  )
}
