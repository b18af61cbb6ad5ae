import type { LocalId, RecordKey } from '../../model/compositeId.ts'
import type { Address } from '../../model/hex.ts'
import type { JsonFragment } from '../../model/recordJson.ts'
import { addressOfBytes } from '../layout/hexColumn.ts'
import type { AttestationFields, SchemaReference, StoredAttestation } from '../storedRecords.ts'
import { attestationJson } from '../port/attestationJson.ts'
import { perDialect, type Dialect } from '../port/dialect.ts'
import type { SqlValue } from '../port/reads.ts'
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

/** The columns of a `StoredAttestation` with these fields, of the alias `a` and, through `schemaJoin`, `s`. */
export const attestationColumns = perFields((dialect, fields): string => {
  const { summary, detail } = attestationJson(dialect)
  return (
    'a.chain_id, a.local_id, a.protocol, a.transaction_sender, a.sync_at, a.last_sync_at, a.revoke_timestamp, ' +
    `a.revoke_reason, a.revoke_transaction, ${summary}, ` +
    `${fields.detail ? detail : "''"}, a.schema_id, a.revocable, a.portal, ${fields.detail ? dialect.portalBody('a') : 'NULL'}` +
    (fields.schema && dialect.joinsSchemas ? ', s.local_id, s.name, s.description, s.fields_json' : '')
  )
})

/**
 * The join that brings the schema of each row where the fields ask for one and the dialect joins schemas. Rows are
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
  summaryJson: string,
  detailJson: string,
  schemaId: number,
  revocable: boolean | number | null,
  portal: Uint8Array | null,
  portalBody: SqlValue,
  /** The four columns of a joined schema. */
  ...schema: SqlValue[],
]

/** Every field of an attestation. */
export const wholeRecord: AttestationFields = { detail: true, schema: true }

/** The attestations of rows, in their order. Not a promise where no schema has to be looked up. */
export function storedAttestations(
  session: StatementSession,
  rows: readonly AttestationRow[],
  fields: AttestationFields,
): StoredAttestation[] | Promise<StoredAttestation[]> {
  const attestations: StoredAttestation[] = []
  for (const row of rows) {
    const schema = fields.schema ? knownSchema(session, row) : null
    if (schema === undefined) return afterLookup(session, rows, fields, row[11])
    attestations.push(attestationOfRow(session, row, schema))
  }
  return attestations
}

async function afterLookup(
  session: StatementSession,
  rows: readonly AttestationRow[],
  fields: AttestationFields,
  schemaId: number,
): Promise<StoredAttestation[]> {
  await findSchemaReference(session, schemaId)
  return await storedAttestations(session, rows, fields)
}

/** The schema of a row that is joined or remembered. */
function knownSchema(
  { connection, schemas }: StatementSession,
  row: AttestationRow,
): SchemaReference | undefined {
  const { decodeText, joinsSchemas } = connection.dialect
  if (!joinsSchemas) return schemas.get(row[11])
  return {
    // A schema is of the chain and protocol of its attestations.
    key: { chainId: row[0], localId: `0x${String(row[15])}` as LocalId, protocol: row[2] },
    name: decodeText(row[16] ?? null),
    description: decodeText(row[17] ?? null),
    fieldsJson: String(row[18] ?? '[]'),
  }
}

function attestationOfRow(
  { connection }: StatementSession,
  row: AttestationRow,
  schema: SchemaReference | null,
): StoredAttestation {
  return {
    key: { chainId: row[0], localId: `0x${row[1]}` as LocalId, protocol: row[2] },
    summaryJson: row[9] as JsonFragment,
    detailJson: row[10] as JsonFragment,
    revocation:
      row[6] === null
        ? null
        : {
            timestamp: row[6],
            reason: connection.dialect.decodeText(row[7]),
            transactionHash: row[8] ?? '',
          },
    revocable: row[12] === null ? null : Boolean(row[12]),
    portal: row[13] === null ? null : addressOfBytes(row[13]),
    portalBody: row[14] === null ? null : connection.dialect.decodeText(row[14]),
    transactionSender: row[3] as Address | null,
    syncAt: row[4],
    lastSyncAt: row[5],
    schema,
  }
}

/** A select of the attestation with the key of the parameters, or the key `k`. */
function selectByKey(dialect: Dialect, fields: AttestationFields, key: '?' | 'k'): string {
  return (
    `SELECT ${attestationColumns(dialect, fields)} FROM attestation a${schemaJoin(dialect, fields)} ` +
    `WHERE ${isRecord(dialect, 'a', key)}${firstByProtocol('a')}`
  )
}

const findSql = perDialect((dialect) => `${selectByKey(dialect, wholeRecord, '?')} LIMIT 1`)

const findAllSql = perFields((dialect, fields) => selectByKey(dialect, fields, 'k'))

export async function findAttestation(
  session: StatementSession,
  key: RecordKey,
): Promise<StoredAttestation | null> {
  const { connection } = session
  const row = await connection.get<AttestationRow>(findSql(connection.dialect), ...recordParameters(key))
  if (row === undefined) return null
  return attestationOfRow(
    session,
    row,
    knownSchema(session, row) ?? (await findSchemaReference(session, row[11])),
  )
}

/** The attestations of these keys, in their order; null for each that is not indexed. */
export async function findAttestations(
  session: StatementSession,
  keys: readonly RecordKey[],
  fields: AttestationFields,
): Promise<(StoredAttestation | null)[]> {
  const { connection } = session
  const rows = await connection.firstOf<AttestationRow>(
    findAllSql(connection.dialect, fields),
    recordKeys(keys),
  )
  const found = await storedAttestations(
    session,
    rows.filter((row) => row !== undefined),
    fields,
  )
  const next = found.values()
  return rows.map((row) => (row === undefined ? null : (next.next().value ?? null)))
}
