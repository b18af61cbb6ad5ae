import type { ChainId } from '../../../model/compositeId.ts'
import type { Connection } from '../connection.ts'
import type { ShadowIndex } from './shadowIndex.ts'
import {
  attestationTable,
  chainCounters,
  derivedTables,
  eventTables,
  revocationColumns,
  schemaTable,
  type StoredTable,
} from './storedTables.ts'

/** The rows of the events that were replaced or taken back; both ends of each range are included. */
export interface TouchedRows {
  readonly chainId: ChainId
  readonly positions: readonly (readonly [first: number, last: number])[]
  readonly ids: readonly (readonly [first: bigint, last: bigint])[]
}

/**
 * Puts the shadow in the place of the stored rows that differ from it. Of records whose blocks were not touched, only what
 * other events and rows decide is put in order: what their own text says otherwise than their columns stays, for only the chain can tell
 * which is right, and rows that cannot be read stay as they are.
 */
export async function putInPlace(shadow: ShadowIndex, touched: TouchedRows | null): Promise<void> {
  const { connection, stored } = shadow
  await connection.exec(
    'ANALYZE; SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on',
  )
  await deleteOrphans(shadow)
  if (touched !== null) await replaceTouched(shadow, touched)
  await updateColumns(connection, stored, attestationTable, revocationColumns, 'true')
  await putSchemasInPlace(connection, stored)
  const isReadable = await keepDamaged(shadow)
  for (const table of eventTables) await putTableInPlace(connection, stored, table, isReadable)
  for (const table of derivedTables) {
    if (table.name === 'received') await putReceivedInPlace(connection, stored, table)
    else await putTableInPlace(connection, stored, table, 'true')
  }
  const recent = {
    name: 'recent_block',
    key: ['chain_id', 'number'],
    columns: ['hash', 'parent_hash', 'timestamp'],
  }
  await putTableInPlace(connection, stored, recent, 'true')
  const progress = ['checkpoint_block', 'checkpoint_timestamp', 'rewind_to']
  await updateColumns(connection, stored, chainCounters, [...chainCounters.columns, ...progress], 'true')
  await tellReaders(connection, stored)
}

async function deleteOrphans({ connection, stored }: ShadowIndex): Promise<void> {
  for (const table of ['attestation', 'anchor', 'undecodable']) {
    await connection.exec(
      `DELETE FROM ${stored}.${table} t WHERE NOT EXISTS (SELECT FROM pg_temp.chain c WHERE c.ordinal = t.id >> 53)`,
    )
  }
  await connection.exec(
    `DELETE FROM ${stored}.schema t WHERE NOT EXISTS (SELECT FROM pg_temp.chain c WHERE c.chain_id = t.chain_id)`,
  )
}

/** Rows of the touched blocks become those of the shadow; whoever else held their ids goes. */
async function replaceTouched({ connection, stored }: ShadowIndex, touched: TouchedRows): Promise<void> {
  for (const [first, last] of touched.ids) {
    await connection.run(`DELETE FROM ${stored}.attestation WHERE id BETWEEN ? AND ?`, first, last)
    await connection.run(
      `DELETE FROM ${stored}.attestation s USING pg_temp.attestation e WHERE e.id BETWEEN ? AND ? ` +
        'AND s.local_id = e.local_id AND s.chain_id = e.chain_id',
      first,
      last,
    )
  }
  const columns = [...attestationTable.key, ...attestationTable.columns].join(', ')
  for (const [first, last] of touched.ids) {
    await connection.run(
      `INSERT INTO ${stored}.attestation (${columns}) SELECT ${columns} FROM pg_temp.attestation WHERE id BETWEEN ? AND ?`,
      first,
      last,
    )
  }
  for (const [first, last] of touched.positions) {
    await connection.run(
      `DELETE FROM ${stored}.schema s WHERE s.registered AND s.chain_id = ? AND s.position BETWEEN ? AND ? ` +
        'AND NOT EXISTS (SELECT FROM pg_temp.schema e WHERE e.id = s.id)',
      touched.chainId,
      first,
      last,
    )
    // Whichever of the two has a registration in the touched blocks.
    await updateColumns(
      connection,
      stored,
      schemaTable,
      schemaTable.columns,
      's.chain_id = ? AND (s.position BETWEEN ? AND ? OR e.position BETWEEN ? AND ?)',
      touched.chainId,
      first,
      last,
      first,
      last,
    )
  }
}

/** References come and go with their attestations; names and counts follow from other rows. */
async function putSchemasInPlace(connection: Connection, stored: string): Promise<void> {
  await updateColumns(connection, stored, schemaTable, ['attestation_count', 'attester_count'], 'true')
  // The summary holds the name.
  const isRenamed = 's.registered AND e.registered AND s.name IS DISTINCT FROM e.name'
  await updateColumns(connection, stored, schemaTable, ['name', 'summary_json'], isRenamed)
  await connection.exec(
    `DELETE FROM ${stored}.schema s WHERE NOT registered AND NOT EXISTS (SELECT FROM pg_temp.schema e WHERE e.id = s.id)`,
  )
  const columns = ['id', 'chain_id', 'local_id', ...schemaTable.columns].join(', ')
  await connection.exec(
    `INSERT INTO ${stored}.schema (${columns}) SELECT ${columns} FROM pg_temp.schema e ` +
      `WHERE NOT EXISTS (SELECT FROM ${stored}.schema s WHERE s.id = e.id)`,
  )
}

/** A condition on a stored row `s` that leaves those alone which cannot be read as events. */
async function keepDamaged({ connection, chains }: ShadowIndex): Promise<string> {
  const damaged = chains.flatMap(({ range, damaged: events }) =>
    events.map(({ position }) => `(${BigInt(range.ordinal) << 53n} + ${position})`),
  )
  if (damaged.length === 0) return 'true'
  await connection.exec(
    'CREATE TEMP TABLE damaged_event (id bigint PRIMARY KEY); ' +
      `INSERT INTO pg_temp.damaged_event VALUES ${damaged.join(', ')} ON CONFLICT DO NOTHING`,
  )
  return 'NOT EXISTS (SELECT FROM pg_temp.damaged_event d WHERE d.id = s.id)'
}

/** Makes a table that of the shadow, row by row; rows for which `condition` is false stay. */
async function putTableInPlace(
  connection: Connection,
  stored: string,
  { name, key, columns }: StoredTable,
  condition: string,
): Promise<void> {
  const isSameRow = key.map((column) => `s.${column} = e.${column}`).join(' AND ')
  const all = [...key, ...columns]
  const row = (of: 's' | 'e') => `(${all.map((column) => `${of}.${column}`).join(', ')})`
  await connection.exec(
    `DELETE FROM ${stored}.${name} s WHERE ${condition} AND NOT EXISTS (SELECT FROM pg_temp.${name} e ` +
      `WHERE ${isSameRow} AND ${row('s')} IS NOT DISTINCT FROM ${row('e')})`,
  )
  await connection.exec(
    `INSERT INTO ${stored}.${name} (${all.join(', ')}) SELECT ${all.join(', ')} FROM pg_temp.${name} e ` +
      `WHERE NOT EXISTS (SELECT FROM ${stored}.${name} s WHERE ${isSameRow})`,
  )
}

/** Its rows have no key: where any differs, or stands there twice, all are written anew. */
async function putReceivedInPlace(
  connection: Connection,
  stored: string,
  { key }: StoredTable,
): Promise<void> {
  const columns = key.join(', ')
  const missing = (from: string, other: string) =>
    `EXISTS (SELECT ${columns} FROM ${from}.received EXCEPT ALL SELECT ${columns} FROM ${other}.received)`
  const row = await connection.get<[boolean]>(
    `SELECT ${missing(stored, 'pg_temp')} OR ${missing('pg_temp', stored)}`,
  )
  if (row?.[0] !== true) return
  await connection.exec(
    `DELETE FROM ${stored}.received; ` +
      `INSERT INTO ${stored}.received (${columns}) SELECT ${columns} FROM pg_temp.received`,
  )
}

async function updateColumns(
  connection: Connection,
  stored: string,
  { name, key }: StoredTable,
  columns: readonly string[],
  condition: string,
  ...parameters: readonly number[]
): Promise<void> {
  const row = (of: 's' | 'e') => `(${columns.map((column) => `${of}.${column}`).join(', ')})`
  await connection.run(
    `UPDATE ${stored}.${name} s SET ${columns.map((column) => `${column} = e.${column}`).join(', ')} ` +
      `FROM pg_temp.${name} e WHERE ${key.map((column) => `s.${column} = e.${column}`).join(' AND ')} ` +
      `AND ROW${row('s')} IS DISTINCT FROM ROW${row('e')} AND (${condition})`,
    ...parameters,
  )
}

/** Lets readers drop what they keep: the version moves, that of every hour with it, and the journal says to read anew. */
async function tellReaders(connection: Connection, stored: string): Promise<void> {
  await connection.exec(
    `UPDATE ${stored}.index_state s SET version = s.version + 1, write_count = s.write_count + 1, ` +
      'attestation_count = e.attestation_count, schema_count = e.schema_count, next_address_id = e.next_address_id, ' +
      'next_schema_id = e.next_schema_id FROM pg_temp.index_state e; ' +
      `DELETE FROM ${stored}.hour_version; ` +
      `INSERT INTO ${stored}.hour_version (hour, version) SELECT DISTINCT h.hour, s.version ` +
      `FROM ${stored}.schema_hour h, ${stored}.index_state s; ` +
      `INSERT INTO ${stored}.change (sequence, chain_id) SELECT (SELECT max(sequence) + 1 FROM ${stored}.change), ` +
      `min(chain_id) FROM ${stored}.chain HAVING count(*) > 0`,
  )
}
