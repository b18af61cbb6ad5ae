import type { LocalId, RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import type { SchemaReference, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { perDialect, type Dialect } from '../port/dialect.ts'
import type { Reads, SqlValue } from '../port/reads.ts'
import { firstByProtocol, isRecord, recordKeys, recordParameters } from './recordKeys.ts'
import { cutOf, placeOfCut, type Cut } from './cut.ts'
import type { StatementSession } from './session.ts'

/** The columns of a `StoredSchema`, of the table or alias `s`. */
export const schemaColumns =
  's.chain_id, s.local_id, s.protocol, s.transaction_hash, s.fields_json, s.name, s.description, s.registrant, ' +
  's.register_timestamp, s.revocable, s.max_valid_for, s.resolver, s.raw_text, s.transaction_sender, ' +
  's.attestation_count, s.attester_count, s.sync_at, ' +
  // The rows of protocols without contexts cost no look-up.
  'CASE WHEN s.context IS NULL THEN NULL ELSE coalesce((SELECT m.body FROM metadata m WHERE m.subject = s.local_id ' +
  "AND m.kind = 'schemaContext' AND m.chain_id = s.chain_id AND m.protocol = s.protocol ORDER BY m.id DESC LIMIT 1), " +
  's.context) END, s.payload_fields_json'

export type SchemaRow = [
  chainId: number,
  localId: string,
  protocol: string,
  transactionHash: string,
  fieldsJson: string,
  name: SqlValue,
  description: SqlValue,
  registrant: string,
  registerTimestamp: number,
  revocable: boolean | number,
  maxValidFor: string,
  resolver: string,
  rawText: SqlValue,
  transactionSender: string | null,
  attestationCount: number,
  attesterCount: number,
  syncAt: number,
  context: SqlValue,
  payloadFieldsJson: string | null,
]

export function storedSchemaOfRow({ decodeText }: Dialect, row: SchemaRow): StoredSchema {
  return {
    key: { chainId: row[0], localId: `0x${row[1]}` as LocalId, protocol: row[2] },
    transactionHash: row[3],
    fieldsJson: row[4],
    payloadFieldsJson: row[18] ?? row[4],
    name: decodeText(row[5]),
    description: decodeText(row[6]),
    registrant: row[7] as Address,
    registerTimestamp: row[8],
    revocable: Boolean(row[9]),
    maxValidFor: row[10],
    resolver: row[11] as Address,
    rawText: decodeText(row[12]),
    transactionSender: row[13] as Address | null,
    attestationCount: row[14],
    attesterCount: row[15],
    syncAt: row[16],
    context: row[17] === null ? null : decodeText(row[17]),
  }
}

/** A select of the registered schema with the key of the parameters, or the key `k`. */
function selectByKey(dialect: Dialect, key: '?' | 'k'): string {
  return (
    `SELECT ${schemaColumns} FROM schema s ` +
    `WHERE ${isRecord(dialect, 's', key)} AND ${dialect.flag('s.registered', true)}${firstByProtocol('s')}`
  )
}

const findSql = perDialect((dialect) => `${selectByKey(dialect, '?')} LIMIT 1`)
const findAllSql = perDialect((dialect) => selectByKey(dialect, 'k'))

export async function findSchema(reads: Reads, key: RecordKey): Promise<StoredSchema | null> {
  const { dialect } = reads
  const row = await reads.get<SchemaRow>(findSql(dialect), ...recordParameters(key))
  return row === undefined ? null : storedSchemaOfRow(dialect, row)
}

/** The schemas of these keys, in their order; null for each that is not registered. */
export async function findSchemas(
  reads: Reads,
  keys: readonly RecordKey[],
): Promise<(StoredSchema | null)[]> {
  const { dialect } = reads
  const rows = await reads.firstOf<SchemaRow>(findAllSql(dialect), recordKeys(keys))
  return rows.map((row) => (row === undefined ? null : storedSchemaOfRow(dialect, row)))
}

/** A row of the table of schemas, as filters need it. */
export interface SchemaIdentity {
  readonly id: number
  readonly protocol: string
  readonly attestationCount: number
  readonly attesterCount: number
  /** See layout/fieldState.ts. */
  readonly fieldState: number
  /** Attestations may stand under a schema before it is registered. */
  readonly isRegistered: boolean
  /** The position of its registration; -1 if that is not indexed. */
  readonly position: number
}

/** The row of a schema, registered or merely referred to; a registered one goes before one of another protocol. */
export async function findSchemaRow(
  { connection: reads, cut }: Pick<StatementSession, 'connection' | 'cut'>,
  key: RecordKey,
): Promise<SchemaIdentity | null> {
  if (cut !== null) return await findPastRow(reads, cut, key)
  const first = await findFirstRow(reads, key, '')
  if (first === null || first.isRegistered) return first
  return (await findFirstRow(reads, key, ` AND ${reads.dialect.flag('s.registered', true)}`)) ?? first
}

const identityColumns =
  's.id, s.attestation_count, s.attester_count, s.field_state, s.registered, s.protocol, coalesce(s.position, -1)'

type IdentityRow = [number, number, number, number, SqlValue, string, number]

async function findFirstRow(reads: Reads, key: RecordKey, condition: string): Promise<SchemaIdentity | null> {
  const row = await reads.get<IdentityRow>(
    `SELECT ${identityColumns} FROM schema s ` +
      `WHERE ${isRecord(reads.dialect, 's')}${condition}${firstByProtocol('s')} LIMIT 1`,
    ...recordParameters(key),
  )
  return row === undefined ? null : identityOfRow(row)
}

/** The same as of a moment: a schema that was registered or referred to by then. */
async function findPastRow(reads: Reads, cut: Cut, key: RecordKey): Promise<SchemaIdentity | null> {
  const chain = cutOf(cut, key.chainId)
  if (chain === null) return null
  const { before } = await placeOfCut(reads, cut, 'attestation')
  const isRegistered = `${reads.dialect.flag('s.registered', true)} AND s.position <= ?`
  const isAttested =
    'EXISTS (SELECT 1 FROM attestation e WHERE e.schema_id = s.id AND e.attest_timestamp < ? AND e.id <= ?)'
  const row = await reads.get<IdentityRow>(
    `SELECT ${identityColumns} FROM schema s WHERE ${isRecord(reads.dialect, 's')} ` +
      `ORDER BY CASE WHEN ${isRegistered} THEN 0 WHEN ${isAttested} THEN 1 ELSE 2 END, s.protocol LIMIT 1`,
    ...recordParameters(key),
    chain.position,
    before,
    chain.upTo,
  )
  if (row === undefined) return null
  const schema = identityOfRow(row)
  return { ...schema, isRegistered: schema.isRegistered && schema.position <= chain.position }
}

function identityOfRow(row: IdentityRow): SchemaIdentity {
  const [id, attestationCount, attesterCount, fieldState, registered, protocol, position] = row
  const isRegistered = Boolean(registered)
  return { id, protocol, attestationCount, attesterCount, fieldState, isRegistered, position }
}

/** The schema with a row id as attestations name it, which is remembered. */
export async function findSchemaReference(
  { connection, schemas }: StatementSession,
  schemaId: number,
): Promise<SchemaReference> {
  const row = await connection.get<
    [number, string, string, SqlValue, SqlValue, string | null, string | null]
  >(
    'SELECT chain_id, local_id, protocol, name, description, fields_json, payload_fields_json FROM schema WHERE id = ?',
    schemaId,
  )
  if (row === undefined) throw new Error(`the table of schemas has no row ${schemaId}`)
  const { decodeText } = connection.dialect
  const reference: SchemaReference = {
    key: { chainId: row[0], localId: `0x${row[1]}` as LocalId, protocol: row[2] },
    name: decodeText(row[3]),
    description: decodeText(row[4]),
    fieldsJson: row[5] ?? '[]',
    payloadFieldsJson: row[6] ?? row[5] ?? '[]',
  }
  schemas.set(schemaId, reference)
  return reference
}
