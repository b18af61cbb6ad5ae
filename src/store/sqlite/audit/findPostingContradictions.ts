import type { Difference } from '../../indexAudit.ts'
import type { Connection, SqlValue } from '../connection.ts'
import { positionMask } from '../../layout/rowId.ts'
import { rowDifference } from '../../audit/differences.ts'

/**
 * Looks for rows that attestations should have and have not, and for rows that belong to nothing. Each query answers the
 * subject and why it is wrong, and walks a table once, with a lookup by key for each row.
 */
const queries: readonly { readonly what: 'derived' | 'orphan'; readonly select: string }[] = [
  ...(['chain', 'schema'] as const).flatMap((by) => [
    {
      what: 'derived' as const,
      select:
        `SELECT 'received_by_${by} (address ' || j.value || ', event ' || (a.id & ${positionMask}) || ')', NULL, 'a row' ` +
        `FROM attestation a, json_each('[' || a.recipient_ids || ']') j WHERE a.recipient_ids IS NOT NULL ` +
        `AND NOT EXISTS (SELECT 1 FROM received_by_${by} r WHERE r.address_id = j.value ` +
        `AND r.is_self = (j.value = a.attester_id) AND r.${by}_id = a.${by}_id ` +
        'AND r.attest_timestamp = a.attest_timestamp AND r.id = a.id)',
    },
    {
      what: 'orphan' as const,
      select:
        `SELECT 'received_by_${by} (address ' || r.address_id || ', event ' || (r.id & ${positionMask}) || ')', 'a row', NULL ` +
        `FROM received_by_${by} r LEFT JOIN attestation a ON a.id = r.id WHERE a.id IS NULL ` +
        `OR a.${by}_id <> r.${by}_id OR a.attest_timestamp <> r.attest_timestamp ` +
        'OR r.is_self <> (r.address_id = a.attester_id) ' +
        "OR instr(',' || coalesce(a.recipient_ids, '') || ',', ',' || r.address_id || ',') = 0",
    },
  ]),
  {
    what: 'orphan',
    select:
      `SELECT 'value_posting (' || hex(p.value_key) || ', event ' || (p.id & ${positionMask}) || ')', 'a row', NULL ` +
      'FROM value_posting p LEFT JOIN attestation a ON a.id = p.id WHERE a.id IS NULL OR a.chain_id <> p.chain_id ' +
      "OR a.attest_timestamp <> p.attest_timestamp OR instr(coalesce(a.value_keys, x''), p.value_key) = 0",
  },
  {
    what: 'orphan',
    select:
      `SELECT 'schema_name (event ' || (n.id & ${positionMask}) || ')', 'a row', NULL FROM schema_name n ` +
      'LEFT JOIN attestation a ON a.id = n.id WHERE a.id IS NULL',
  },
  {
    what: 'orphan',
    select:
      `SELECT 'revocation_claim (event ' || (n.id & ${positionMask}) || ')', 'a row', NULL FROM revocation_claim n ` +
      'LEFT JOIN attestation a ON a.id = n.id AND a.chain_id = n.chain_id WHERE a.id IS NULL',
  },
  ...(['attestation', 'anchor', 'undecodable'] as const).map((table) => ({
    what: 'orphan' as const,
    select:
      `SELECT '${table} (' || t.id || ')', 'a row of no chain', NULL FROM ${table} t ` +
      'WHERE t.id >> 53 NOT IN (SELECT ordinal FROM chain)',
  })),
  {
    what: 'orphan',
    select:
      "SELECT 'schema (' || s.id || ')', 'a row of no chain', NULL FROM schema s " +
      'WHERE s.chain_id NOT IN (SELECT chain_id FROM chain)',
  },
  {
    what: 'orphan',
    select:
      "SELECT 'schema (' || s.id || ')', 'neither registered nor referred to', NULL FROM schema s " +
      'WHERE s.registered = 0 AND NOT EXISTS (SELECT 1 FROM attestation a WHERE a.schema_id = s.id)',
  },
  {
    what: 'orphan',
    select:
      "SELECT 'recent_block (' || chain_id || ', ' || number || ')', 'a row of no chain', NULL FROM recent_block " +
      'WHERE chain_id NOT IN (SELECT chain_id FROM chain)',
  },
  {
    what: 'derived',
    select:
      "SELECT DISTINCT 'hour_version (' || hour || ')', NULL, 'a row' FROM schema_hour " +
      'WHERE hour NOT IN (SELECT hour FROM hour_version)',
  },
]

export function* findPostingContradictions(connection: Connection): Generator<Difference> {
  for (const { what, select } of queries) {
    for (const [subject, stored, expected] of connection
      .statement<[string, SqlValue, SqlValue]>(select)
      .iterate()) {
      yield rowDifference(what, subject, { stored: textOf(stored), expected: textOf(expected) }, 'rebuild')
    }
  }
}

function textOf(value: SqlValue): string | null {
  return value === null ? null : String(value)
}
