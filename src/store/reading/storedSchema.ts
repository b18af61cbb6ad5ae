import type { LocalId, RecordKey } from '../../model/compositeId.ts'
import type { Address } from '../../model/hex.ts'
import type { JsonFragment } from '../../model/recordJson.ts'
import type { SchemaReference, StoredSchema } from '../indexReader.ts'
import { perDialect, type Dialect } from '../port/dialect.ts'
import type { Reads, SqlValue } from '../port/reads.ts'
import { isRecord, recordKeys } from './recordKeys.ts'
import type { StatementSession } from './session.ts'

/** The columns of a `StoredSchema`, of the table or alias `s`. */
export const schemaColumns =
  's.chain_id, s.local_id, s.protocol, s.summary_json, s.fields_json, s.name, s.description, s.registrant, ' +
  's.register_timestamp, s.revocable, s.max_valid_for, s.resolver, s.raw_text, s.transaction_sender, ' +
  's.attestation_count, s.attester_count, s.sync_at, s.context'

export type SchemaRow = [
  chainId: number,
  localId: string,
  protocol: string,
  summaryJson: string,
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
]

export function storedSchemaOfRow({ decodeText }: Dialect, row: SchemaRow): StoredSchema {
  return {
    key: { chainId: row[0], localId: `0x${row[1]}` as LocalId },
    protocol: row[2],
    summaryJson: row[3] as JsonFragment,
    fieldsJson: row[4],
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

/** A select of the registered schema with the key that two expressions hold. */
function selectByKey(dialect: Dialect, localId: string, chainId: string): string {
  return (
    `SELECT ${schemaColumns} FROM schema s ` +
    `WHERE ${isRecord(dialect, 's', localId, chainId)} AND ${dialect.flag('s.registered', true)}`
  )
}

const findSql = perDialect((dialect) => selectByKey(dialect, '?', '?'))

export async function findSchema(reads: Reads, key: RecordKey): Promise<StoredSchema | null> {
  const { dialect } = reads
  const row = await reads.get<SchemaRow>(findSql(dialect), key.localId.slice(2), key.chainId)
  return row === undefined ? null : storedSchemaOfRow(dialect, row)
}

/** The schemas of these keys, in their order; null for each that is not registered. */
export async function findSchemas(
  reads: Reads,
  keys: readonly RecordKey[],
): Promise<(StoredSchema | null)[]> {
  const { dialect } = reads
  const rows = await dialect.findByKeys<SchemaRow>(
    reads,
    recordKeys(keys),
    selectByKey(dialect, 'k.local_id', 'k.chain_id'),
  )
  return rows.map((row) => (row === undefined ? null : storedSchemaOfRow(dialect, row)))
}

/** The row id of a schema, registered or merely referred to. */
export async function findSchemaRow(
  reads: Reads,
  key: RecordKey,
): Promise<{
  readonly id: number
  readonly attestationCount: number
  readonly attesterCount: number
  /** See layout/fieldState.ts. */
  readonly fieldState: number
  /** Attestations may stand under a schema before it is registered. */
  readonly isRegistered: boolean
} | null> {
  const row = await reads.get<[number, number, number, number, SqlValue]>(
    `SELECT id, attestation_count, attester_count, field_state, registered FROM schema WHERE local_id = ? AND ${reads.dialect.chainOfKey('chain_id')} = ?`,
    key.localId.slice(2),
    key.chainId,
  )
  if (row === undefined) return null
  const [id, attestationCount, attesterCount, fieldState, registered] = row
  return { id, attestationCount, attesterCount, fieldState, isRegistered: Boolean(registered) }
}

/** The schema with a row id as attestations name it, which is remembered. */
export async function findSchemaReference(
  { connection, schemas }: StatementSession,
  schemaId: number,
): Promise<SchemaReference> {
  const row = await connection.get<[number, string, SqlValue, SqlValue, string | null]>(
    'SELECT chain_id, local_id, name, description, fields_json FROM schema WHERE id = ?',
    schemaId,
  )
  if (row === undefined) throw new Error(`the table of schemas has no row ${schemaId}`)
  const { decodeText } = connection.dialect
  const reference: SchemaReference = {
    key: { chainId: row[0], localId: `0x${row[1]}` as LocalId },
    name: decodeText(row[2]),
    description: decodeText(row[3]),
    fieldsJson: row[4] ?? '[]',
  }
  schemas.set(schemaId, reference)
  return reference
}
