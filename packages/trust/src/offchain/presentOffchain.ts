import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import {
  formatCompositeId,
  formatOffchainId,
  parseCompositeId,
  parseLocalId,
  type RecordKey,
} from '@attestry/core/model/compositeId.ts'
import { parseHash } from '@attestry/core/model/hex.ts'
import { shareTurn, takeTurn } from '@attestry/core/model/threadTurns.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { StoredAnchor, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import {
  isTombstone,
  type OffchainHead,
  type OffchainLengths,
  type StoredOffchain,
} from '../offchainStore/offchainStore.ts'
import type { ApiContext } from '@attestry/server/apiContext.ts'
import { withNames } from '@attestry/server/records/include.ts'
import type { Included } from '@attestry/server/pipeline/parameters/includeParameter.ts'
import type { Shown } from '@attestry/server/records/payloadSchemas.ts'
import {
  decodedLengthMax,
  decodingUsedUp,
  encodedLengthMax,
  presentDecoded,
  type DecodedMembers,
} from '@attestry/server/records/presentDecodedData.ts'
import { decodeOffchain } from './decodeOffchain.ts'
import { parseFields } from '@attestry/core/model/recordJson.ts'
import type {
  offchainRow,
  signSchemaAnswer,
  singleOffchain,
} from '@attestry/server/records/offchainSchemas.ts'
import type { RowMembers } from '@attestry/server/records/offchainRecords.ts'
import type { StorageContext } from './offchainContext.ts'
import { findAnchorTimes } from './findAnchorTimes.ts'
import type { OffchainStorage } from './offchainStorage.ts'

/** Stored off-chain records in the forms of docs/offchain.md, "Reading the store". */

type Entry = StoredOffchain | OffchainHead

/** The members that rows of on-chain attestations have too. */
function summaryOf(entry: Entry) {
  const { id, chainId, localId, signer, madeAt, body } = entry
  return {
    id,
    mode: 'offchain',
    chainType: 'evm',
    chainId: chainId === null ? '' : String(chainId),
    attestationId: localId,
    schemaId: schemaKeyOf(entry)?.localId ?? entry.schemaId ?? '',
    attester: checksumAddress(signer),
    attestTimestamp: String(madeAt),
    recipients: body.recipients,
  } as const
}

/** The key of the on-chain schema of an entry; null for one of Sign Protocol. */
function schemaKeyOf({
  protocol,
  schemaId,
}: Pick<StoredOffchain, 'protocol' | 'schemaId'>): RecordKey | null {
  const parsed = parseCompositeId(schemaId ?? '')
  return parsed.kind === 'record' ? { ...parsed.key, protocol } : null
}

/** The rows of a listing by sequence, without those that were deleted meanwhile. */
export async function presentOffchainRows(
  context: Pick<StorageContext, 'decodePayload' | 'storage' | 'names'>,
  reader: PastReader,
  places: readonly OffchainLengths[],
  { fields, include }: RowMembers,
): Promise<ReadonlyMap<number, Shown<typeof offchainRow>>> {
  const heads = (await context.storage?.store.readHeads(places)) ?? new Map<number, OffchainHead>()
  const entries = places.map(({ sequence }) => heads.get(sequence)).filter((head) => head !== undefined)
  const needsSchema = fields !== null || include.has('decoded')
  const keys = entries.map(schemaKeyOf)
  const known = keys.filter((key) => key !== null)
  const found = needsSchema && known.length > 0 ? await reader.findSchemas(known) : []
  let next = 0
  const schemas = keys.map((key) => (key === null ? null : (found[next++] ?? null)))
  const decoded = include.has('decoded') ? await decodeHeads(context, entries, schemas) : []
  const rows = new Map<number, Shown<typeof offchainRow>>()
  for (const [index, entry] of entries.entries()) {
    const schema = schemas[index] ?? null
    const summary = summaryOf(entry)
    const shownSchema = {
      id: entry.schemaId ?? '',
      schemaId: summary.schemaId,
      name: schema?.name ?? '',
      chainType: 'evm',
      chainId: summary.chainId,
    } as const
    const row = {
      ...summary,
      ...(fields === null ? {} : { schema: shownSchema }),
      ...decoded[index],
      ...(include.has('protocol') ? { protocol: entry.protocol } : {}),
    }
    rows.set(entry.sequence, withNames(include, row, context.names, idsOf(entry)))
    await shareTurn()
  }
  return rows
}

/** The decoded payloads of rows, read one by one, within the limits that rows of a chain have too. */
async function decodeHeads(
  context: Pick<StorageContext, 'decodePayload' | 'storage'>,
  entries: readonly OffchainHead[],
  schemas: readonly (StoredSchema | null)[],
) {
  const members: DecodedMembers[] = []
  let [encoded, decoded] = [0, 0]
  for (const [index, { sequence, bytes }] of entries.entries()) {
    const isBeyond = encoded > 0 && (encoded + bytes > encodedLengthMax || decoded > decodedLengthMax)
    const entry = isBeyond ? null : ((await context.storage?.store.read(sequence)) ?? null)
    if (entry === null) {
      members.push(presentDecoded({ kind: 'undecodable', reason: isBeyond ? decodingUsedUp : deleted }))
      continue
    }
    const shown = decodedMembers(context, entry, schemas[index] ?? null)
    members.push(shown)
    encoded += bytes
    decoded += JSON.stringify(shown).length
    await takeTurn()
  }
  return members
}

const deleted = 'the record was deleted meanwhile'

/** The ids of an entry that have names. */
function idsOf({ schemaId }: Pick<StoredOffchain, 'schemaId'>): readonly string[] {
  return schemaId === null ? [] : [schemaId]
}

function decodedMembers(
  context: Pick<ApiContext, 'decodePayload'>,
  { protocol, body }: StoredOffchain,
  schema: StoredSchema | null,
) {
  return presentDecoded(decodeOffchain(context, protocol, body.payload, schema))
}

/** The status of an entry by its chain, or by a signed revocation. */
export async function findOffchainStatus(reader: PastReader, entry: StoredOffchain) {
  const { protocol, chainId, localId, signer, revocation } = entry
  const uid = parseHash(localId)
  if (chainId === null || uid === null) {
    const signed = revocation && { timestamp: revocation.timestamp, reason: revocation.reason }
    return { timestampedAt: null, revocation: signed }
  }
  const { timestampedAt, revokedAt } = await findAnchorTimes(reader, { chainId, protocol, uid, signer })
  return { timestampedAt, revocation: revokedAt === null ? null : { timestamp: revokedAt, reason: '' } }
}

/** Most anchors that a single record shows. */
const anchorsMax = 100

/** A single record, whole. */
export async function presentOffchain(
  context: ApiContext,
  storage: OffchainStorage,
  reader: PastReader,
  entry: StoredOffchain,
  include: Included,
): Promise<Shown<typeof singleOffchain>> {
  const key = schemaKeyOf(entry)
  const [status, schema, signSchema, anchors, linked, signers] = await Promise.all([
    findOffchainStatus(reader, entry),
    key === null ? null : reader.findSchema(key),
    entry.protocol === 'sign' && entry.schemaId !== null ? storage.store.find(entry.schemaId) : null,
    reader.sliceAnchors({
      filter: { value: entry.localId, kind: null, account: null, chainId: null },
      order: 'newestFirst',
      after: null,
      limit: anchorsMax,
    }),
    linkedId(storage, entry),
    storage.store.signersOf(entry.id),
  ])
  const signed = signSchema === null || isTombstone(signSchema) ? null : readSignSchema(signSchema)
  const summary = summaryOf(entry)
  const { body } = entry
  const record = {
    ...summary,
    transactionHash: '',
    indexingValue: body.indexingValue,
    fullSchemaId: entry.schemaId ?? '',
    linkedAttestation: linked,
    validUntil: body.validUntil,
    data: body.payload,
    dataLocation: 'OFFCHAIN',
    revoked: status.revocation !== null,
    revokeTimestamp: status.revocation === null ? null : String(status.revocation.timestamp),
    revokeReason: status.revocation?.reason ?? null,
    revokeTransactionHash: '',
    schema: {
      id: entry.schemaId ?? '',
      schemaId: summary.schemaId,
      name: schema?.name ?? signed?.name ?? '',
      data: schema === null ? (signed?.data ?? []) : parseFields(schema.fieldsJson),
    },
    timestampedAt: status.timestampedAt,
    anchors: anchors.rows.map(presentAnchor),
    ipfsHash: entry.contentId,
    storedTimestamp: Math.floor(entry.storedAt / 1_000),
    envelope: body.text,
    ...(signers.length > 1 ? { signers: signers.map(checksumAddress) } : {}),
    ...(include.has('decoded') ? decodedMembers(context, entry, schema) : {}),
    ...(include.has('protocol') ? { protocol: entry.protocol } : {}),
  } as const
  return withNames(include, record, context.names, idsOf(entry))
}

function presentAnchor({ kind, protocol, place, account, transactionHash }: StoredAnchor) {
  return {
    type: kind,
    protocol,
    chainId: String(place.chainId),
    account: account === null ? null : checksumAddress(account),
    timestamp: place.timestamp,
    transactionHash,
  }
}

/** The id of what an entry refers to: a stored record, or else a record of the chain; empty for none. */
async function linkedId({ store }: OffchainStorage, { chainId, body }: StoredOffchain): Promise<string> {
  if (chainId === null || body.linked === '') return body.linked
  const offchain = formatOffchainId(chainId, body.linked)
  if ((await store.find(offchain)) !== null) return offchain
  const localId = parseLocalId(body.linked)
  return localId === null ? body.linked : formatCompositeId({ chainId, localId })
}

interface SignSchema {
  readonly name: string
  readonly description: string
  readonly revocable: boolean
  readonly maxValidFor: number
  readonly dataLocation: string
  readonly data: readonly unknown[]
}

/** A schema of Sign Protocol as it was signed. */
function readSignSchema({ body }: StoredOffchain): SignSchema {
  // It was verified when it was stored.
  const { types, ...rest } = JSON.parse(body.payload) as Omit<SignSchema, 'data'> & {
    readonly types: readonly unknown[]
  }
  return { ...rest, data: types }
}

/** A schema as Sign Protocol's client reads it. */
export function presentSignSchema(entry: StoredOffchain): Shown<typeof signSchemaAnswer> {
  const { name, description, revocable, maxValidFor, dataLocation, data } = readSignSchema(entry)
  return {
    id: entry.id,
    mode: 'offchain',
    schemaId: entry.id,
    registrant: checksumAddress(entry.signer),
    registerTimestamp: String(Math.floor(entry.storedAt / 1_000)),
    name,
    description,
    revocable,
    maxValidFor,
    dataLocation,
    resolver: '',
    data,
  }
}
