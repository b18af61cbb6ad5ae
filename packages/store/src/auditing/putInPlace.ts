import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { SqlInput } from '../port/reads.ts'
import { revocationColumns } from '../writing/newRows.ts'
import {
  attestationTable,
  chainCounters,
  comparedTable,
  derivedTables,
  eventTables,
  rootTables,
  schemaDerivedColumns,
  schemaTable,
  specOf,
  type ComparedTable,
} from './comparedTables.ts'
import { copySql, type ShadowIndex } from './shadowIndex.ts'

/** The rows of the events that were replaced or reverted; both ends of each range are included. */
export interface TouchedRows {
  readonly chainId: ChainId
  readonly positions: readonly (readonly [first: number, last: number])[]
  readonly ids: readonly (readonly [first: bigint, last: bigint])[]
}

/**
 * Replaces the stored rows that differ from the shadow by those of the shadow. Of records whose blocks were not
 * touched, only the columns change that follow from other events and rows. If a record's text contradicts its columns,
 * only the chain can tell which is right. Rows that cannot be read stay as they are.
 */
export async function putInPlace(shadow: ShadowIndex, touched: TouchedRows | null): Promise<void> {
  const { layout } = shadow
  await deleteOrphans(shadow)
  if (touched !== null) await replaceTouched(shadow, touched)
  await updateColumns(shadow, attestationTable(layout), revocationColumns, 'true')
  await putSchemasInPlace(shadow)
  const isReadable = await keepDamaged(shadow)
  for (const table of eventTables(layout)) await putTableInPlace(shadow, table, isReadable)
  for (const table of derivedTables(layout)) {
    await (table.isUnique ? putTableInPlace(shadow, table, 'true') : replaceTable(shadow, table))
  }
  for (const name of ['recent_block', 'chain_digest']) {
    await putTableInPlace(shadow, comparedTable(layout, name), 'true')
  }
  const progress = ['checkpoint_block', 'checkpoint_timestamp', 'rewind_to', 'next_field_id']
  await updateColumns(shadow, chainCounters, [...chainCounters.columns, ...progress], 'true')
  await shadow.rebuildBesides()
  await putStateInPlace(shadow)
  await tellReaders(shadow)
}

async function deleteOrphans({ tables, stored, shadow }: ShadowIndex): Promise<void> {
  for (const table of rootTables) {
    await tables.run(
      `DELETE FROM ${stored}.${table} AS t ` +
        `WHERE NOT EXISTS (SELECT 1 FROM ${shadow}.chain c WHERE c.ordinal = t.id >> 53)`,
    )
  }
  await tables.run(
    `DELETE FROM ${stored}.schema AS t ` +
      `WHERE NOT EXISTS (SELECT 1 FROM ${shadow}.chain c WHERE c.chain_id = t.chain_id)`,
  )
}

/** Makes the rows of the touched blocks those of the shadow, and deletes other rows that hold their keys. */
async function replaceTouched(index: ShadowIndex, touched: TouchedRows): Promise<void> {
  const { tables, stored, shadow, layout } = index
  for (const [first, last] of touched.ids) {
    await tables.run(`DELETE FROM ${stored}.attestation WHERE id BETWEEN ? AND ?`, first, last)
    await tables.run(
      `DELETE FROM ${stored}.attestation WHERE id IN (SELECT s.id FROM ${shadow}.attestation e ` +
        `JOIN ${stored}.attestation s ON s.local_id = e.local_id AND s.chain_id = e.chain_id AND s.protocol = e.protocol ` +
        'WHERE e.id BETWEEN ? AND ?)',
      first,
      last,
    )
  }
  const copy = copySql(layout, 'attestation', shadow, stored, 'r.id BETWEEN ? AND ?')
  for (const [first, last] of touched.ids) await tables.run(copy, first, last)
  const schema = schemaTable(layout)
  for (const [first, last] of touched.positions) {
    await tables.run(
      `DELETE FROM ${stored}.schema AS s WHERE ${tables.dialect.flag('s.registered', true)} AND s.chain_id = ? ` +
        `AND s.position BETWEEN ? AND ? AND NOT EXISTS (SELECT 1 FROM ${shadow}.schema e WHERE e.id = s.id)`,
      touched.chainId,
      first,
      last,
    )
    // Either of the two rows may have a registration in the touched blocks.
    await updateColumns(
      index,
      schema,
      schema.columns,
      's.chain_id = ? AND (s.position BETWEEN ? AND ? OR e.position BETWEEN ? AND ?)',
      [touched.chainId, first, last, first, last],
    )
  }
}

/** References come and go with their attestations; names and counts follow from other rows. */
async function putSchemasInPlace(index: ShadowIndex): Promise<void> {
  const { tables, stored, shadow, layout } = index
  const schema = schemaTable(layout)
  await updateColumns(index, schema, ['attestation_count', 'attester_count'], 'true')
  const own = schemaDerivedColumns(layout).filter((column) => !['name', ...countColumns].includes(column))
  if (own.length > 0) await updateColumns(index, schema, own, 's.registered = e.registered')
  // The summary holds the name.
  const isRenamed =
    `${tables.dialect.flag('s.registered', true)} AND ${tables.dialect.flag('e.registered', true)} ` +
    'AND s.name IS DISTINCT FROM e.name'
  await updateColumns(index, schema, ['name', 'summary_json'], isRenamed)
  await tables.run(
    `DELETE FROM ${stored}.schema AS s WHERE NOT registered ` +
      `AND NOT EXISTS (SELECT 1 FROM ${shadow}.schema e WHERE e.id = s.id)`,
  )
  const isMissing = `NOT EXISTS (SELECT 1 FROM ${stored}.schema s WHERE s.id = r.id)`
  await tables.run(copySql(layout, 'schema', shadow, stored, isMissing))
}

const countColumns = ['attestation_count', 'attester_count']

/** Returns a condition on a stored row `s` that is false of events that cannot be read. */
async function keepDamaged({ tables, chains }: ShadowIndex): Promise<string> {
  const damaged = chains.flatMap(({ range, damaged: events }) =>
    events.map(({ position }) => (BigInt(range.ordinal) << 53n) + BigInt(position)),
  )
  if (damaged.length === 0) return 'true'
  await tables.run('CREATE TEMP TABLE damaged_event (id bigint PRIMARY KEY)')
  for (const id of damaged)
    await tables.run('INSERT INTO damaged_event VALUES (?) ON CONFLICT DO NOTHING', id)
  return 'NOT EXISTS (SELECT 1 FROM damaged_event d WHERE d.id = s.id)'
}

/** Makes a table that of the shadow, row by row; rows for which `condition` is false stay. */
async function putTableInPlace(
  { tables, stored, shadow, layout }: ShadowIndex,
  { name, key, columns }: ComparedTable,
  condition: string,
): Promise<void> {
  const isSameKey = key.map((column) => `s.${column} = r.${column}`).join(' AND ')
  const row = (of: 's' | 'r') => `(${[...key, ...columns].map((column) => `${of}.${column}`).join(', ')})`
  await tables.run(
    `DELETE FROM ${stored}.${name} AS s WHERE ${condition} AND NOT EXISTS (SELECT 1 FROM ${shadow}.${name} r ` +
      `WHERE ${isSameKey} AND ${row('s')} IS NOT DISTINCT FROM ${row('r')})`,
  )
  const isMissing = `NOT EXISTS (SELECT 1 FROM ${stored}.${name} s WHERE ${isSameKey})`
  await tables.run(copySql(layout, name, shadow, stored, isMissing))
}

/** Writes all rows of a table without a key anew, if any differs or occurs another number of times. */
async function replaceTable(
  { tables, stored, shadow, layout }: ShadowIndex,
  { name, key }: ComparedTable,
): Promise<void> {
  const columns = key.join(', ')
  const counted = (schema: string) => `SELECT ${columns}, count(*) FROM ${schema}.${name} GROUP BY ${columns}`
  for (const [one, other] of [
    [stored, shadow],
    [shadow, stored],
  ] as const) {
    const differing = `SELECT 1 FROM (${counted(one)} EXCEPT ${counted(other)}) AS d LIMIT 1`
    if ((await tables.get(differing)) === undefined) continue
    await tables.run(`DELETE FROM ${stored}.${name}`)
    await tables.run(copySql(layout, name, shadow, stored, 'true'))
    return
  }
}

async function updateColumns(
  { tables, stored, shadow }: ShadowIndex,
  { name, key }: ComparedTable,
  columns: readonly string[],
  condition: string,
  parameters: readonly SqlInput[] = [],
): Promise<void> {
  const row = (of: 's' | 'e') => `(${columns.map((column) => `${of}.${column}`).join(', ')})`
  await tables.run(
    `UPDATE ${stored}.${name} AS s SET ${columns.map((column) => `${column} = e.${column}`).join(', ')} ` +
      `FROM ${shadow}.${name} AS e WHERE ${key.map((column) => `s.${column} = e.${column}`).join(' AND ')} ` +
      `AND ${row('s')} IS DISTINCT FROM ${row('e')} AND (${condition})`,
    ...parameters,
  )
}

/**
 * Makes the row of the state that of the shadow, and moves the version. If the row is lost, the version becomes greater
 * than any that the lost row can have had: the journal is numbered from the milliseconds of its beginning.
 */
async function putStateInPlace({ tables, stored, shadow, layout }: ShadowIndex): Promise<void> {
  const { key, columns } = specOf(layout, 'index_state')
  const [guard = ''] = key
  const moving: readonly string[] = ['version', 'write_count'].filter((column) =>
    Object.hasOwn(columns, column),
  )
  const copied = Object.keys(columns).filter((column) => !moving.includes(column))
  await tables.run(
    `DELETE FROM ${stored}.index_state WHERE ${guard} IS DISTINCT FROM (SELECT ${guard} FROM ${shadow}.index_state) ` +
      `AND (SELECT count(*) FROM ${stored}.index_state) > 1`,
  )
  const changed = await tables.run(
    `UPDATE ${stored}.index_state SET ${moving.map((column) => `${column} = ${column} + 1`).join(', ')}, ` +
      copied.map((column) => `${column} = (SELECT e.${column} FROM ${shadow}.index_state e)`).join(', '),
  )
  if (changed > 0) return
  const newest = `(SELECT coalesce(max(sequence), 0) + 1 FROM ${stored}.change)`
  await tables.run(
    `INSERT INTO ${stored}.index_state (${[...moving, ...copied].join(', ')}) ` +
      `SELECT ${[...moving.map(() => newest), ...copied].join(', ')} FROM ${shadow}.index_state`,
  )
}

/** Makes readers forget what they remember: the version of every hour moves, and the journal says to read anew. */
async function tellReaders({ tables, stored }: ShadowIndex): Promise<void> {
  await tables.run(`DELETE FROM ${stored}.hour_version`)
  await tables.run(
    `INSERT INTO ${stored}.hour_version (hour, version) SELECT DISTINCT h.hour, s.version ` +
      `FROM ${stored}.schema_hour h CROSS JOIN ${stored}.index_state s`,
  )
  await tables.run(
    `INSERT INTO ${stored}.change (sequence, chain_id) SELECT (SELECT coalesce(max(sequence), 0) + 1 FROM ${stored}.change), ` +
      `min(chain_id) FROM ${stored}.chain HAVING count(*) > 0`,
  )
}
