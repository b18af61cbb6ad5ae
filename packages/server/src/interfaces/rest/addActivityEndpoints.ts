import type { FastifyInstance } from 'fastify'
import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { ProtocolTotals } from '@attestry/core/index/storedRecords.ts'
import type { ApiContext } from '../../apiContext.ts'
import { addEndpoint } from '../../pipeline/addEndpoint.ts'
import type { View } from '../../pipeline/asOf/openView.ts'
import { asOfParameter } from '../../pipeline/asOf/parseAsOf.ts'
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
import { Type } from 'typebox'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { quoteInput } from '../../pipeline/quoteInput.ts'
import { optionalParameter, type Parameter } from '../../pipeline/parameters/parameter.ts'

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

const dayMs = 86_400_000

/** A UTC day as an optional bound, `YYYY-MM-DD`; in days since the epoch, null when it is absent or empty. */
function dayParameter(name: string, description: string): Parameter<number | null> {
  return optionalParameter(
    name,
    Type.String({ format: 'date', description, examples: ['2024-06-10'] }),
    (text) => {
      const time = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) ? Date.parse(text) : Number.NaN
      // `Date` reads a day beyond its month as one of the next month, or as invalid.
      if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text) {
        throw new BadParameterError(`${name} must be a date such as 2024-06-10; it was ${quoteInput(text)}.`)
      }
      return time / dayMs
    },
  )
}

/** The span of a series of days. */
const daySpanParameters = {
  from: dayParameter('from', 'First day of the series, in UTC.'),
  before: dayParameter('before', 'Day before which the series ends, in UTC.'),
} as const
