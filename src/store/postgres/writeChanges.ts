import type { Changes } from '../layout/changes.ts'
import type { AddressEntry, SchemaEntry } from '../layout/entries.ts'
import { hexBytes } from '../layout/hexColumn.ts'
import type { Connection } from './connection.ts'
import { copyRows } from './copyRows.ts'
import { copyTarget, type CopyValue } from './encodeCopy.ts'
import { updateLists } from './updateLists.ts'
import type { WriterState } from './writerState.ts'
import { copySchemas, writeRegistrations } from './writeSchema.ts'

/**
 * Writes the counters of a transaction and the rank trees of the lists that it moved, one statement a table. Its rows are
 * written already; entries keep their counters and lose their changes.
 */
export async function writeChanges(state: WriterState, changes: Changes): Promise<void> {
  const { connection } = state
  await writeAddresses(connection, [...changes.addresses])
  await writeSchemas(state, [...changes.schemas], changes.sign)
  // Trees are built from rows, so that every row of the transaction must be there before the first of them.
  await updateLists(state, changes)
  state.attestationCount += changes.sign * changes.attestationTimestamps.length
  state.schemaCount += changes.sign * changes.schemaTimestamps.length
  await writeHours(state, changes)
  await writeAnchorCounts(connection, changes)
  await writeAccountAnchors(connection, changes)
  for (const entry of [...changes.addresses, ...changes.schemas]) entry.changes = null
}

/** New rows are appended, which costs a fraction of inserting what may be there. */
async function writeAddresses(connection: Connection, entries: readonly AddressEntry[]): Promise<void> {
  const known = entries.filter(({ isNew }) => !isNew)
  await copyRows(connection, copyTarget('address'), newAddresses(entries))
  if (known.length > 0) {
    await connection.run(
      'UPDATE address a SET schemas_created = u.schemas, created = u.created, received_other = u.other, ' +
        'received_self = u.self FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[]) ' +
        'AS u (id, schemas, created, other, self) WHERE a.id = u.id',
      known.map(({ id }) => id),
      known.map(({ schemasCreated }) => schemasCreated),
      known.map(({ created }) => created),
      known.map(({ receivedOther }) => receivedOther),
      known.map(({ receivedSelf }) => receivedSelf),
    )
  }
  for (const entry of entries) entry.isNew = false
}

function* newAddresses(entries: readonly AddressEntry[]): Generator<readonly CopyValue[]> {
  for (const { isNew, id, address, schemasCreated, created, receivedOther, receivedSelf } of entries) {
    if (isNew) yield [id, hexBytes(address), schemasCreated, created, receivedOther, receivedSelf]
  }
}

async function writeSchemas(
  state: WriterState,
  entries: readonly SchemaEntry[],
  sign: 1 | -1,
): Promise<void> {
  const { connection } = state
  if (entries.length === 0) return
  const moved = await writeAttesters(connection, entries, sign)
  for (const entry of entries) entry.attesterCount += moved.get(entry.id) ?? 0
  const gone = entries.filter((entry) => !entry.registered && entry.attestationCount === 0)
  if (gone.length > 0) {
    await connection.run(
      'DELETE FROM schema WHERE id = ANY(?::bigint[])',
      gone.map(({ id }) => id),
    )
  }
  const kept = entries.filter((entry) => entry.registered || entry.attestationCount > 0)
  const known = kept.filter(({ isNew }) => !isNew)
  await copySchemas(state, kept)
  if (known.length > 0) {
    await connection.run(
      'UPDATE schema s SET attestation_count = u.attestations, attester_count = u.attesters ' +
        'FROM unnest(?::bigint[], ?::bigint[], ?::bigint[]) AS u (id, attestations, attesters) WHERE s.id = u.id ' +
        'AND (s.attestation_count, s.attester_count) <> (u.attestations, u.attesters)',
      known.map(({ id }) => id),
      known.map(({ attestationCount }) => attestationCount),
      known.map(({ attesterCount }) => attesterCount),
    )
  }
  for (const entry of entries) entry.isNew = false
  await writeRegistrations(state, known)
}

/**
 * Writes how many attestations of each attester a transaction brought under each schema, or took away. Answers by how many
 * the attesters of each schema have become more.
 */
async function writeAttesters(
  connection: Connection,
  entries: readonly SchemaEntry[],
  sign: 1 | -1,
): Promise<ReadonlyMap<number, number>> {
  const pairs = entries.flatMap(({ id, changes }) =>
    [...(changes?.attesters ?? [])].map(([attester, count]) => ({ id, attester, count })),
  )
  if (pairs.length === 0) return new Map()
  const columns: readonly [readonly number[], readonly Uint8Array[], readonly number[]] = [
    pairs.map(({ id }) => id),
    pairs.map(({ attester }) => hexBytes(attester.address)),
    pairs.map(({ count }) => count),
  ]
  const rows = await connection.all<[schemaId: number, moved: number]>(
    sign > 0 ? addSql : subtractSql,
    ...columns,
  )
  if (sign < 0) {
    const gone = await connection.all<[number, number]>(removeSql, columns[0], columns[1])
    return new Map(gone)
  }
  return new Map(rows)
}

const attesterRows = 'unnest(?::bigint[], ?::bytea[], ?::bigint[])'

/** A row that was inserted, not updated, has been deleted or locked by no transaction: its `xmax` is 0. */
const addSql =
  `WITH moved AS (INSERT INTO schema_attester AS s (schema_id, attester, count) SELECT * FROM ${attesterRows} ` +
  'ON CONFLICT (schema_id, attester) DO UPDATE SET count = s.count + excluded.count RETURNING s.schema_id, s.xmax = 0 AS is_new) ' +
  'SELECT schema_id, count(*) FROM moved WHERE is_new GROUP BY schema_id'

const subtractSql =
  `UPDATE schema_attester s SET count = s.count - u.count FROM ${attesterRows} AS u (schema_id, attester, count) ` +
  'WHERE s.schema_id = u.schema_id AND s.attester = u.attester'

const removeSql =
  'WITH gone AS (DELETE FROM schema_attester s USING unnest(?::bigint[], ?::bytea[]) AS u (schema_id, attester) ' +
  'WHERE s.schema_id = u.schema_id AND s.attester = u.attester AND s.count = 0 RETURNING s.schema_id) ' +
  'SELECT schema_id, -count(*) FROM gone GROUP BY schema_id'

async function writeHours({ connection, version }: WriterState, changes: Changes): Promise<void> {
  const counts = [...changes.hours].flatMap(([hour, schemas]) =>
    [...schemas].map(([schemaId, count]) => ({ hour, schemaId, count })),
  )
  if (counts.length === 0) return
  await connection.run(
    'INSERT INTO schema_hour AS h (hour, schema_id, count) SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::bigint[]) ' +
      'ON CONFLICT (hour, schema_id) DO UPDATE SET count = h.count + excluded.count',
    counts.map(({ hour }) => hour),
    counts.map(({ schemaId }) => schemaId),
    counts.map(({ count }) => count),
  )
  const hours = [...changes.hours.keys()]
  if (changes.sign < 0) {
    await connection.run('DELETE FROM schema_hour WHERE hour = ANY(?::bigint[]) AND count = 0', hours)
  }
  // The version moves at the end of the transaction, by one.
  await connection.run(
    'INSERT INTO hour_version (hour, version) SELECT hour, ?::bigint FROM unnest(?::bigint[]) AS u (hour) ' +
      'ON CONFLICT (hour) DO UPDATE SET version = excluded.version',
    version + 1,
    hours,
  )
}

async function writeAnchorCounts(connection: Connection, changes: Changes): Promise<void> {
  const { chainId } = changes.chain
  const anchors = [...changes.anchors]
  if (anchors.length === 0) return
  await connection.run(
    'INSERT INTO anchor_count AS a (chain_id, kind, count) SELECT ?::bigint, u.* FROM unnest(?::text[], ?::bigint[]) AS u ' +
      'ON CONFLICT (chain_id, kind) DO UPDATE SET count = a.count + excluded.count',
    chainId,
    anchors.map(([kind]) => kind),
    anchors.map(([, count]) => count),
  )
  if (changes.sign > 0) return
  await connection.run('DELETE FROM anchor_count WHERE chain_id = ? AND count = 0', chainId)
}

async function writeAccountAnchors(connection: Connection, changes: Changes): Promise<void> {
  const { chainId } = changes.chain
  const counts = [...changes.accountAnchors].flatMap(([account, kinds]) =>
    [...kinds].map(([kind, count]) => ({ account, kind, count })),
  )
  if (counts.length === 0) return
  const accounts = counts.map(({ account }) => account)
  await connection.run(
    'INSERT INTO account_anchor AS a (account, chain_id, kind, count) SELECT u.account, ?::bigint, u.kind, u.count ' +
      'FROM unnest(?::text[], ?::text[], ?::bigint[]) AS u (account, kind, count) ' +
      'ON CONFLICT (account, chain_id, kind) DO UPDATE SET count = a.count + excluded.count',
    chainId,
    accounts,
    counts.map(({ kind }) => kind),
    counts.map(({ count }) => count),
  )
  if (changes.sign > 0) return
  await connection.run(
    'DELETE FROM account_anchor WHERE chain_id = ? AND account = ANY(?::text[]) AND count = 0',
    chainId,
    accounts,
  )
}
