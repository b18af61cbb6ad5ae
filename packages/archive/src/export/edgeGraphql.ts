import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { GraphqlPart } from '@attestry/server/interfaces/graphql/createGraphqlSchema.ts'
import type { TypeBehaviour } from '@attestry/server/interfaces/graphql/fields/fieldBehaviour.ts'
import { readAttestationFilter, readMembers } from '@attestry/server/interfaces/graphql/input/readFilters.ts'
import {
  askedByListing,
  attestationFilterParameters,
} from '@attestry/server/pipeline/parameters/attestationFilterParameters.ts'
import { listEdges, valid } from './edgeExports.ts'
import type { HeldEdges } from './edges.ts'

const edgeTypes = /* GraphQL */ `
extend type Query {
  """
  Who attested to whom: valid attestations by attester, recipient and schema, in the order of the first ones. Of at most
  10,000 attestations; \`/scan/export/edges.ndjson\` has all. The filter has neither \`revoked\` nor \`expired\`.
  """
  edges(filter: AttestationFilter): [Edge!]
}

"All valid attestations of one account to one recipient under one schema."
type Edge {
  "The attester."
  from: String!
  "The recipient."
  to: String!
  "Composite id of the schema."
  schema: String!
  count: Int!
  "When the first was made, in Unix seconds."
  first: Float!
  "When the last was made, in Unix seconds."
  last: Float!
}
`

/** The edges of a list as part of the cost of a query. */
const edgesSize = 1_000

/** The field `edges` of `/graphql`. */
export function edgeGraphql(held: HeldEdges): GraphqlPart {
  const behaviours = {
    Query: {
      edges: {
        about: ({ filter }) => ({
          asOf: null,
          ...askedByListing(readMembers(attestationFilterParameters, filter)),
        }),
        size: () => edgesSize,
        resolve: async (_root, { filter }, context) => {
          const given = (filter ?? {}) as Readonly<Record<string, unknown>>
          const name = Object.keys(valid).find((each) => given[each] != null)
          if (name !== undefined) {
            throw new BadParameterError(`Edges are of valid attestations; leave ${name} out of the filter.`)
          }
          const asked = readAttestationFilter({ ...given, ...valid }, context.now)
          return await listEdges(context, held, asked)
        },
      },
    },
  } satisfies Readonly<Record<string, TypeBehaviour<unknown>>>
  return { typeDefinitions: edgeTypes, behaviours }
}
