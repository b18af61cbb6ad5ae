import type { LocalId, RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Address, Hex } from '@attestry/core/model/hex.ts'
import type { AttestationDetail } from '@attestry/core/model/recordJson.ts'
import type { DataLocation } from '@attestry/core/model/records.ts'
import { addressOfBytes } from '../layout/hexColumn.ts'
import type {
  AttestationFields,
  SchemaReference,
  StoredAttestation,
} from '@attestry/core/index/storedRecords.ts'
import { perDialect, type Dialect } from '../port/dialect.ts'
import type { SqlValue } from '../port/reads.ts'
import { attestationsAsOf, findAttestationsAsOf } from './attestationsAsOf.ts'
import { firstByProtocol, isRecord, recordKeys, recordParameters } from './recordKeys.ts'
import type { WalkedRows } from './rowWalk.ts'
import type { StatementSession } from './session.ts'
import { findSchemaReference } from './storedSchema.ts'

/** Composes a part of statements once for each dialect and each choice of fields. */
function perFields(
  compose: (dialect: Dialect, fields: AttestationFields) => string,
): (dialect: Dialect, fields: AttestationFields) => string {
  const composed = perDialect((dialect) => {
    const parts = (detail: boolean) => ({
      withSchema: compose(dialect, { detail, schema: true }),
      alone: compose(dialect, { detail, schema: false }),
    })
    return { whole: parts(true), summary: parts(false) }
  })
  return (dialect, { detail, schema }) => {
    const { whole, summary } = composed(dialect)
    const parts = detail ? whole : summary
    return schema ? parts.withSchema : parts.alone
  }
}

/** Longer payloads are read one after the other. Strangers choose the length of a payload. */
const shortBytesMax = 8 * 1024

const emptyHex = '0x' as Hex

/** The mark of a payload that is not read with its row, before the number of its bytes. */
const longMark = '#'

function shortPayload({ hex }: Dialect): string {
  // The length of a value is known without reading it.
  return (
    `CASE WHEN octet_length(a.data) <= ${shortBytesMax} THEN ${hex('a.data')} ` +
    `ELSE '${longMark}' || CAST(octet_length(a.data) AS text) END`
  )
}

/** The columns of a `StoredAttestation` with these fields, of the alias `a` and, through `schemaJoin`, `s`. */
export const attestationColumns = perFields((dialect, fields) =>
  columnsWith(dialect, fields, shortPayload(dialect)),
)

function columnsWith(dialect: Dialect, fields: AttestationFields, payload: string): string {
  const { hex, portalBody } = dialect
  return (
    'a.chain_id, a.local_id, a.protocol, a.transaction_sender, a.sync_at, a.last_sync_at, a.revoke_timestamp, ' +
    'a.revoke_reason, a.revoke_transaction, a.schema_id, a.revocable, a.portal, a.schema_local_id, a.attester, ' +
    'a.attest_timestamp, a.recipients_json' +
    (fields.detail
      ? `, ${hex('a.transaction_hash')}, a.indexing_value_json, a.linked_local_id, ` +
        `coalesce(a.exact_valid_until, CAST(a.valid_until AS text)), ${payload}, a.data_location, ${portalBody('a')}`
      : '') +
    (fields.schema && dialect.joinsSchemas
      ? ', s.local_id, s.name, s.description, s.fields_json, s.payload_fields_json'
      : '')
  )
}

/**
 * The join that brings the schema of each row if the fields ask for one and the dialect joins schemas. Rows are
 * never found by their schema here: the column is hidden from the planner.
 */
export function schemaJoin(dialect: Dialect, fields: AttestationFields): string {
  if (!fields.schema || !dialect.joinsSchemas) return ''
  return ` JOIN schema s ON s.id = ${dialect.hidden('a.schema_id', 'integer')}`
}

/** The rows of a walk as `AttestationRow`. A dialect that reads rows in the walk joins no schema. */
export function attestationRows(dialect: Dialect, fields: AttestationFields): WalkedRows {
  return {
    columns: attestationColumns(dialect, fields),
    joined: `attestation a ON a.id = m.o${schemaJoin(dialect, fields)}`,
    inWalk: dialect.readsRowsInWalk,
  }
}

export type AttestationRow = [
  chainId: number,
  localId: string,
  protocol: string,
  transactionSender: string | null,
  syncAt: number,
  lastSyncAt: number | null,
  revokeTimestamp: string | null,
  revokeReason: SqlValue,
  revokeTransaction: string | null,
  schemaId: number,
  revocable: boolean | number | null,
  portal: Uint8Array | null,
  schemaLocalId: string,
  attester: string,
  attestTimestamp: number,
  recipientsJson: string,
  /** The columns of the detail, and of a joined schema. */
  ...more: SqlValue[],
]

const detailAt = 16

const detailColumns = 7

/** Every field of an attestation. */
export const wholeRecord: AttestationFields = { detail: true, schema: true }

/** The attestations of rows, in their order. As of a moment, the rows are of attestations that were made by then. */
export async function storedAttestations(
  session: StatementSession,
  rows: readonly AttestationRow[],
  fields: AttestationFields,
): Promise<StoredAttestation[]> {
  const newest = await newestAttestations(session, rows, fields)
  return session.cut === null ? newest : await attestationsAsOf(session, session.cut, newest, fields)
}

async function newestAttestations(
  session: StatementSession,
  rows: readonly AttestationRow[],
  fields: AttestationFields,
): Promise<StoredAttestation[]> {
  const attestations: StoredAttestation[] = []
  for (const row of rows) {
    const schema = fields.schema
      ? (knownSchema(session, row, fields) ?? (await findSchemaReference(session, row[9])))
      : null
    attestations.push(attestationOfRow(session.connection.dialect, row, fields, schema))
  }
  return fields.detail ? await withLongPayloads(session, attestations, fields) : attestations
}

/** The same attestations, with their long payloads as far as the fields ask for them. */
async function withLongPayloads(
  { connection }: StatementSession,
  attestations: StoredAttestation[],
  { payloadBytesMax = Infinity }: AttestationFields,
): Promise<StoredAttestation[]> {
  if (payloadBytesMax === 0) return attestations
  let read = 0
  for (const [index, attestation] of attestations.entries()) {
    const { key, detail, unreadBytes } = attestation
    if (unreadBytes === undefined || detail === null) continue
    if (read > 0 && read + unreadBytes > payloadBytesMax) continue
    const row = await connection.get<[string]>(payloadSql(connection.dialect), ...recordParameters(key))
    const { unreadBytes: _read, ...rest } = attestation
    attestations[index] = { ...rest, detail: { ...detail, data: `0x${row?.[0] ?? ''}` as Hex } }
    read += unreadBytes
  }
  return attestations
}

const payloadSql = perDialect(
  (dialect) => `SELECT ${dialect.hex('a.data')} FROM attestation a WHERE ${isRecord(dialect, 'a')}`,
)

/** The rows before the first whose payload was not read, if there is one. */
export function untilUnread<Row extends Pick<StoredAttestation, 'unreadBytes'>>(
  rows: readonly Row[],
): readonly Row[] {
  const first = rows.findIndex(({ unreadBytes }) => unreadBytes !== undefined)
  return first === -1 ? rows : rows.slice(0, first)
}

/** The schema of a row that is joined or remembered. */
function knownSchema(
  { connection, schemas }: StatementSession,
  row: AttestationRow,
  { detail }: AttestationFields,
): SchemaReference | undefined {
  const { decodeText, joinsSchemas } = connection.dialect
  if (!joinsSchemas) return schemas.get(row[9])
  const at = detail ? detailAt + detailColumns : detailAt
  return {
    // A schema is of the chain and protocol of its attestations.
    key: { chainId: row[0], localId: `0x${String(row[at])}` as LocalId, protocol: row[2] },
    name: decodeText(row[at + 1] ?? null),
    description: decodeText(row[at + 2] ?? null),
    fieldsJson: String(row[at + 3] ?? '[]'),
    payloadFieldsJson: String(row[at + 4] ?? row[at + 3] ?? '[]'),
  }
}

/** The attestation of a row that was read with these fields. */
export function attestationOfRow(
  { decodeText }: Pick<Dialect, 'decodeText'>,
  row: AttestationRow,
  fields: AttestationFields,
  schema: SchemaReference | null,
): StoredAttestation {
  const portalBody = (fields.detail ? row[detailAt + 6] : null) ?? null
  const data = fields.detail ? String(row[detailAt + 4]) : ''
  return {
    key: { chainId: row[0], localId: `0x${row[1]}` as LocalId, protocol: row[2] },
    schemaId: `0x${row[12]}` as LocalId,
    attester: `0x${row[13]}`,
    attestTimestamp: row[14],
    recipientsJson: row[15],
    detail: fields.detail ? detailOfRow(row) : null,
    ...(data.startsWith(longMark) ? { unreadBytes: Number(data.slice(longMark.length)) } : {}),
    revocation:
      row[6] === null
        ? null
        : { timestamp: row[6], reason: decodeText(row[7]), transactionHash: row[8] ?? '' },
    revocable: row[10] === null ? null : Boolean(row[10]),
    portal: row[11] === null ? null : addressOfBytes(row[11]),
    portalBody: portalBody === null ? null : decodeText(portalBody),
    transactionSender: row[3] as Address | null,
    syncAt: row[4],
    lastSyncAt: row[5],
    schema,
  }
}

/** The statement selects these columns, of the types that the table has. */
function detailOfRow(row: AttestationRow): AttestationDetail {
  const data = row[detailAt + 4] as string
  const linkedLocalId = row[detailAt + 2] as string | null
  return {
    transactionHash: `0x${row[detailAt] as string}`,
    indexingValueJson: row[detailAt + 1] as string,
    linkedAttestation: linkedLocalId === null ? null : (`0x${linkedLocalId}` as LocalId),
    validUntil: row[detailAt + 3] as string,
    data: data.startsWith(longMark) ? emptyHex : (`0x${data}` as Hex),
    dataLocation: row[detailAt + 5] as DataLocation,
  }
}

/** A select of the attestation with the key of the parameters, or the key `k`. */
function selectByKey(dialect: Dialect, fields: AttestationFields, key: '?' | 'k'): string {
  // One record is read with its payload: telling a long one apart costs more than the whole row.
  const payload = key === '?' ? dialect.hex('a.data') : shortPayload(dialect)
  return (
    `SELECT ${columnsWith(dialect, fields, payload)} FROM attestation a${schemaJoin(dialect, fields)} ` +
    `WHERE ${isRecord(dialect, 'a', key)}${firstByProtocol('a')}`
  )
}

const findSql = perDialect((dialect) => `${selectByKey(dialect, wholeRecord, '?')} LIMIT 1`)

const findAllSql = perFields((dialect, fields) => selectByKey(dialect, fields, 'k'))

export async function findAttestation(
  session: StatementSession,
  key: RecordKey,
): Promise<StoredAttestation | null> {
  const { cut } = session
  if (cut === null) return await findNewest(session, key)
  const find = async ([made = key]: readonly RecordKey[]) => [await findNewest(session, made)]
  const [past = null] = await findAttestationsAsOf(session, cut, [key], wholeRecord, find)
  return past
}

async function findNewest(session: StatementSession, key: RecordKey): Promise<StoredAttestation | null> {
  const { connection } = session
  const row = await connection.get<AttestationRow>(findSql(connection.dialect), ...recordParameters(key))
  if (row === undefined) return null
  const schema = knownSchema(session, row, wholeRecord) ?? (await findSchemaReference(session, row[9]))
  return attestationOfRow(connection.dialect, row, wholeRecord, schema)
}

/** The attestations of these keys, in their order; null for each that is not indexed. */
export async function findAttestations(
  session: StatementSession,
  keys: readonly RecordKey[],
  fields: AttestationFields,
): Promise<(StoredAttestation | null)[]> {
  const { cut } = session
  const find = (made: readonly RecordKey[]) => findAllNewest(session, made, fields)
  return cut === null ? await find(keys) : await findAttestationsAsOf(session, cut, keys, fields, find)
}

async function findAllNewest(
  session: StatementSession,
  keys: readonly RecordKey[],
  fields: AttestationFields,
): Promise<(StoredAttestation | null)[]> {
  const { connection } = session
  const rows = await connection.firstOf<AttestationRow>(
    findAllSql(connection.dialect, fields),
    recordKeys(keys),
  )
  const found = await newestAttestations(
    session,
    rows.filter((row) => row !== undefined),
    fields,
  )
  const next = found.values()
  return rows.map((row) => (row === undefined ? null : (next.next().value ?? null)))
}
