import type { Difference } from '@attestry/core/index/indexAudit.ts'
import { kindsOfRole } from '../layout/listKinds.ts'
import type { Dialect } from '../port/dialect.ts'
import type { Projection } from '../port/projection.ts'
import type { Reads, SqlRow } from '../port/reads.ts'
import { rowDifference, shown } from './differences.ts'

/** Maximum number of rows of a table that are named if it differs, on each side. */
const namedMax = 3

/**
 * Counts everything that is counted of the records anew, by statements that the writer never runs. The writer itself
 * makes the shadow of an audit, so a fault of the writer is in both tables: only this recount finds it.
 */
export async function* recount(
  reads: Reads,
  projections: readonly Projection[] = [],
): AsyncGenerator<Difference> {
  const counts = [
    ...countsOf(reads.dialect),
    ...projections.flatMap((projection) => projection.recounts(reads.dialect)),
  ]
  for (const [table, stored, recounted] of counts) {
    const beyond = (one: string, other: string) =>
      reads.all<SqlRow>(`SELECT * FROM (${one} EXCEPT SELECT * FROM (${other}) AS o) AS d LIMIT ${namedMax}`)
    for (const row of await beyond(stored, recounted)) {
      yield rowDifference('derived', table, { stored: rowText(row), expected: null }, 'none')
    }
    for (const row of await beyond(recounted, stored)) {
      yield rowDifference('derived', table, { stored: null, expected: rowText(row) }, 'none')
    }
  }
}

/** The distinct recipients of the attestations `a`, as the column `value` of `r`. */
export function recipientsOf({ eachId }: Dialect): string {
  return `attestation a CROSS JOIN ${eachId('a.recipient_ids', 'r')}`
}

/** For each table: its rows, and the rows that the records give. */
function countsOf(
  dialect: Dialect,
): readonly (readonly [table: string, stored: string, recounted: string])[] {
  const recipients = recipientsOf(dialect)
  const registered = dialect.flag('registered', true)
  const sums = (columns: string) =>
    columns
      .split(', ')
      .map((column) => `CAST(sum(${column}) AS bigint)`)
      .join(', ')
  const isSelf = '(r.value = a.attester_id)'
  const oneIf = (condition: string) => `CASE WHEN ${condition} THEN 1 ELSE 0 END`
  return [
    [
      'schema_hour',
      'SELECT hour, schema_id, count FROM schema_hour',
      'SELECT attest_timestamp / 3600, schema_id, count(*) FROM attestation GROUP BY 1, 2',
    ],
    [
      'schema_attester',
      'SELECT schema_id, attester, count FROM schema_attester',
      'SELECT schema_id, d.bytes, count(*) FROM attestation JOIN address d ON d.id = attester_id GROUP BY 1, 2',
    ],
    [
      'protocol_count',
      'SELECT chain_id, protocol, schema_count, attestation_count, revocation_count FROM protocol_count',
      `SELECT chain_id, protocol, ${sums('s, a, r')} FROM (SELECT chain_id, protocol, 1 AS s, 0 AS a, 0 AS r ` +
        `FROM schema WHERE ${registered} UNION ALL SELECT chain_id, protocol, 0, 1, ${oneIf('revoke_timestamp IS NOT NULL')} ` +
        'FROM attestation) AS u GROUP BY 1, 2',
    ],
    [
      'protocol_day',
      'SELECT chain_id, protocol, day, schema_count, attestation_count FROM protocol_day',
      `SELECT chain_id, protocol, day, ${sums('s, a')} FROM (SELECT chain_id, protocol, register_timestamp / 86400 AS day, ` +
        `1 AS s, 0 AS a FROM schema WHERE ${registered} UNION ALL ` +
        'SELECT chain_id, protocol, attest_timestamp / 86400, 0, 1 FROM attestation) AS u GROUP BY 1, 2, 3',
    ],
    [
      'anchor_count',
      'SELECT chain_id, kind, count FROM anchor_count',
      'SELECT c.chain_id, kind, count(*) FROM anchor n JOIN chain c ON c.ordinal = n.id >> 53 GROUP BY 1, 2',
    ],
    [
      'account_anchor',
      'SELECT account, chain_id, kind, count FROM account_anchor',
      'SELECT account, c.chain_id, kind, count(*) FROM anchor n JOIN chain c ON c.ordinal = n.id >> 53 ' +
        'WHERE account IS NOT NULL GROUP BY 1, 2, 3',
    ],
    [
      'address',
      'SELECT id, schemas_created, created, received_other, received_self FROM address',
      `SELECT id, ${sums('s, c, o, f')} FROM (SELECT id, 0 AS s, 0 AS c, 0 AS o, 0 AS f FROM address UNION ALL ` +
        `SELECT registrant_id, 1, 0, 0, 0 FROM schema WHERE ${registered} UNION ALL ` +
        'SELECT attester_id, 0, 1, 0, 0 FROM attestation UNION ALL ' +
        `SELECT r.value, 0, 0, ${oneIf(`NOT ${isSelf}`)}, ${oneIf(isSelf)} FROM ${recipients}) AS u GROUP BY id`,
    ],
    [
      'schema',
      'SELECT id, attestation_count, attester_count FROM schema',
      'SELECT s.id, count(a.id), count(DISTINCT a.attester_id) FROM schema s ' +
        'LEFT JOIN attestation a ON a.schema_id = s.id GROUP BY s.id',
    ],
    [
      'chain',
      'SELECT chain_id, schema_count, attestation_count, revocation_count, undecodable_count FROM chain',
      `SELECT c.chain_id, (SELECT count(*) FROM schema WHERE ${registered} AND chain_id = c.chain_id), ` +
        '(SELECT count(*) FROM attestation WHERE chain_id = c.chain_id), ' +
        '(SELECT count(revoke_timestamp) FROM attestation WHERE chain_id = c.chain_id), ' +
        '(SELECT count(*) FROM undecodable WHERE id >> 53 = c.ordinal) FROM chain c',
    ],
    [
      'index_state',
      'SELECT attestation_count, schema_count FROM index_state',
      `SELECT (SELECT count(*) FROM attestation), (SELECT count(*) FROM schema WHERE ${registered})`,
    ],
    [
      'list_count',
      'SELECT kind, owner_id, scope_id, count FROM list_count',
      partsOf(dialect)
        .map(
          ({ kind, owner, scope, from, count }) =>
            `SELECT ${kind}, ${owner}, a.${scope}_id, count(*) FROM ${from} JOIN address d ON d.id = ${owner} ` +
            `WHERE ${count} > (SELECT rank_threshold FROM index_state) GROUP BY 2, 3`,
        )
        .join(' UNION ALL '),
    ],
    ...(['chain', 'schema'] as const).map((by): readonly [string, string, string] => [
      dialect.received(by),
      `SELECT address_id, ${oneIf(dialect.flag('is_self', true))}, ${by}_id, attest_timestamp, CAST(id AS text) ` +
        `FROM ${dialect.received(by)}`,
      `SELECT r.value, ${oneIf(isSelf)}, a.${by}_id, a.attest_timestamp, CAST(a.id AS text) FROM ${recipients}`,
    ]),
  ]
}

/** The parts of the lists of addresses by chain and by schema: the attestations `a` of each owner. */
function partsOf(dialect: Dialect) {
  const { created, receivedOther, receivedSelf } = kindsOfRole
  const recipients = recipientsOf(dialect)
  const roles = [
    { kinds: created, owner: 'a.attester_id', from: 'attestation a', count: 'd.created' },
    {
      kinds: receivedOther,
      owner: 'r.value',
      from: recipients,
      count: 'r.value <> a.attester_id AND d.received_other',
    },
    {
      kinds: receivedSelf,
      owner: 'r.value',
      from: recipients,
      count: 'r.value = a.attester_id AND d.received_self',
    },
  ]
  return roles.flatMap(({ kinds, ...role }) => [
    { ...role, kind: kinds.onChain, scope: 'chain' },
    { ...role, kind: kinds.underSchema, scope: 'schema' },
  ])
}

function rowText(row: SqlRow): string | null {
  return shown(row.map((value) => shown(value) ?? 'nothing').join(', '))
}
