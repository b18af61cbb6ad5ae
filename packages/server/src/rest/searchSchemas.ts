import { Type, type TSchema } from 'typebox'
import { foundAgent } from '@attestry/agents/agentSchemas.ts'
import {
  count,
  exactly,
  foundAddress,
  foundAttestation,
  foundSchema,
  knownName,
} from '../records/payloadSchemas.ts'

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
)

export const searchResult = exactly(
  {
    queryResult: Type.Array(
      Type.Union([
        searchGroup('schema', foundSchema),
        searchGroup('attestation', foundAttestation),
        searchGroup('address', foundAddress),
        searchGroup('agent', foundAgent),
        searchGroup('name', foundName),
      ]),
      {
        minItems: 1,
        maxItems: 5,
        description:
          'The groups, in the order schema, attestation, address, agent, name; the last two only where one was found.',
      },
    ),
  },
  'The result of a search.',
)
