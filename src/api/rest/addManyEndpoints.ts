import type { FastifyInstance } from 'fastify'
import { BadParameterError } from '../../errors/apiErrors.ts'
import { StoreTooMuchWorkError } from '../../errors/storeErrors.ts'
import { formatCompositeId, type RecordKey } from '../../model/compositeId.ts'
import type { Address } from '../../model/hex.ts'
import type { ValidAt } from '../../store/indexQueries.ts'
import type { IndexReader } from '../../store/indexReader.ts'
import type { ApiContext } from '../addEndpoint.ts'
import { addPostEndpoint } from '../addPostEndpoint.ts'
import { ofProtocol, readAddress, readCompositeId, type Identified } from '../parameters/idParameters.ts'
import { readAddresses, type Sent } from '../parameters/readAddresses.ts'
import { idProtocolParameter } from '../parameters/protocolParameters.ts'
import { readBodyMembers, readInteger, readList, readOptional, readText } from '../parameters/readBody.ts'
import { unixSecondsMax } from '../parameters/timeParameters.ts'
import { attestationStatuses, holders, holdersRequest, manyMax, statusRequest } from './manySchemas.ts'
import { joinRows, presentRows } from './presentList.ts'

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
    answer: (ids) => answerStatuses(context, ids),
  })
  addPostEndpoint(app, context, {
    path: '/scan/holders',
    summary: `Which of up to ${manyMax} addresses hold a valid attestation under a schema`,
    request: { schema: holdersRequest, example: { addresses: [exampleAddress], schemaId: exampleId } },
    data: holders,
    readBody: readHoldersBody,
    answer: (body, reader) => answerHolders(reader, context.now, body),
  })
}

function readStatusBody(text: string): readonly Sent<Identified<RecordKey>>[] {
  const { ids, ...sent } = readBodyMembers(text, ['ids', 'protocol'])
  const protocol = readOptional(idProtocolParameter, sent['protocol'])
  return readList('ids', ids, { items: 'composite ids', itemsMax: manyMax }, (place, id) => ({
    text: id,
    value: ofProtocol(readCompositeId(place, id), protocol),
  }))
}

async function answerStatuses(
  { reader, now }: ApiContext,
  ids: readonly Sent<Identified<RecordKey>>[],
): Promise<string> {
  const keys = ids.flatMap(({ value }) => (value.kind === 'known' ? [value.value] : []))
  const { statuses, chains } = await reader.findStatuses(keys, Math.floor(now() / 1000))
  let next = 0
  const rowsJson = joinRows(ids, ({ text, value }) => {
    const status = value.kind === 'known' ? (statuses[next++] ?? 'unknown') : 'unknown'
    return `{"id":${JSON.stringify(text)},"status":"${status}"}`
  })
  const shown = chains.map(({ chainId, ...chain }) => ({ chainId: String(chainId), ...chain }))
  return `{"rows":${rowsJson},"chains":${JSON.stringify(shown)}}`
}

interface HoldersBody {
  readonly addresses: readonly Sent<Address>[]
  readonly schema: Identified<RecordKey>
  readonly attester: Address | null
  /** Unix seconds; null: now. */
  readonly validAt: number | null
}

function readHoldersBody(text: string): HoldersBody {
  const sent = readBodyMembers(text, ['addresses', 'schemaId', 'protocol', 'attester', 'validAt'])
  const attester = sent['attester'] ?? null
  return {
    addresses: readAddresses('addresses', sent['addresses']),
    schema: ofProtocol(
      readCompositeId('schemaId', readText('schemaId', sent['schemaId'])),
      readOptional(idProtocolParameter, sent['protocol']),
    ),
    attester: attester === null ? null : readAddress('attester', readText('attester', attester)),
    validAt: readInteger('validAt', sent['validAt'], unixSecondsMax),
  }
}

async function answerHolders(
  reader: IndexReader,
  now: ApiContext['now'],
  body: HoldersBody,
): Promise<string> {
  const held = await findHeld(reader, now, body)
  return presentRows([...body.addresses.entries()], ([index, { text }]) => {
    const key = held[index] ?? null
    return `{"address":"${text}","attestation":${key === null ? 'null' : `"${formatCompositeId(key)}"`}}`
  })
}

async function findHeld(
  reader: IndexReader,
  now: ApiContext['now'],
  { addresses, schema, attester, validAt }: HoldersBody,
): Promise<readonly (RecordKey | null)[]> {
  if (schema.kind === 'unknown') return []
  const valid: ValidAt =
    validAt === null ? { kind: 'now', at: Math.floor(now() / 1000) } : { kind: 'then', at: validAt }
  try {
    const asked = addresses.map(({ value }) => value)
    const held = await reader.findHoldings({
      addresses: asked,
      role: 'recipient',
      schema: schema.value,
      attesters: attester === null ? null : [attester],
      fields: [],
      attestedFrom: null,
      valid,
      attestersMin: 1,
    })
    return held.map(([newest]) => newest ?? null)
  } catch (error) {
    if (!(error instanceof StoreTooMuchWorkError)) throw error
    const place = addresses.findIndex(({ value }) => value === error.facts['address'])
    if (place === -1) throw error
    throw new BadParameterError(
      `addresses[${place}] received more attestations that do not count than one answer may look at; ask for fewer addresses, ` +
        'or for that one by the filters of /scan/attestations.',
      { facts: { parameter: 'addresses' }, cause: error },
    )
  }
}
