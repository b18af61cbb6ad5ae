import type { Connection } from '../connection.ts'
import { updateDayCounts } from '../dayCounts.ts'
import { updateRankTree } from '../rankTree.ts'
import { buildParts } from '../writeChanges.ts'
import { countClassBounds, exactClassMax } from '../../layout/countClass.ts'
import { type RankList, addressRoles, kindsOfRole, listKind } from '../../layout/listKinds.ts'

/**
 * Everything that is counted of the records, worked out from them anew. The tables below are filled under their own names: on
 * a connection where temporary tables of these names exist, those are filled, since SQLite finds them first. So the same code
 * rebuilds what is stored and makes what it is compared with.
 */

/** A table that holds nothing but counts of records: its key, and what it says of it. */
export interface AggregateTable {
  readonly name: string
  readonly key: readonly string[]
  readonly value: string
}

export const aggregateTables: readonly AggregateTable[] = [
  { name: 'schema_hour', key: ['hour', 'schema_id'], value: 'count' },
  { name: 'schema_attester', key: ['schema_id', 'attester'], value: 'count' },
  {
    name: 'protocol_count',
    key: ['chain_id', 'protocol'],
    value:
      "schema_count || ' schemas, ' || attestation_count || ' attestations, ' || revocation_count || ' revoked'",
  },
  {
    name: 'protocol_day',
    key: ['chain_id', 'protocol', 'day'],
    value: "schema_count || ' schemas, ' || attestation_count || ' attestations'",
  },
  { name: 'anchor_count', key: ['chain_id', 'kind'], value: 'count' },
  { name: 'account_anchor', key: ['account', 'chain_id', 'kind'], value: 'count' },
  { name: 'list_count', key: ['kind', 'owner_id', 'scope_id'], value: 'count' },
  { name: 'rank_node', key: ['kind', 'owner_id', 'scope_id', 'level', 'prefix'], value: 'hex(counts)' },
]

/** Counters that stand in rows of their subjects: `temp.expected_…` holds what they should be. */
export interface CounterColumns {
  readonly table: string
  readonly id: string
  readonly columns: readonly string[]
}

export const counterColumns: readonly CounterColumns[] = [
  {
    table: 'address',
    id: 'id',
    columns: ['schemas_created', 'created', 'received_other', 'received_self'],
  },
  { table: 'schema', id: 'id', columns: ['attestation_count', 'attester_count', 'count_class'] },
  {
    table: 'chain',
    id: 'ordinal',
    columns: ['schema_count', 'attestation_count', 'revocation_count', 'undecodable_count'],
  },
  { table: 'index_state', id: 'only', columns: ['attestation_count', 'schema_count'] },
]

const expectedQueries: Readonly<Record<string, string>> = {
  address:
    'SELECT id, sum(s), sum(c), sum(o), sum(f) FROM (' +
    'SELECT id, 0 AS s, 0 AS c, 0 AS o, 0 AS f FROM address UNION ALL ' +
    'SELECT registrant_id, 1, 0, 0, 0 FROM schema WHERE registered = 1 UNION ALL ' +
    'SELECT attester_id, 0, 1, 0, 0 FROM attestation UNION ALL ' +
    'SELECT j.value, 0, 0, j.value <> attester_id, j.value = attester_id ' +
    "FROM attestation, json_each('[' || recipient_ids || ']') j WHERE recipient_ids IS NOT NULL" +
    ') WHERE id IS NOT NULL GROUP BY id',
  schema:
    `SELECT id, a, t, iif(a <= ${exactClassMax}, a, ${exactClassMax} + (SELECT count(*) ` +
    `FROM json_each('[${countClassBounds.join()}]') WHERE value <= a)) FROM (SELECT id, sum(a) AS a, sum(t) AS t ` +
    'FROM (SELECT id, 0 AS a, 0 AS t FROM schema UNION ALL ' +
    'SELECT schema_id, count(*), count(DISTINCT attester_id) FROM attestation GROUP BY schema_id) GROUP BY id)',
  chain:
    'SELECT ordinal, sum(s), sum(a), sum(r), sum(u) FROM (' +
    'SELECT ordinal, 0 AS s, 0 AS a, 0 AS r, 0 AS u FROM chain UNION ALL ' +
    'SELECT c.ordinal, count(*), 0, 0, 0 FROM schema JOIN chain c USING (chain_id) WHERE registered = 1 GROUP BY 1 ' +
    'UNION ALL SELECT id >> 53, 0, count(*), count(revoke_timestamp), 0 FROM attestation GROUP BY 1 UNION ALL ' +
    'SELECT id >> 53, 0, 0, 0, count(*) FROM undecodable GROUP BY 1) GROUP BY ordinal',
  index_state:
    'SELECT 1, (SELECT count(*) FROM attestation), (SELECT count(*) FROM schema WHERE registered = 1)',
}

/** Works out the counters into temporary tables. */
export function expectCounters(connection: Connection): void {
  for (const { table, id, columns } of counterColumns) {
    const definitions = [
      `${id} INTEGER PRIMARY KEY`,
      ...columns.map((column) => `${column} INTEGER NOT NULL`),
    ]
    connection.exec(`DROP TABLE IF EXISTS temp.expected_${table}`)
    connection.exec(`CREATE TEMP TABLE expected_${table} (${definitions.join(', ')}) STRICT`)
    connection.exec(`INSERT INTO temp.expected_${table} ${expectedQueries[table]}`)
  }
}

/** Fills the tables of counts, which are empty; `expectCounters` comes before. */
export function fillAggregates(connection: Connection): void {
  connection.exec(
    'INSERT INTO schema_hour (hour, schema_id, count) ' +
      'SELECT attest_timestamp / 3600, schema_id, count(*) FROM attestation GROUP BY 1, 2',
  )
  connection.exec(
    'INSERT INTO schema_attester (schema_id, attester, count) SELECT schema_id, d.bytes, count(*) ' +
      'FROM attestation JOIN address d ON d.id = attester_id GROUP BY schema_id, attester_id',
  )
  connection.exec(
    'INSERT INTO protocol_count (chain_id, protocol, schema_count, attestation_count, revocation_count) ' +
      'SELECT chain_id, protocol, sum(s), sum(a), sum(r) FROM (' +
      'SELECT chain_id, protocol, count(*) AS s, 0 AS a, 0 AS r FROM schema WHERE registered = 1 GROUP BY 1, 2 UNION ALL ' +
      'SELECT chain_id, protocol, 0, count(*), count(revoke_timestamp) FROM attestation GROUP BY 1, 2) GROUP BY 1, 2',
  )
  connection.exec(
    'INSERT INTO protocol_day (chain_id, protocol, day, schema_count, attestation_count) ' +
      'SELECT chain_id, protocol, day, sum(s), sum(a) FROM (' +
      'SELECT chain_id, protocol, register_timestamp / 86400 AS day, count(*) AS s, 0 AS a ' +
      'FROM schema WHERE registered = 1 GROUP BY 1, 2, 3 UNION ALL ' +
      'SELECT chain_id, protocol, attest_timestamp / 86400, 0, count(*) FROM attestation GROUP BY 1, 2, 3) GROUP BY 1, 2, 3',
  )
  connection.exec(
    'INSERT INTO anchor_count (chain_id, kind, count) ' +
      'SELECT c.chain_id, kind, count(*) FROM anchor JOIN chain c ON c.ordinal = anchor.id >> 53 GROUP BY 1, 2',
  )
  connection.exec(
    'INSERT INTO account_anchor (account, chain_id, kind, count) ' +
      'SELECT account, c.chain_id, kind, count(*) FROM anchor JOIN chain c ON c.ordinal = anchor.id >> 53 ' +
      'WHERE account IS NOT NULL GROUP BY 1, 2, 3',
  )
  fillLists(connection)
}

/** Trees, counts of parts and counts by day of every list that is over the threshold. */
function fillLists(connection: Connection): void {
  const threshold = connection.statement<[number]>('SELECT rank_threshold FROM index_state').get()?.[0] ?? 0
  const state = { connection, rankThreshold: threshold }
  const [attestations, schemas] = connection
    .statement<[number, number]>('SELECT attestation_count, schema_count FROM temp.expected_index_state')
    .get() ?? [0, 0]
  buildList(connection, threshold, { kind: listKind.attestations, ownerId: 0, scopeId: 0 }, attestations)
  buildList(connection, threshold, { kind: listKind.schemas, ownerId: 0, scopeId: 0 }, schemas)
  const largeSchemas = connection
    .statement<[number, number]>(
      'SELECT id, attestation_count FROM temp.expected_schema WHERE attestation_count > ?',
    )
    .all(threshold)
  for (const [ownerId, count] of largeSchemas) {
    buildList(connection, threshold, { kind: listKind.attestationsOfSchema, ownerId, scopeId: 0 }, count)
  }
  const largeAddresses = connection
    .statement<[number, number, number, number, number]>(
      'SELECT id, schemas_created, created, received_other, received_self FROM temp.expected_address ' +
        'WHERE max(schemas_created, created, received_other, received_self) > ?',
    )
    .all(threshold)
  for (const [ownerId, schemasCreated, created, receivedOther, receivedSelf] of largeAddresses) {
    const list = { kind: listKind.schemasOfRegistrant, ownerId, scopeId: 0 }
    buildList(connection, threshold, list, schemasCreated)
    const counts = { created, receivedOther, receivedSelf }
    for (const role of addressRoles) {
      if (counts[role] <= threshold) continue
      const { all, onChain, underSchema } = kindsOfRole[role]
      buildList(connection, threshold, { kind: all, ownerId, scopeId: 0 }, counts[role])
      buildParts(state, onChain, ownerId, 'chain_id')
      buildParts(state, underSchema, ownerId, 'schema_id')
    }
  }
}

function buildList(connection: Connection, threshold: number, list: RankList, count: number): void {
  updateRankTree(connection, threshold, list, 0, count, [], 1)
  updateDayCounts(connection, threshold, list, 0, count, [], 1)
}
