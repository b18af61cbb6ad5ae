import type { FastifyInstance } from 'fastify'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import {
  describeDoubt,
  maxStalenessDefault,
  type ChainDoubt,
  type NeededRecord,
} from '@attestry/core/model/chainDoubt.ts'
import { formatCompositeId, type ChainId, type RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import type { IndexedUpTo, ValidAt } from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { ApiContext } from '../../apiContext.ts'
import { readDuration } from '../../pipeline/parameters/readDuration.ts'
import { asOfHeader, type View } from '../../pipeline/asOf/openView.ts'
import { parseAsOf, refuseBeside, type AskedMoment } from '../../pipeline/asOf/parseAsOf.ts'
import type { EndpointAnswer } from '../../pipeline/endpoint.ts'
import { findSchemaDoubt } from '../../pipeline/freshness/findSchemaDoubt.ts'
import { momentOf, type IndexFreshness } from '../../pipeline/freshness/createFreshness.ts'
import { addPostEndpoint } from '../../pipeline/addPostEndpoint.ts'
import {
  askedByIds,
  chainsOfIds,
  ofProtocol,
  readAddress,
  readCompositeId,
  type Identified,
} from '../../pipeline/parameters/idParameters.ts'
import { readAddresses, type Sent } from '../../pipeline/parameters/readAddresses.ts'
import { idProtocolParameter } from '../../pipeline/parameters/protocolParameters.ts'
import {
  manyMax,
  readBodyMembers,
  readInteger,
  readList,
  readOptional,
  readText,
} from '../../pipeline/parameters/readBody.ts'
import { unixSecondsMax } from '../../pipeline/parameters/timeParameters.ts'
import type { Shown } from '../../records/payloadSchemas.ts'
import { attestationStatuses, holders, holdersRequest, statusRequest } from './manySchemas.ts'

const exampleId = 'onchain_evm_11155111_0x1a'
const exampleAddress = '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5'
const exampleAttester = '0x742d35Cc6634C0532925a3b844Bc454e4438f44e'

/** Questions about many records in one request (docs/api.md, "Many at once"). */
export function addManyEndpoints(app: FastifyInstance, context: ApiContext): void {
  addPostEndpoint(app, context, {
    path: '/scan/attestations/status',
    summary: `The status of up to ${manyMax} attestations`,
    description:
      'The statuses are in the order of the ids. `chains` says how far each chain is indexed, and why records or revocations may be missing. The request changes nothing.',
    request: { schema: statusRequest, example: { ids: [exampleId] } },
    rank: 3,
    tool: {
      name: 'attestation_status',
      description:
        'Whether each of many attestations is valid, revoked, expired or unknown (not indexed here). The reason of a chain ' +
        'says why records or revocations may be missing; null where none are.',
    },
    data: attestationStatuses,
    readBody: readStatusBody,
    about: ({ ids, asOf }) => ({
      asOf,
      ...askedByIds(
        ids.map(({ value }) => value),
        'attestation',
      ),
      namesBlocks: true,
    }),
    answer: (body, reader, _values, view) => answerStatuses(context, body, reader, view),
  })
  addPostEndpoint(app, context, {
    path: '/scan/holders',
    summary: `Which of up to ${manyMax} addresses hold a valid attestation under a schema`,
    description:
      'A yes has the newest attestation that counts. The verdict is `unknown` while the index of the chain is older than `maxStaleness`. The request changes nothing.',
    request: {
      schema: holdersRequest,
      example: { addresses: [exampleAddress], schemaId: exampleId, attester: exampleAttester },
    },
    rank: 2,
    tool: {
      name: 'find_holders',
      description:
        'Which of many addresses hold a valid attestation under a schema, by an attester whom the user trusts. The verdict ' +
        'of each is yes, no, or unknown while the index of the chain is behind: unknown is not no. To decide who may pass, ' +
        'ask evaluate_policy.',
    },
    data: holders,
    readBody: readHoldersBody,
    about: ({ schema, asOf }) => ({ asOf, ...askedByIds([schema], 'schema'), isFiltered: true }),
    answer: (body, reader, _values, view) => answerHolders(context, body, reader, view),
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
  context: ApiContext,
  { ids, asOf: asked }: StatusBody,
  reader: PastReader,
  view: View,
): Promise<EndpointAnswer<Shown<typeof attestationStatuses>>> {
  const freshness = await readFreshness(context, view)
  const asOf = await asOfHeader(view, chainsOfIds(ids.map(({ value }) => value)))
  const keys = ids.flatMap(({ value }) => (value.kind === 'known' ? [value.value] : []))
  const { statuses, chains } = await reader.findStatuses(keys, Math.floor(view.now() / 1000))
  let next = 0
  const rows = ids.map(({ text, value }) => {
    const status = value.kind === 'known' ? (statuses[next++] ?? 'unknown') : 'unknown'
    return { id: text, status } as const
  })
  const needed = { maxStaleness: maxStalenessDefault, moment: momentOf(asked) }
  const unknown = keys.filter((_, at) => statuses[at] === null)
  const { records } = askedByIds(unknown.map(asKnown), 'attestation')
  const recordsNotFound = (chainId: ChainId): readonly (NeededRecord | null)[] => {
    const found = records.filter((record) => record.chainId === chainId)
    return [null, ...found.map(({ protocols }) => ({ protocols, isIndexed: false }))]
  }
  const reasonOf = (chainId: ChainId) => {
    if (asked?.kind === 'block' && asked.chainId !== chainId)
      return `asOf names a block of chain ${asked.chainId} alone.`
    const doubts = recordsNotFound(chainId).map((record) => freshness.doubtOf(chainId, { ...needed, record }))
    const doubt = doubts.find((found) => found !== null) ?? null
    return doubt && describeDoubt(chainId, doubt)
  }
  const shown = presentChains(chains, chainsOfIds(ids.map(({ value }) => value)), reasonOf)
  return { data: { rows, chains: shown }, asOf }
}

function asKnown(value: RecordKey): Identified<RecordKey> {
  return { kind: 'known', value }
}

/** The freshness of the chains, read before the rows of the answer. */
async function readFreshness({ reader, freshness }: ApiContext, { version }: View): Promise<IndexFreshness> {
  return await freshness.at(version ?? (await reader.indexVersion()))
}

/** The indexed blocks of the chains, with those that were asked about and are not indexed at all. */
function presentChains(
  indexed: readonly IndexedUpTo[],
  asked: readonly ChainId[],
  reasonOf: (chainId: ChainId) => string | null,
) {
  const known = new Set(indexed.map(({ chainId }) => chainId))
  const missing = asked
    .filter((chainId) => !known.has(chainId))
    .map((chainId) => ({ chainId, indexedBlock: null, indexedTimestamp: null }))
  const rows = [...indexed, ...missing].sort((a, b) => a.chainId - b.chainId)
  return rows.map(({ chainId, ...chain }) => ({
    chainId: String(chainId),
    ...chain,
    reason: reasonOf(chainId),
  }))
}

interface HoldersBody {
  readonly addresses: readonly Sent<Address>[]
  readonly schema: Identified<RecordKey>
  readonly attester: Address | null
  /** Unix seconds; null: now. */
  readonly validAt: number | null
  readonly asOf: AskedMoment | null
  /** The age that the index of the chain may have for a yes or a no, in seconds. */
  readonly maxStaleness: number
}

function readHoldersBody(text: string): HoldersBody {
  const known = ['addresses', 'schemaId', 'protocol', 'attester', 'validAt', 'asOf', 'maxStaleness']
  const sent = readBodyMembers(text, known)
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
    maxStaleness: readMaxStaleness(sent['maxStaleness']),
  }
}

function readMaxStaleness(value: unknown): number {
  if (value === undefined || value === null) return maxStalenessDefault
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value
  const refuse = (_path: unknown, text: string): never => {
    throw new BadParameterError(`maxStaleness ${text}.`)
  }
  return readDuration(value, ['maxStaleness'], refuse) ?? maxStalenessDefault
}

async function answerHolders(
  context: ApiContext,
  body: HoldersBody,
  reader: PastReader,
  view: View,
): Promise<EndpointAnswer<Shown<typeof holders>>> {
  const { schema, addresses, maxStaleness } = body
  const freshness = await readFreshness(context, view)
  const { chains } = await reader.findStatuses([], Math.floor(context.now() / 1000))
  const schemaDoubt =
    schema.kind === 'unknown'
      ? null
      : await findSchemaDoubt(reader, schema.value, (record) =>
          findDoubtOfHolders(freshness, schema.value.chainId, body, record),
        )
  const reasonOf = (chainId: ChainId) => {
    const isAsked = schema.kind === 'known' && schema.value.chainId === chainId
    const doubt = isAsked ? schemaDoubt : findDoubtOfHolders(freshness, chainId, body, null)
    return doubt && describeDoubt(chainId, doubt, `; maxStaleness takes at most ${maxStaleness} s`)
  }
  const asked = chainsOfIds([schema])
  const isKnown = asked.every((chainId) => reasonOf(chainId) === null)
  const held = await findHeld(reader, view.now, body)
  const rows = addresses.map(({ text }, index) => {
    const found = held[index]
    const [key] = found ?? []
    const verdict = !isKnown || found === null ? 'unknown' : key === undefined ? 'no' : 'yes'
    const attestation = key === undefined ? null : formatCompositeId(key)
    return { address: text, attestation, verdict, ...(found === null ? { unknown: tooMany } : {}) } as const
  })
  return { data: { rows, chains: presentChains(chains, asked, reasonOf) } }
}

/** An index that has reached the time `validAt` knows all that counts at that time, whatever its age. */
function findDoubtOfHolders(
  freshness: IndexFreshness,
  chainId: ChainId,
  { asOf, validAt, maxStaleness }: HoldersBody,
  record: NeededRecord | null,
): ChainDoubt | null {
  const now = freshness.doubtOf(chainId, { maxStaleness, moment: momentOf(asOf), record })
  if (validAt === null || now === null) return now
  return freshness.doubtOf(chainId, { maxStaleness, moment: { kind: 'time', at: validAt }, record }) && now
}

const tooMany =
  'The address received more attestations that do not count than one answer may look at; ask for that one by the ' +
  'filters of /scan/attestations.'

async function findHeld(
  reader: PastReader,
  now: ApiContext['now'],
  { addresses, schema, attester, validAt }: HoldersBody,
): ReturnType<PastReader['findHoldings']> {
  if (schema.kind === 'unknown') return []
  const valid: ValidAt =
    validAt === null ? { kind: 'now', at: Math.floor(now() / 1000) } : { kind: 'then', at: validAt }
  try {
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
  } catch (error) {
    if (!(error instanceof StoreTooMuchWorkError)) throw error
    throw new BadParameterError(
      `The attestations of these ${addresses.length} addresses take longer than one answer may; send fewer addresses at a time.`,
      { cause: error },
    )
  }
}
