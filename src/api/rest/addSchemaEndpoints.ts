import type { FastifyInstance } from 'fastify'
import { NotFoundError } from '../../errors/apiErrors.ts'
import { formatCompositeId } from '../../model/compositeId.ts'
import { addEndpoint, type ApiContext } from '../addEndpoint.ts'
import { recordIdParameter } from '../parameters/idParameters.ts'
import { keywordParameter, pageParameter, sizeParameter } from '../parameters/listingParameters.ts'
import { pageOf, schemaRow, singleSchema } from './payloadSchemas.ts'
import { presentPage } from './presentList.ts'
import { presentSchema, presentSchemaRow } from './presentSchema.ts'

/** Schemas, in pages and alone (service.md 4.1, #5 and #6). */
export function addSchemaEndpoints(app: FastifyInstance, context: ApiContext): void {
  addEndpoint(app, context, {
    path: '/scan/schemas',
    summary: 'Schemas, newest first',
    parameters: {
      page: pageParameter,
      size: sizeParameter,
      keyword: keywordParameter(
        'Only schemas that it finds: part of a name or description, a schema id, a transaction hash, ' +
          'or the address of a registrant or resolver.',
      ),
    },
    data: pageOf(schemaRow),
    answer: async (reader, { page, size, keyword }) =>
      presentPage(await reader.listSchemas({ page, size, keyword }), { page, size }, presentSchemaRow),
  })

  addEndpoint(app, context, {
    path: '/scan/schemas/:id',
    summary: 'A schema by its composite id',
    parameters: { id: recordIdParameter('Composite id of the schema.') },
    data: singleSchema,
    answer: async (reader, { id }) => {
      const schema = id.kind === 'known' ? await reader.findSchema(id.value) : null
      if (schema === null) {
        const shown = id.kind === 'known' ? formatCompositeId(id.value) : id.shown
        throw new NotFoundError(`No schema ${shown} is indexed here; /scan/schemas lists those that are.`)
      }
      return presentSchema(schema)
    },
  })
}
