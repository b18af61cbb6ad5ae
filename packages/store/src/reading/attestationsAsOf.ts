import { recordKeyText, type RecordKey } from '@attestry/core/model/compositeId.ts'
import { settledTimestamp } from '../layout/bornRevocation.ts'
import { perDialect, type Dialect } from '../port/dialect.ts'
import { newestPortalBody } from '../port/newestPortalBody.ts'
import type { SqlValue } from '../port/reads.ts'
import type {
  AttestationFields,
  SchemaReference,
  StoredAttestation,
  StoredKey,
} from '@attestry/core/index/storedRecords.ts'
import { cutColumns, cutOf, cutOfKey, type Cut } from './cut.ts'
import { firstByProtocol, isRecord, recordKeys } from './recordKeys.ts'
import { schemaNameAsOf } from './schemaAsOf.ts'
import type { StatementSession } from './session.ts'
import { claimCounts } from './validity.ts'

/**
 * The ways in which an attestation was revoked as of a block: not at all, as its row says, or by a claim that an event
 * overruled later.
 */
const revokedBy = { nothing: 0, row: 1, claim: 2 } as const

type PastRow = [
  protocol: string,
  revoked: (typeof revokedBy)[keyof typeof revokedBy],
  claimed: string | null,
  transactionHash: string,
  portalBody: SqlValue,
]

const pastSql = perDialect((dialect) => {
  const claim = claimCounts('a', cutOfKey.time)
  const revoked =
    `CASE WHEN a.revoke_timestamp IS NULL THEN ${revokedBy.nothing} ` +
    `WHEN a.revoked_id <= ${cutOfKey.upTo} THEN ${revokedBy.row} ` +
    `WHEN coalesce(${claim}, a.revoked_id IS NULL) ` +
    `THEN CASE WHEN a.revoked_id IS NULL THEN ${revokedBy.row} ELSE ${revokedBy.claim} END ELSE ${revokedBy.nothing} END`
  return (
    `SELECT a.protocol, ${revoked}, (SELECT v.timestamp FROM revocation_claim v WHERE v.id = a.id), ` +
    `${dialect.hex('a.transaction_hash')}, ${newestPortalBody(dialect, 'a', ` AND m.id <= ${cutOfKey.upTo}`)} ` +
    `FROM attestation a WHERE ${isRecord(dialect, 'a', 'k')} AND a.id <= ${cutOfKey.upTo}${firstByProtocol('a')}`
  )
})

/**
 * The attestations of keys as they were as of a moment, in the order of the keys; null for each that was not made yet.
 * @param find finds the newest state of attestations that were made by then.
 */
export async function findAttestationsAsOf(
  session: StatementSession,
  cut: Cut,
  keys: readonly RecordKey[],
  fields: AttestationFields,
  find: (keys: readonly StoredKey[]) => Promise<readonly (StoredAttestation | null)[]>,
): Promise<(StoredAttestation | null)[]> {
  const rows = await findRows(session, cut, keys)
  const made = keys.flatMap((key, index): StoredKey[] => {
    const [protocol] = rows[index] ?? []
    return protocol === undefined ? [] : [{ ...key, protocol }]
  })
  const newest = made.length === 0 ? [] : await find(made)
  const schemas = fields.schema ? await findSchemas(session, cut, newest) : null
  const next = newest.values()
  return rows.map((row) => {
    const attestation = row === undefined ? null : (next.next().value ?? null)
    return row === undefined || attestation === null
      ? null
      : withSchema(asRow(session.connection.dialect, attestation, row), schemas)
  })
}

/** Attestations of the newest state, all of which were made by a moment, as they were then. */
export async function attestationsAsOf(
  session: StatementSession,
  cut: Cut,
  attestations: readonly StoredAttestation[],
  fields: AttestationFields,
): Promise<StoredAttestation[]> {
  const mayDiffer = ({ revocation, portal }: StoredAttestation) =>
    revocation !== null || (fields.detail && portal !== null)
  const asked = attestations.filter(mayDiffer).map(({ key }) => key)
  const [rows, schemas] = await Promise.all([
    findRows(session, cut, asked),
    fields.schema ? findSchemas(session, cut, attestations) : null,
  ])
  const next = rows.values()
  return attestations.map((attestation) => {
    const row = mayDiffer(attestation) ? next.next().value : undefined
    const past = row === undefined ? attestation : asRow(session.connection.dialect, attestation, row)
    return withSchema(past, schemas)
  })
}

function withSchema(
  attestation: StoredAttestation,
  schemas: ReadonlyMap<string, SchemaReference> | null,
): StoredAttestation {
  const { schema } = attestation
  return schema === null
    ? attestation
    : { ...attestation, schema: schemas?.get(recordKeyText(schema.key)) ?? schema }
}

async function findRows(
  { connection }: StatementSession,
  cut: Cut,
  keys: readonly RecordKey[],
): Promise<readonly (PastRow | undefined)[]> {
  if (keys.length === 0) return []
  const columns = {
    ...recordKeys(keys),
    ...cutColumns(cut, keys),
  }
  return await connection.firstOf<PastRow>(pastSql(connection.dialect), columns)
}

function asRow(
  { decodeText }: Pick<Dialect, 'decodeText'>,
  attestation: StoredAttestation,
  [, revoked, claimed, transactionHash, portalBody]: PastRow,
): StoredAttestation {
  const body = portalBody === null || attestation.detail === null ? null : decodeText(portalBody)
  const past = { ...attestation, portalBody: body }
  switch (revoked) {
    case revokedBy.row:
      return past
    case revokedBy.nothing:
      return { ...past, revocation: null, lastSyncAt: null }
    case revokedBy.claim: {
      const timestamp = settledTimestamp(BigInt(claimed ?? 0), attestation.attestTimestamp)
      return { ...past, revocation: { timestamp, reason: '', transactionHash: `0x${transactionHash}` } }
    }
  }
}

/** The schemas of attestations as they were, by their keys. */
async function findSchemas(
  { connection }: StatementSession,
  cut: Cut,
  attestations: readonly (StoredAttestation | null)[],
): Promise<Map<string, SchemaReference>> {
  const references = new Map<string, SchemaReference>()
  for (const attestation of attestations) {
    const schema = attestation?.schema ?? null
    if (schema !== null) references.set(recordKeyText(schema.key), schema)
  }
  const keys = Array.from(references.values(), ({ key }) => key)
  if (keys.length === 0) return references
  const columns = {
    ...recordKeys(keys),
    ...cutColumns(cut, keys, 'nameTime'),
  }
  const rows = await connection.firstOf<[position: number | null, name: SqlValue]>(
    schemaSql(connection.dialect),
    columns,
  )
  for (const [index, reference] of [...references.values()].entries()) {
    const [position = null, name = null] = rows[index] ?? []
    const isRegistered = position !== null && position <= (cutOf(cut, reference.key.chainId)?.position ?? -1)
    references.set(
      recordKeyText(reference.key),
      isRegistered
        ? { ...reference, name: connection.dialect.decodeText(name) }
        : { key: reference.key, name: '', description: '', fieldsJson: '[]', payloadFieldsJson: '[]' },
    )
  }
  return references
}

const schemaSql = perDialect(
  (dialect) =>
    `SELECT s.position, ${schemaNameAsOf(dialect)} FROM schema s WHERE ${isRecord(dialect, 's', 'k')} ` +
    `AND ${dialect.flag('s.registered', true)}${firstByProtocol('s')}`,
)
