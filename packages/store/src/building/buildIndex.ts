import { findChainRow, writeChainRow } from '../writing/chainRow.ts'
import { lockState, type WriterState } from '../writing/writerState.ts'
import type { Tables } from '../port/tables.ts'
import { buildFields } from './buildFields.ts'
import { buildNames } from './buildNames.ts'
import { buildTrees } from './buildTrees.ts'
import type { DerivedTable } from '../port/projection.ts'
import { countedColumns, listCounts, recordTables } from './countTables.ts'

/**
 * Makes everything that follows from loaded events (`loadEvents`): lists, counters, names of schemas, indexes of fields
 * and rank trees. A few statements make each table of the rows of all events. The tables equal those that the writer
 * keeps event by event, except for row ids of fields. They are empty before, and nobody reads them until the transaction
 * ends.
 */
export async function buildIndex(state: WriterState): Promise<void> {
  const { tables } = state
  const { dialect } = tables
  for (const table of recordTables(dialect)) await fill(tables, table)
  for (const { table, key, columns, select } of countedColumns(dialect)) {
    const set = columns.map((column) => `${column} = u.${column}`).join(', ')
    await tables.run(`UPDATE ${table} SET ${set} FROM (${select}) AS u WHERE ${table}.${key} = u.${key}`)
  }
  await countSchemas(tables)
  await countAll(state)
  await tables.gatherStatistics(['address', 'schema', dialect.received('chain'), dialect.received('schema')])
  await fill(tables, listCounts(dialect))
  for (const [chainId] of await tables.all<[number]>('SELECT chain_id FROM chain ORDER BY chain_id')) {
    const chain = await findChainRow(tables, chainId)
    if (chain === null) continue
    await buildNames(tables, chain)
    await buildFields(state, chain)
    await writeChainRow(tables, chain)
  }
  await tables.gatherStatistics(['list_count', 'field_value', 'field_posting'])
  await buildTrees(state)
  for (const { countTables } of state.memory.projections) {
    for (const counts of countTables) {
      await tables.run(`DELETE FROM ${counts.table}`)
      await fill(tables, counts)
    }
  }
}

/** Rows are appended in the order of the key, which the columns begin with. */
function fill(tables: Tables, { table, columns, select }: DerivedTable): Promise<number> {
  const order = columns.map((_, index) => index + 1).join(', ')
  return tables.run(`INSERT INTO ${table} (${columns.join(', ')}) ${select} ORDER BY ${order}`)
}

/** By `update`, which also writes the class of the count in SQLite. */
async function countSchemas(tables: Tables): Promise<void> {
  const counted = tables.batches<[id: number, attestations: number, attesters: number]>(
    'SELECT schema_id, CAST(sum(count) AS bigint), count(*) FROM schema_attester GROUP BY 1 ORDER BY 1',
  )
  for await (const rows of counted) {
    await tables.update(
      'schema',
      ['attestation_count', 'attester_count'],
      rows.map(([id, attestation_count, attester_count]) => ({ id, attestation_count, attester_count })),
    )
  }
}

/** The totals of the index, and the version of every hour: readers keep nothing of before. */
async function countAll(state: WriterState): Promise<void> {
  const { tables } = state
  const stored = await lockState(state)
  const [attestations, schemas] = (await tables.get<[number, number]>(
    'SELECT CAST(coalesce(sum(attestation_count), 0) AS bigint), CAST(coalesce(sum(schema_count), 0) AS bigint) FROM chain',
  )) ?? [0, 0]
  stored.attestationCount = attestations
  stored.schemaCount = schemas
  await tables.run(
    'INSERT INTO hour_version (hour, version) SELECT DISTINCT hour, CAST(? AS bigint) FROM schema_hour',
    stored.version + 1,
  )
}
