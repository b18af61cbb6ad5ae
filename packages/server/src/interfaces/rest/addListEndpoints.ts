import type { FastifyInstance } from 'fastify'
import { everyAttestation } from '@attestry/core/index/indexQueries.ts'
import type { ApiContext } from '../../apiContext.ts'
import { addEndpoint } from '../../pipeline/addEndpoint.ts'
import { includeProtocolParameter, presentWith } from '../../records/include.ts'
import { latestAttestation, rankedSchema, rowsOf } from '../../records/payloadSchemas.ts'
import { presentLatestAttestation } from '../../records/presentAttestation.ts'
import { presentRankedSchema } from '../../records/presentSchema.ts'

/** Rows in each of the lists that have no pages. */
export const rowsMax = 10

/** The lists of a front page: top and trending schemas, latest attestations (docs/api.md, "Order"). */
export function addListEndpoints(app: FastifyInstance, context: ApiContext): void {
  addEndpoint(app, context, {
    path: '/scan/top-schemas',
    summary: 'The ten schemas with the most attestations',
    description: 'By all attestations ever made, revoked ones too.',
    parameters: { include: includeProtocolParameter },
    data: rowsOf(rankedSchema, rowsMax),
    answer: async (_reader, { include }, _url, { newest }) => {
      const schemas = await newest.listTopSchemas(rowsMax)
      return { data: { rows: schemas.map(presentWith(include, context, presentRankedSchema)) } }
    },
  })

  addEndpoint(app, context, {
    path: '/scan/trending-schemas',
    summary: 'Up to ten schemas with the most attestations of late, the latest hours counting most',
    description: 'Schemas without attestations of late are left out.',
    parameters: { include: includeProtocolParameter },
    data: rowsOf(rankedSchema, rowsMax),
    answer: async (_reader, { include }, _url, { newest }) => {
      const schemas = await newest.listTrendingSchemas(rowsMax)
      return { data: { rows: schemas.map(presentWith(include, context, presentRankedSchema)) } }
    },
  })

  addEndpoint(app, context, {
    path: '/scan/latest-attestations',
    summary: 'The ten newest attestations',
    description: 'Of all chains, by the time of their blocks.',
    parameters: { include: includeProtocolParameter },
    data: rowsOf(latestAttestation, rowsMax),
    answer: async (reader, { include }) => {
      const fields = { detail: false, schema: true }
      const page = { page: 1, size: rowsMax }
      const { rows } = await reader.listAttestations({ filter: everyAttestation }, page, fields)
      return { data: { rows: rows.map(presentWith(include, context, presentLatestAttestation)) } }
    },
  })
}
