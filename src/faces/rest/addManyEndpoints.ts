import type { FastifyInstance } from 'fastify'
import { formatCompositeId, type RecordKey } from '../../model/compositeId.ts'
import type { Address } from '../../model/hex.ts'
import type { ValidAt } from '../../store/indexQueries.ts'
import type { IndexReader } from '../../store/indexReader.ts'
import type { ApiContext } from '../apiContext.ts'
import { asOfHeader, type View } from '../../http/asOf/openView.ts'
import { parseAsOf, refuseBeside, type AskedMoment } from '../../http/asOf/parseAsOf.ts'
import type { EndpointAnswer } from '../../http/endpoint.ts'
import { addPostEndpoint } from '../../http/addPostEndpoint.ts'
import {
  chainsOfIds,
  ofProtocol,
  readAddress,
  readCompositeId,
  type Identified,
} from '../../http/parameters/idParameters.ts'
import { readAddresses, type Sent } from '../../http/parameters/readAddresses.ts'
import { idProtocolParameter } from '../../http/parameters/protocolParameters.ts'
import {
  manyMax,
  readBodyMembers,
  readInteger,
  readList,
  readOptional,
  readText,
} from '../../http/parameters/readBody.ts'
import { unixSecondsMax } from '../../http/parameters/timeParameters.ts'
import { attestationStatuses, holders, holdersRequest, statusRequest } from './manySchemas.ts'
import { joinRows, presentRows } from '../records/presentList.ts'

const exampleId = 'onchain_evm_11155111_0x1a'
const exampleAddress = '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5'

/** Questions about many records in one request (docs/api.md, "Many at once"). */
export function addManyEndpoints(app: FastifyInstance, context: ApiContext): void {
  addPostEndpoint(app, context, {
    path: '/scan/attestations/status',
    summary: `The status of up to ${manyMax} attestations`,
    request: { schema: statusRequest, example: { ids: [exampleId] } },
    data: attestationStatuses,
    readBody: readStatusBody,
    about: ({ ids, asOf }) => ({
      asOf,
      chainIds: chainsOfIds(ids.map(({ value }) => value)),
      namesBlocks: true,
    }),
    answer: (body, reader, _values, view) => answerStatuses(body, reader, view),
  })
  addPostEndpoint(app, context, {
    path: '/scan/holders',
    summary: `Which of up to ${manyMax} addresses hold a valid attestation under a schema`,
    request: { schema: holdersRequest, example: { addresses: [exampleAddress], schemaId: exampleId } },
    data: holders,
    readBody: readHoldersBody,
    about: ({ schema, asOf }) => ({ asOf, chainIds: chainsOfIds([schema]) }),
    answer: (body, reader, _values, view) => answerHolders(reader, view.now, body),
  })
}

interface StatusBody {
  readonly ids: readonly Sent<Identified<RecordKey>>[]
  readonly asOf: AskedMoment | null
}

function readStatusBody(text: string): StatusBody {
  const { ids, ...sent } = readBodyMembers(text, ['ids', 'protocol', 'asOf'])
  const protocol = readOptional(idProtocolParameter, sent['protocol'])
  const read = readList('ids', ids, { items: 'composite ids', itemsMax: manyMax }, (place, id) => ({
    text: id,
    value: ofProtocol(readCompositeId(place, id), protocol),
  }))
  return { ids: read, asOf: readMoment(sent['asOf']) }
}

function readMoment(value: unknown): AskedMoment | null {
  return value === undefined || value === null ? null : parseAsOf(value)
}

async function answerStatuses(
  { ids }: StatusBody,
  reader: IndexReader,
  view: View,
): Promise<Pick<EndpointAnswer, 'dataJson' | 'asOf'>> {
  const asOf = await asOfHeader(view, chainsOfIds(ids.map(({ value }) => value)))
  const keys = ids.flatMap(({ value }) => (value.kind === 'known' ? [value.value] : []))
  const { statuses, chains } = await reader.findStatuses(keys, Math.floor(view.now() / 1000))
  let next = 0
  const rowsJson = joinRows(ids, ({ text, value }) => {
    const status = value.kind === 'known' ? (statuses[next++] ?? 'unknown') : 'unknown'
    return `{"id":${JSON.stringify(text)},"status":"${status}"}`
  })
  const shown = chains.map(({ chainId, ...chain }) => ({ chainId: String(chainId), ...chain }))
  return { dataJson: `{"rows":${rowsJson},"chains":${JSON.stringify(shown)}}`, asOf }
}

interface HoldersBody {
  readonly addresses: readonly Sent<Address>[]
  readonly schema: Identified<RecordKey>
  readonly attester: Address | null
  /** Unix seconds; null: now. */
  readonly validAt: number | null
  readonly asOf: AskedMoment | null
}

function readHoldersBody(text: string): HoldersBody {
  const sent = readBodyMembers(text, ['addresses', 'schemaId', 'protocol', 'attester', 'validAt', 'asOf'])
  const attester = sent['attester'] ?? null
  const asOf = readMoment(sent['asOf'])
  const validAt = readInteger('validAt', sent['validAt'], unixSecondsMax)
  refuseBeside(asOf, 'validAt', validAt)
  return {
    addresses: readAddresses('addresses', sent['addresses']),
    schema: ofProtocol(
      readCompositeId('schemaId', readText('schemaId', sent['schemaId'])),
      readOptional(idProtocolParameter, sent['protocol']),
    ),
    attester: attester === null ? null : readAddress('attester', readText('attester', attester)),
    validAt,
    asOf,
  }
}

async function answerHolders(
  reader: IndexReader,
  now: ApiContext['now'],
  body: HoldersBody,
): Promise<string> {
  const held = await findHeld(reader, now, body)
  return presentRows([...body.addresses.entries()], ([index, { text }]) => {
    const found = held[index]
    const [key] = found ?? []
    const attestation = key === undefined ? 'null' : `"${formatCompositeId(key)}"`
    const unknown = found === null ? `,"unknown":"${tooMany}"` : ''
    return `{"address":"${text}","attestation":${attestation}${unknown}}`
  })
}

const tooMany =
  'The address received more attestations that do not count than one answer may look at; ask for that one by the ' +
  'filters of /scan/attestations.'

async function findHeld(
  reader: IndexReader,
  now: ApiContext['now'],
  { addresses, schema, attester, validAt }: HoldersBody,
): ReturnType<IndexReader['findHoldings']> {
  if (schema.kind === 'unknown') return []
  const valid: ValidAt =
    validAt === null ? { kind: 'now', at: Math.floor(now() / 1000) } : { kind: 'then', at: validAt }
  return await reader.findHoldings({
    addresses: addresses.map(({ value }) => value),
    role: 'recipient',
    schema: schema.value,
    attesters: attester === null ? null : [attester],
    fields: [],
    attestedFrom: null,
    valid,
    attestersMin: 1,
  })
}
