import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { ApiContext } from '../../apiContext.ts'
import { addEndpoint } from '../../pipeline/addEndpoint.ts'
import { asOfParameter } from '../../pipeline/asOf/parseAsOf.ts'
import { pageGroups } from '../../records/pageGroups.ts'
import { pageLinks } from '../../records/pageLinks.ts'
import {
  attestationFilterOf,
  attestationFilterParameters,
  askedByListing,
  followsClock,
  followsContent,
} from '../../pipeline/parameters/attestationFilterParameters.ts'
import { groupParameter } from '../../pipeline/parameters/groupParameter.ts'
import {
  pageParameter,
  refusedKeywordParameter,
  sizeParameter,
} from '../../pipeline/parameters/listingParameters.ts'
import { includeNamesParameter, withNames } from '../../records/include.ts'
import { count, exactly, includedNames } from '../../records/payloadSchemas.ts'

const attestationGroups = exactly(
  {
    total: count('Attestations that pass the filters.'),
    groups: count('Keys that these attestations have.'),
    rows: Type.Array(
      exactly(
        {
          key: Type.String({
            description:
              'A composite id, a checksummed address or another recipient, a number or name, a day or month, a value of a field.',
            examples: ['2024-06-10'],
          }),
          protocol: Type.Optional(
            Type.String({ description: 'Of a schema: protocols may have the same id.', examples: ['eas'] }),
          ),
          count: count('Attestations with the key.'),
          ...includedNames,
        },
        'A group.',
        'Group',
      ),
      { description: 'By count, greatest first, then by key; days and months newest first.' },
    ),
    page: Type.Integer({ minimum: 1, description: 'Number of this page.' }),
    size: Type.Integer({ minimum: 1, description: 'Rows of a full page.' }),
  },
  'A page of groups.',
  'PageGroup',
)

/** Counts of attestations by a key (docs/api.md, "Groups"). */
export function addAggregateEndpoints(app: FastifyInstance, context: ApiContext): void {
  addEndpoint(app, context, {
    path: '/scan/aggregate/attestations',
    summary: 'How many attestations there are of each schema, attester, day …; filters combine',
    description:
      'Counts by the key `by`, greatest first; days and months newest first. Counting is bounded: where it would take too much, the answer is a 400 that says how to narrow it.',
    parameters: {
      by: groupParameter,
      ...attestationFilterParameters,
      keyword: refusedKeywordParameter,
      include: includeNamesParameter,
      asOf: asOfParameter,
      page: pageParameter,
      size: sizeParameter,
    },
    tool: {
      name: 'group_attestations',
      description: 'Exact counts of the attestations that pass all given filters, by the values of one key.',
    },
    data: attestationGroups,
    about: (values) => ({ asOf: values.asOf, ...askedByListing(values), isFiltered: true }),
    answer: async (reader, { by, page, size, include, keyword: _keyword, ...values }, url, view) => {
      const filter = attestationFilterOf(values, view.now)
      const request = { page, size }
      const { total, groups, rows } = await pageGroups(
        { checkFields: context.checkFields, reader },
        by,
        filter,
        request,
      )
      return {
        data: {
          total,
          groups,
          rows: rows.map((row) => withNames(include, row, context.names, [row.key])),
          page,
          size,
        },
        link: pageLinks(url, request, groups),
        followsClock: followsContent(context, values, by) || (values.asOf === null && followsClock(values)),
      }
    },
  })
}
