import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import { listKind } from '../layout/listKinds.ts'
import { perDialect, type Dialect } from '../port/dialect.ts'
import type { SqlValue } from '../port/reads.ts'
import type { StoredKey, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { countAsOf } from './countAsOf.ts'
import { cutColumns, cutOf, cutOfKey, placeOfCut, type Cut } from './cut.ts'
import { firstByProtocol, isRecord, recordKeys } from './recordKeys.ts'
import type { ReadSession } from './session.ts'
import { findSchemas } from './storedSchema.ts'
import { isRevokedAsOf } from './validity.ts'

/** The name of a schema `s` as of the block of the key `k`, as `schemaNames.ts` finds the newest. */
export function schemaNameAsOf(dialect: Dialect): string {
  return (
    `coalesce((SELECT n.name FROM schema_name n ${dialect.drivenJoin} attestation a ON a.id = n.id ` +
    `WHERE n.schema_local_id = s.local_id AND n.id BETWEEN k.first_id AND ${cutOfKey.upTo} ` +
    `AND a.attester_id = s.registrant_id AND a.protocol = s.protocol AND NOT ${isRevokedAsOf('a', cutOfKey)} ` +
    'ORDER BY n.id DESC LIMIT 1), s.definition_name)'
  )
}

type PastRow = [
  protocol: string,
  id: number,
  name: SqlValue,
  context: SqlValue,
  attestedLater: number | boolean,
]

const pastSql = perDialect(
  (dialect) =>
    `SELECT s.protocol, s.id, ${schemaNameAsOf(dialect)}, ` +
    'CASE WHEN s.context IS NULL THEN NULL ELSE coalesce((SELECT m.body FROM metadata m WHERE m.subject = s.local_id ' +
    "AND m.kind = 'schemaContext' AND m.chain_id = s.chain_id AND m.protocol = s.protocol " +
    `AND m.id <= ${cutOfKey.upTo} ORDER BY m.id DESC LIMIT 1), s.context) END, ` +
    'EXISTS (SELECT 1 FROM attestation e WHERE e.schema_id = s.id AND e.attest_timestamp >= k.cut_from ' +
    `AND e.id > ${cutOfKey.upTo}) ` +
    `FROM schema s WHERE ${isRecord(dialect, 's', 'k')} AND ${dialect.flag('s.registered', true)} ` +
    `AND s.position <= k.last_position${firstByProtocol('s')}`,
)

/**
 * The schemas of keys as they were as of a moment, in the order of the keys; null for each that was not registered yet.
 */
export async function findSchemasAsOf(
  session: ReadSession,
  cut: Cut,
  keys: readonly RecordKey[],
): Promise<(StoredSchema | null)[]> {
  const rows = await findRows(session, cut, keys)
  const registered = keys.flatMap((key, index): StoredKey[] => {
    const [protocol] = rows[index] ?? []
    return protocol === undefined ? [] : [{ ...key, protocol }]
  })
  const newest = registered.length === 0 ? [] : await findSchemas(session.connection, registered)
  const next = newest.values()
  const past: (StoredSchema | null)[] = []
  for (const row of rows) {
    const schema = row === undefined ? null : (next.next().value ?? null)
    past.push(row === undefined || schema === null ? null : await schemaOfRow(session, cut, schema, row))
  }
  return past
}

/** Schemas of the newest state, all of which were registered by a moment, as they were then. */
export async function schemasAsOf<Schema extends StoredSchema>(
  session: ReadSession,
  cut: Cut,
  schemas: readonly Schema[],
): Promise<Schema[]> {
  const rows = await findRows(
    session,
    cut,
    schemas.map(({ key }) => key),
  )
  const past: Schema[] = []
  for (const [index, schema] of schemas.entries()) {
    const row = rows[index]
    past.push(row === undefined ? schema : await schemaOfRow(session, cut, schema, row))
  }
  return past
}

async function findRows(
  { connection }: ReadSession,
  cut: Cut,
  keys: readonly RecordKey[],
): Promise<readonly (PastRow | undefined)[]> {
  if (keys.length === 0) return []
  const { from } = await placeOfCut(connection, cut, 'attestation')
  return await connection.firstOf<PastRow>(pastSql(connection.dialect), {
    ...recordKeys(keys),
    ...cutColumns(cut, keys, 'nameTime'),
    last_position: { type: 'int53', values: keys.map(({ chainId }) => cutOf(cut, chainId)?.position ?? -1) },
    cut_from: { type: 'int53', values: keys.map(() => from) },
  })
}

async function schemaOfRow<Schema extends StoredSchema>(
  session: ReadSession,
  cut: Cut,
  schema: Schema,
  [, id, name, context, attestedLater]: PastRow,
): Promise<Schema> {
  const { decodeText } = session.connection.dialect
  const past = { ...schema, name: decodeText(name), context: context === null ? null : decodeText(context) }
  if (!attestedLater) return past
  const list = { kind: listKind.attestationsOfSchema, ownerId: id, scopeId: 0 }
  const attestationCount = await countAsOf(session, cut, { list, count: schema.attestationCount })
  const attesterCount = await countAttesters(session, cut, id, {
    attestations: attestationCount,
    attestersNow: schema.attesterCount,
  })
  return { ...past, attestationCount, attesterCount }
}

/** Attesters that are looked up, or attestations that are read, for one schema. */
const looksMax = 200_000

/**
 * How many attesters a schema had as of a moment: its attestations are read, or its present attesters are looked up,
 * whichever are fewer.
 * @throws StoreTooMuchWorkError if both are too many.
 */
async function countAttesters(
  { connection }: ReadSession,
  cut: Cut,
  schemaId: number,
  { attestations, attestersNow }: { readonly attestations: number; readonly attestersNow: number },
): Promise<number> {
  if (attestations <= 1 || attestersNow <= 1) return Math.min(attestations, attestersNow)
  if (Math.min(attestations, attestersNow) > looksMax) {
    throw new StoreTooMuchWorkError('a schema has too many attesters to be counted as of a block', {
      facts: { rowsMax: looksMax },
    })
  }
  const { dialect } = connection
  const { before, last } = await placeOfCut(connection, cut, 'attestation')
  const upTo = last ?? 2n ** 63n - 1n
  const isMade = 'e.attest_timestamp < ? AND e.id <= ?'
  const row =
    attestations <= attestersNow
      ? await connection.get<[number]>(
          `SELECT count(DISTINCT e.attester_id) FROM ${dialect.walked('attestation', 'e', 'attestation_by_schema')} ` +
            `WHERE e.schema_id = ? AND ${isMade}`,
          schemaId,
          before,
          upTo,
        )
      : await connection.get<[number]>(
          `SELECT count(*) FROM schema_attester x ${dialect.drivenJoin} address d ON d.bytes = x.attester ` +
            `WHERE x.schema_id = ? AND EXISTS (SELECT 1 FROM ` +
            `${dialect.walked('attestation', 'e', 'attestation_by_attester_schema')} ` +
            `WHERE e.attester_id = d.id AND e.schema_id = ? AND ${isMade})`,
          schemaId,
          schemaId,
          before,
          upTo,
        )
  return row?.[0] ?? 0
}
