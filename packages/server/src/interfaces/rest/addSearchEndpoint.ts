import type { FastifyInstance } from 'fastify'
import type { ClassifiedKeyword } from '@attestry/core/model/keyword.ts'
import type { SearchGroup } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { didAddress } from '@attestry/core/model/didAddress.ts'
import type { ApiContext } from '../../apiContext.ts'
import { addEndpoint } from '../../pipeline/addEndpoint.ts'
import { choiceParameter } from '../../pipeline/parameters/choiceParameter.ts'
import type { Included } from '../../pipeline/parameters/includeParameter.ts'
import { keywordParameter } from '../../pipeline/parameters/listingParameters.ts'
import { includeProtocolParameter, presentNamed, presentWith } from '../../records/include.ts'
import { presentFoundAddress } from './presentAddress.ts'
import { presentFoundAttestation } from '../../records/presentAttestation.ts'
import { presentFoundSchema, presentFoundValue } from '../../records/presentSchema.ts'
import { knownGroups, searchGroups, searchResultOf } from './searchSchemas.ts'

/** Rows in each group of the answer. */
const rowsMax = 10

/** One search over all groups (docs/api.md, "Search"). */
export function addSearchEndpoint(app: FastifyInstance, context: ApiContext): void {
  const parts = context.searches
  const groupTypes = searchGroups(parts)
  const plurals = parts.map(({ plural }) => `${plural} `).join('')
  addEndpoint(app, context, {
    path: '/scan/search',
    summary: `Results for a keyword: schemas, attestations, addresses, values of fields, ${plurals}and names, the ten best of each`,
    description:
      'One group for each kind of result. Further groups than schema, attestation and address are there if something was found, or if `filter` names them.',
    parameters: {
      filter: choiceParameter({ name: 'filter', description: 'Only this group.', choices: groupTypes }),
      keyword: keywordParameter(
        'A composite id, an address, a uid or transaction hash, a local id or the beginning of one, a decimal local ' +
          `id, or a text: of schemas, ${plurals}and names a part, of indexing values, recipients and fields the whole. Empty: finds nothing.`,
      ),
      include: includeProtocolParameter,
    },
    tool: {
      name: 'search',
      description: 'Finds schemas and attestations by an id, a name, an address, a transaction or a value.',
    },
    data: searchResultOf(parts),
    answer: async (_reader, { filter, keyword, include }, _url, { newest }) => {
      const types = filter === null ? groupTypes : [filter]
      const groups = await Promise.all(
        types.map((type) =>
          presentGroup(context, newest, { type, keyword, include, isAsked: filter !== null }),
        ),
      )
      // Clients of the original service know three groups: further groups are shown only if they have results.
      const told = filter === null && keyword === null ? groups.slice(0, knownGroups.length) : groups
      return {
        data: { queryResult: told.filter((group) => group !== null) },
        // An answer of ENS, or the file of an agent, may come later than this one.
        followsClock:
          keyword !== null &&
          ((context.names.change && types.includes('name')) ||
            (context.content !== null &&
              parts.some(({ type, followsContent }) => followsContent && types.includes(type)))),
      }
    },
  })
}

interface AskedGroup {
  readonly type: string
  readonly keyword: ClassifiedKeyword | null
  readonly include: Included
  readonly isAsked: boolean
}

/** null if a group is not shown. */
async function presentGroup(
  context: ApiContext,
  reader: IndexReader,
  { type, keyword, include, isAsked }: AskedGroup,
) {
  if (keyword === null) return groupOf(type, { rows: [], total: 0 }, (row) => row)
  switch (type) {
    case 'schema':
      return groupOf(
        type,
        await reader.searchSchemas(keyword, rowsMax),
        presentWith(include, context, presentFoundSchema),
      )
    case 'attestation':
      return groupOf(
        type,
        await reader.searchAttestations(keyword, rowsMax),
        presentWith(include, context, presentFoundAttestation),
      )
    case 'address':
      return groupOf(
        type,
        await reader.searchAddresses(underAddress(keyword), rowsMax),
        presentNamed(include, context, presentFoundAddress),
      )
    case 'value': {
      const found = await reader.searchValues(keyword, rowsMax)
      if (found.total === 0 && !isAsked) return null
      return groupOf(type, found, presentWith(include, context, presentFoundValue))
    }
    case 'name': {
      const found = await context.names.search(keyword.text)
      const group = { rows: found.slice(0, rowsMax), total: found.length }
      return group.total === 0 && !isAsked ? null : groupOf(type, group, (row) => row)
    }
    default: {
      const part = context.searches.find((each) => each.type === type)
      const found = await part?.search(reader, keyword, rowsMax)
      if (found === undefined || (found.total === 0 && !isAsked)) return null
      return groupOf(type, found, (row) => row)
    }
  }
}

/** A `did:web` as the address under which attestations name it; any other keyword as it is. */
function underAddress(keyword: ClassifiedKeyword): ClassifiedKeyword {
  const address = didAddress(keyword.text)
  return address === null ? keyword : { text: address, target: { kind: 'address', address } }
}

function groupOf<Row>(type: string, { rows, total }: SearchGroup<Row>, presentRow: (row: Row) => object) {
  return { type, rows: rows.map(presentRow), total }
}
