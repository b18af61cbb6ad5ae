import { kindsOfRole } from '../layout/listKinds.ts'
import type { Dialect } from '../port/dialect.ts'
import type { DerivedTable } from '../port/projection.ts'

/** Counts of a table that follow from other tables: its key and the counts in one select. Other rows have counts of 0. */
interface CountedColumns extends DerivedTable {
  readonly key: string
}

/** The distinct recipients of the attestations `a`, as the column `value` of `r`. */
export function recipientsOf({ eachId }: Dialect): string {
  return `attestation a CROSS JOIN ${eachId('a.recipient_ids', 'r')}`
}

/** The tables that statements make of records, in the order in which they need one another. */
export function recordTables(dialect: Dialect): readonly DerivedTable[] {
  const registered = dialect.flag('registered', true)
  return [
    ...receivedTables(dialect),
    {
      table: 'schema_hour',
      columns: ['hour', 'schema_id', 'count'],
      select: 'SELECT attest_timestamp / 3600, schema_id, count(*) FROM attestation GROUP BY 1, 2',
    },
    {
      table: 'schema_attester',
      columns: ['schema_id', 'attester', 'count'],
      select:
        'SELECT c.schema_id, d.bytes, c.count FROM (SELECT schema_id, attester_id, count(*) AS count FROM attestation ' +
        'GROUP BY 1, 2) AS c JOIN address d ON d.id = c.attester_id',
    },
    {
      table: 'protocol_day',
      columns: ['chain_id', 'protocol', 'day', 'schema_count', 'attestation_count'],
      select:
        `SELECT chain_id, protocol, day, ${sum('s')}, ${sum('a')} FROM (` +
        `SELECT chain_id, protocol, register_timestamp / 86400 AS day, 1 AS s, 0 AS a FROM schema WHERE ${registered} ` +
        'UNION ALL SELECT chain_id, protocol, attest_timestamp / 86400, 0, count(*) FROM attestation GROUP BY 1, 2, 3' +
        ') AS u GROUP BY 1, 2, 3',
    },
    {
      table: 'protocol_count',
      columns: ['chain_id', 'protocol', 'schema_count', 'attestation_count', 'revocation_count'],
      select:
        `SELECT chain_id, protocol, ${sum('s')}, ${sum('a')}, ${sum('r')} FROM (` +
        'SELECT chain_id, protocol, schema_count AS s, attestation_count AS a, 0 AS r FROM protocol_day UNION ALL ' +
        'SELECT chain_id, protocol, 0, 0, 1 FROM attestation WHERE revoke_timestamp IS NOT NULL) AS u GROUP BY 1, 2',
    },
    {
      table: 'anchor_count',
      columns: ['chain_id', 'kind', 'count'],
      select: 'SELECT chain_id, kind, count(*) FROM anchor GROUP BY 1, 2',
    },
    {
      table: 'account_anchor',
      columns: ['account', 'chain_id', 'kind', 'count'],
      select:
        'SELECT account, chain_id, kind, count(*) FROM anchor WHERE account IS NOT NULL GROUP BY 1, 2, 3',
    },
  ]
}

/** The lists of addresses that received attestations; SQLite keeps two tables, one for each of their orders. */
function receivedTables(dialect: Dialect): readonly DerivedTable[] {
  const values: Readonly<Record<string, string>> = {
    address_id: 'r.value',
    is_self: '(r.value = a.attester_id)',
    chain_id: 'a.chain_id',
    schema_id: 'a.schema_id',
    attest_timestamp: 'a.attest_timestamp',
    id: 'a.id',
  }
  const tableOf = (table: string, left: readonly string[]): DerivedTable => {
    const columns = Object.keys(values).filter((column) => !left.includes(column))
    const select = `SELECT ${columns.map((column) => values[column]).join(', ')} FROM ${recipientsOf(dialect)}`
    return { table, columns, select }
  }
  const [byChain, bySchema] = [dialect.received('chain'), dialect.received('schema')]
  if (byChain === bySchema) return [tableOf(byChain, [])]
  return [tableOf(byChain, ['schema_id']), tableOf(bySchema, ['chain_id'])]
}

/** The counts in rows of addresses and chains; they need the tables of records. `countSchemas` counts schemas. */
export function countedColumns(dialect: Dialect): readonly CountedColumns[] {
  const oneIf = (condition: string) => `CASE WHEN ${condition} THEN 1 ELSE 0 END`
  const isSelf = dialect.flag('is_self', true)
  const ofProtocols = (column: string) =>
    `(SELECT CAST(coalesce(sum(p.${column}), 0) AS bigint) FROM protocol_count p WHERE p.chain_id = c.chain_id) AS ${column}`
  return [
    {
      table: 'address',
      key: 'id',
      columns: ['schemas_created', 'created', 'received_other', 'received_self'],
      select:
        `SELECT id, ${sum('s')} AS schemas_created, ${sum('c')} AS created, ${sum('o')} AS received_other, ` +
        `${sum('f')} AS received_self FROM (SELECT registrant_id AS id, count(*) AS s, 0 AS c, 0 AS o, 0 AS f FROM schema ` +
        `WHERE ${dialect.flag('registered', true)} GROUP BY 1 ` +
        'UNION ALL SELECT attester_id, 0, count(*), 0, 0 FROM attestation GROUP BY 1 ' +
        `UNION ALL SELECT address_id, 0, 0, sum(1 - ${oneIf(isSelf)}), sum(${oneIf(isSelf)}) ` +
        `FROM ${dialect.received('chain')} GROUP BY 1) AS u GROUP BY id`,
    },
    {
      table: 'chain',
      key: 'chain_id',
      columns: ['schema_count', 'attestation_count', 'revocation_count', 'undecodable_count'],
      select:
        `SELECT c.chain_id AS chain_id, ${['schema_count', 'attestation_count', 'revocation_count'].map(ofProtocols).join(', ')}, ` +
        '(SELECT count(*) FROM undecodable WHERE id >> 53 = c.ordinal) AS undecodable_count FROM chain c',
    },
  ]
}

/** The parts of the lists of addresses that are larger than the threshold, by chain and by schema. */
export function listCounts(dialect: Dialect): DerivedTable {
  const { created, receivedOther, receivedSelf } = kindsOfRole
  const received = (isSelf: boolean) => (by: 'chain' | 'schema') =>
    `SELECT address_id AS owner, ${by}_id AS scope FROM ${dialect.received(by)} WHERE ${dialect.flag('is_self', isSelf)}`
  const made = (by: 'chain' | 'schema') => `SELECT attester_id AS owner, ${by}_id AS scope FROM attestation`
  const parts = [
    { kinds: created, count: 'created', rows: made },
    { kinds: receivedOther, count: 'received_other', rows: received(false) },
    { kinds: receivedSelf, count: 'received_self', rows: received(true) },
  ].flatMap(({ kinds, count, rows }) =>
    (['chain', 'schema'] as const).map(
      (by) =>
        `SELECT ${by === 'chain' ? kinds.onChain : kinds.underSchema}, e.owner, e.scope, count(*) FROM (${rows(by)}) AS e ` +
        `JOIN address d ON d.id = e.owner WHERE d.${count} > (SELECT rank_threshold FROM index_state) GROUP BY 2, 3`,
    ),
  )
  return {
    table: 'list_count',
    columns: ['kind', 'owner_id', 'scope_id', 'count'],
    select: parts.join(' UNION ALL '),
  }
}

function sum(column: string): string {
  return `CAST(sum(${column}) AS bigint)`
}
