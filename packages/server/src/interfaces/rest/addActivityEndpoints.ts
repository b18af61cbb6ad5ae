import type { FastifyInstance } from 'fastify'
import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { ProtocolTotals } from '@attestry/core/index/storedRecords.ts'
import type { ApiContext } from '../../apiContext.ts'
import { addEndpoint } from '../../pipeline/addEndpoint.ts'
import type { View } from '../../pipeline/asOf/openView.ts'
import { asOfParameter } from '../../pipeline/asOf/parseAsOf.ts'
import { daySpanParameters } from '../../pipeline/parameters/dayParameters.ts'
import {
  addressParameter,
  askedByIds,
  ofProtocol,
  recordIdParameter,
  type Identified,
} from '../../pipeline/parameters/idParameters.ts'
import { idProtocolParameter } from '../../pipeline/parameters/protocolParameters.ts'
import { addressAnchors, addressDay, indexStatistics, schemaDay, seriesOf } from './activitySchemas.ts'
import { notIndexed } from './notIndexed.ts'
import {
  presentAddressDay,
  presentAnchors,
  presentDay,
  presentProtocolTotals,
  presentSchemaDay,
} from './presentActivity.ts'

/** Totals and counts by day, from the counters that the writer keeps. Days on which nothing happened are left out. */
export function addActivityEndpoints(app: FastifyInstance, context: ApiContext): void {
  addEndpoint(app, context, {
    path: '/scan/stats',
    summary: 'Totals of the index and counts by day, together and by chain and protocol',
    description:
      'From counters, which cost the same for any index. Days are of UTC. Days on which nothing happened are left out.',
    parameters: { ...daySpanParameters, asOf: asOfParameter },
    data: indexStatistics,
    about: ({ asOf }) => ({ asOf, chainIds: null }),
    answer: async (reader, { asOf: _asOf, ...span }) => {
      const [totals, days, protocolDays] = await Promise.all([
        reader.listTotals(),
        reader.listActivity({ kind: 'everything' }, span),
        reader.listProtocolDays(span),
      ])
      const presentTotals = (row: ProtocolTotals) =>
        presentProtocolTotals(
          row,
          protocolDays.filter(
            ({ chainId, protocol }) => chainId === row.chainId && protocol === row.protocol,
          ),
        )
      const sum = (member: 'schemaCount' | 'attestationCount' | 'revocationCount') =>
        totals.reduce((total, row) => total + row[member], 0)
      return {
        data: {
          schemaCount: sum('schemaCount'),
          attestationCount: sum('attestationCount'),
          revocationCount: sum('revocationCount'),
          protocols: totals.map(presentTotals),
          days: days.map(presentDay),
        },
      }
    },
  })

  addEndpoint(app, context, {
    path: '/scan/schemas/:id/activity',
    summary: 'Attestations made under a schema, by day',
    description: 'Days are of UTC. Days on which nothing happened are left out.',
    parameters: {
      id: recordIdParameter('Composite id of the schema.'),
      protocol: idProtocolParameter,
      ...daySpanParameters,
      asOf: asOfParameter,
    },
    data: seriesOf(schemaDay),
    about: ({ asOf, id }) => ({ asOf, ...askedByIds([id], 'schema') }),
    answer: async (reader, { id, protocol, asOf: _asOf, ...span }, _url, view) => {
      const key = await findSchemaKey(reader, ofProtocol(id, protocol), view)
      const days = await reader.listActivity({ kind: 'schema', key }, span)
      return { data: { rows: days.map(presentSchemaDay) } }
    },
  })

  addEndpoint(app, context, {
    path: '/scan/addresses/:address/activity',
    summary: 'Attestations that an address made and received, by day',
    description: 'Days are of UTC. Days on which nothing happened are left out.',
    parameters: { address: addressParameter, ...daySpanParameters, asOf: asOfParameter },
    data: seriesOf(addressDay),
    about: ({ asOf }) => ({ asOf, chainIds: null }),
    answer: async (reader, { address, asOf: _asOf, ...span }) => {
      const days = await reader.listActivity({ kind: 'address', address }, span)
      return { data: { rows: days.map(presentAddressDay) } }
    },
  })

  addEndpoint(app, context, {
    path: '/scan/addresses/:address/anchors',
    summary: 'Off-chain anchors that an address made, by chain and event',
    description: 'Anchors are values that accounts noted on chain. They are no records.',
    parameters: { address: addressParameter },
    data: addressAnchors,
    answer: async (_reader, { address }) => {
      const counts = await context.reader.listAnchorCounts(address)
      return { data: { rows: counts.map(presentAnchors) } }
    },
  })
}

async function findSchemaKey(reader: PastReader, id: Identified<RecordKey>, view: View): Promise<RecordKey> {
  if (id.kind === 'known' && (await reader.findSchema(id.value)) !== null) return id.value
  throw notIndexed('schema', id, view)
}
