import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { NotFoundError } from '../../errors/apiErrors.ts'
import { addEndpoint, type ApiContext } from '../addEndpoint.ts'
import { idsParameter, ofProtocol, recordIdParameter, shownId } from '../parameters/idParameters.ts'
import { idProtocolParameter } from '../parameters/protocolParameters.ts'
import { waitParameter, wantedRecord } from '../waits/waitParameter.ts'
import { answerSchemaListing, schemaListingParameters } from './answerSchemaListing.ts'
import { findByIds } from './findByIds.ts'
import { includeProtocolParameter, presentWith } from './include.ts'
import { pageOf, recordsOf, schemaRow, singleSchema, stepOf } from './payloadSchemas.ts'
import { presentRows } from './presentList.ts'
import { presentSchema } from './presentSchema.ts'

/** Schemas, in pages and alone (docs/api.md, "Paths"). */
export function addSchemaEndpoints(app: FastifyInstance, context: ApiContext): void {
  addEndpoint(app, context, {
    path: '/scan/schemas',
    summary: 'Schemas, newest first; filters combine',
    parameters: schemaListingParameters,
    data: Type.Union([pageOf(schemaRow), stepOf(schemaRow)]),
    answer: (reader, values, url) => answerSchemaListing(context, reader, values, url),
  })

  addEndpoint(app, context, {
    path: '/scan/schemas/:id',
    summary: 'A schema by its composite id',
    parameters: {
      id: recordIdParameter('Composite id of the schema.'),
      protocol: idProtocolParameter,
      include: includeProtocolParameter,
      wait: waitParameter,
    },
    data: singleSchema,
    wait: ({ id, protocol, wait }) => ({
      seconds: wait,
      record: wantedRecord('schema', ofProtocol(id, protocol)),
    }),
    answer: async (reader, values) => {
      const id = ofProtocol(values.id, values.protocol)
      const schema = id.kind === 'known' ? await reader.findSchema(id.value) : null
      if (schema === null) {
        throw new NotFoundError(
          `No schema ${shownId(id)} is indexed here; /scan/schemas lists those that are.`,
        )
      }
      return presentWith(values.include, presentSchema)(schema)
    },
  })

  addEndpoint(app, context, {
    path: '/scan/schemas/by-ids',
    summary: 'Up to 100 schemas by their composite ids',
    parameters: {
      ids: idsParameter('Schemas to answer.'),
      protocol: idProtocolParameter,
      include: includeProtocolParameter,
    },
    data: recordsOf(singleSchema),
    answer: async (_reader, { ids, protocol, include }) => {
      const { reader } = context
      const found = await findByIds(ids, protocol, (keys) => reader.findSchemas(keys))
      const present = presentWith(include, presentSchema)
      return presentRows(found, (schema) => (schema === null ? 'null' : present(schema)))
    },
  })
}
