import type { LocalId, RecordKey } from '../../model/compositeId.ts'
import type { Address } from '../../model/hex.ts'
import type { JsonFragment } from '../../model/recordJson.ts'
import type { SchemaReference, StoredSchema } from '../indexReader.ts'
import type { SqlValue } from './connection.ts'
import type { ReadSession } from './readSession.ts'
import { decodeText } from './textColumn.ts'

/** The columns of a `StoredSchema`, of the table or alias `s`. */
export const schemaColumns =
  's.chain_id, s.local_id, s.protocol, s.summary_json, s.fields_json, s.name, s.description, s.registrant, ' +
  's.register_timestamp, s.revocable, s.max_valid_for, s.resolver, s.raw_text, s.transaction_sender, ' +
  's.attestation_count, s.attester_count, s.sync_at'

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
  revocable: number,
  maxValidFor: string,
  resolver: string,
  rawText: SqlValue,
  transactionSender: string | null,
  attestationCount: number,
  attesterCount: number,
  syncAt: number,
]

export function storedSchemaOfRow(row: SchemaRow): StoredSchema {
  return {
    key: { chainId: row[0], localId: `0x${row[1]}` as LocalId },
    protocol: row[2],
    summaryJson: row[3] as JsonFragment,
    fieldsJson: row[4],
    name: decodeText(row[5]),
    description: decodeText(row[6]),
    registrant: row[7] as Address,
    registerTimestamp: row[8],
    revocable: row[9] === 1,
    maxValidFor: row[10],
    resolver: row[11] as Address,
    rawText: decodeText(row[12]),
    transactionSender: row[13] as Address | null,
    attestationCount: row[14],
    attesterCount: row[15],
    syncAt: row[16],
  }
}

/** The row id of a schema, registered or merely referred to. */
export function findSchemaRow(
  session: ReadSession,
  key: RecordKey,
): { id: number; attestationCount: number } | null {
  const row = session.connection
    .statement<[number, number]>(
      'SELECT id, attestation_count FROM schema WHERE local_id = ? AND chain_id = ?',
    )
    .get(key.localId.slice(2), key.chainId)
  return row === undefined ? null : { id: row[0], attestationCount: row[1] }
}

/** What rows of attestations say of the schema with that row id. */
export function schemaReference(session: ReadSession, schemaId: number): SchemaReference {
  const known = session.schemas.get(schemaId)
  if (known !== undefined) return known
  const row = session.connection
    .statement<[number, string, SqlValue, SqlValue, string | null]>(
      'SELECT chain_id, local_id, name, description, fields_json FROM schema WHERE id = ?',
    )
    .get(schemaId)
  if (row === undefined) throw new Error(`the table of schemas has no row ${schemaId}`)
  const reference: SchemaReference = {
    key: { chainId: row[0], localId: `0x${row[1]}` as LocalId },
    name: decodeText(row[2]),
    description: decodeText(row[3]),
    fieldsJson: row[4] ?? '[]',
  }
  session.schemas.set(schemaId, reference)
  return reference
}
