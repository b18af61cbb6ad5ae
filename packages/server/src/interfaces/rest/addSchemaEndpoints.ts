import type { FastifyInstance } from 'fastify'
import type { ApiContext } from '../../apiContext.ts'
import { addEndpoint } from '../../pipeline/addEndpoint.ts'
import { asOfHeader } from '../../pipeline/asOf/openView.ts'
import { asOfParameter, refuseBeside } from '../../pipeline/asOf/parseAsOf.ts'
import {
  askedByIds,
  chainsOfIds,
  chainsOfListed,
  idsParameter,
  ofProtocol,
  recordIdParameter,
} from '../../pipeline/parameters/idParameters.ts'
import { idProtocolParameter } from '../../pipeline/parameters/protocolParameters.ts'
import { waitParameter, wantedRecord } from '../../pipeline/waits/waitParameter.ts'
import { answerSchemaListing, schemaList, schemaListingParameters } from './answerSchemaListing.ts'
import { findByIds } from './findByIds.ts'
import { notIndexed } from './notIndexed.ts'
import { includeProtocolParameter, presentWith } from '../../records/include.ts'
import { recordsOf, singleSchema } from '../../records/payloadSchemas.ts'
import { presentSchema } from '../../records/presentSchema.ts'

/** Schemas, in pages and alone (docs/api.md, "Paths"). */
export function addSchemaEndpoints(app: FastifyInstance, context: ApiContext): void {
  addEndpoint(app, context, {
    path: '/scan/schemas',
    summary: 'Schemas, newest first; filters combine',
    description:
      'A page with its exact total, or with `cursor` a step of a walk, which costs the same at any depth. Each row has its fields and its numbers of attestations and attesters.',
    parameters: schemaListingParameters,
    tool: {
      name: 'list_schemas',
      description: 'Schemas that pass all given filters, newest first, with the exact total.',
    },
    data: schemaList,
    about: ({ asOf, chainId }) => ({ asOf, chainIds: chainsOfListed(chainId), isFiltered: true }),
    answer: (reader, values, url) => answerSchemaListing(context, reader, values, url),
  })

  addEndpoint(app, context, {
    path: '/scan/schemas/:id',
    summary: 'A schema by its composite id',
    description:
      'With `asOf`, as it was then. With `wait`, the answer comes as soon as the record is indexed.',
    parameters: {
      id: recordIdParameter('Composite id of the schema.'),
      protocol: idProtocolParameter,
      include: includeProtocolParameter,
      asOf: asOfParameter,
      wait: waitParameter,
    },
    tool: {
      name: 'get_schema',
      description:
        'One schema: its name, fields, registrant and whether its attestations can be revoked. Ids are composite, such as ' +
        'onchain_evm_11155111_0x1a.',
    },
    data: singleSchema,
    about: ({ id, protocol, asOf }) => ({
      asOf,
      ...askedByIds([ofProtocol(id, protocol)], 'schema'),
      namesBlocks: true,
    }),
    wait: ({ id, protocol, wait }) => ({
      seconds: wait,
      record: wantedRecord('schema', ofProtocol(id, protocol)),
    }),
    answer: async (reader, values, _url, view) => {
      refuseBeside(values.asOf, 'wait', values.wait)
      const id = ofProtocol(values.id, values.protocol)
      const schema = id.kind === 'known' ? await reader.findSchema(id.value) : null
      if (schema === null) throw notIndexed('schema', id, view)
      const asOf = await asOfHeader(view, chainsOfIds([id]))
      return { data: presentWith(values.include, context, presentSchema)(schema), asOf }
    },
  })

  addEndpoint(app, context, {
    path: '/scan/schemas/by-ids',
    summary: 'Up to 100 schemas by their composite ids',
    description: 'The rows are in the order of the ids, null for an id that is not indexed.',
    parameters: {
      ids: idsParameter('Schemas to answer.'),
      protocol: idProtocolParameter,
      include: includeProtocolParameter,
      asOf: asOfParameter,
    },
    about: ({ ids, asOf }) => ({ asOf, ...askedByIds(ids, 'schema') }),
    data: recordsOf(singleSchema),
    answer: async (reader, { ids, protocol, include }) => {
      const found = await findByIds(ids, protocol, (keys) => reader.findSchemas(keys))
      const present = presentWith(include, context, presentSchema)
      return { data: { rows: found.map((schema) => schema && present(schema)) } }
    },
  })
}
