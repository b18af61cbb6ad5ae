import type { Address } from '../../model/hex.ts'
import { valueHolder } from '../layout/valueKey.ts'
import type { ResolvedFilter } from './attestationFilter.ts'
import type { SqlInput } from './connection.ts'
import type { SqlCondition } from './rowWalk.ts'

/** The members of a filter that an index can fix; all others are left to the rows. */
export type FixedMember =
  | 'schema'
  | 'attester'
  | 'recipient'
  | 'chain'
  | 'revoked'
  | 'linked'
  | 'indexingValue'

/**
 * What a row `a` must fulfil to pass the filter, but for what is fixed already and the bounds in time. Columns that begin an index stand
 * in an expression, so that the planner walks by the index that was chosen and by no other: it bounds the work, the rows that pass do not.
 */
export function filterCondition(filter: ResolvedFilter, fixed: ReadonlySet<FixedMember>): SqlCondition {
  const terms: SqlCondition[] = []
  const add = (sql: string, ...parameters: SqlInput[]) => terms.push({ sql, parameters })
  if (filter.chainId !== null && !fixed.has('chain')) add('a.chain_id + 0 = ?', filter.chainId)
  if (filter.schema !== null && !fixed.has('schema')) add('a.schema_id + 0 = ?', filter.schema.id)
  if (filter.attester !== null && !fixed.has('attester')) add('a.attester_id + 0 = ?', filter.attester.id)
  if (filter.protocol !== null) add('a.protocol = ?', filter.protocol)
  if (filter.dataLocation !== null) add('a.data_location = ?', filter.dataLocation)
  if (filter.linkedLocalId !== null && !fixed.has('linked')) {
    add("a.linked_local_id || '' = ?", filter.linkedLocalId)
  }
  if (filter.revoked !== null && !fixed.has('revoked')) {
    add(`coalesce(a.revoke_timestamp, '') ${filter.revoked ? '<>' : '='} ''`)
  }
  if (filter.expired !== null) {
    add(filter.expired.is ? expired : `NOT ${expired}`, filter.expired.at)
  }
  if (filter.validAt !== null) {
    // A time of revocation is a uint64, which `numeric` holds.
    add(
      `NOT ${expired} AND (a.revoke_timestamp IS NULL OR a.revoke_timestamp::numeric > ?)`,
      filter.validAt,
      filter.validAt,
    )
  }
  if (filter.recipient !== null && !fixed.has('recipient')) terms.push(recipientCondition(filter.recipient))
  if (filter.indexingValue !== null && !fixed.has('indexingValue')) {
    terms.push(indexingValueCondition(filter.indexingValue))
  }
  return {
    sql: terms.map(({ sql }) => sql).join(' AND '),
    parameters: terms.flatMap((term) => term.parameters),
  }
}

const expired = '(a.valid_until > 0 AND a.valid_until <= ?)'

/**
 * Whether the indexing value of a row is the address, in whatever case. It is read from the row itself: rows that
 * involve the address have no posting for it.
 */
export function indexingAddressCondition(address: Address): SqlCondition {
  return {
    sql: 'lower(a.indexing_value_json) = ?',
    parameters: [`"${address}"`],
  }
}

function indexingValueCondition(value: NonNullable<ResolvedFilter['indexingValue']>): SqlCondition {
  switch (value.kind) {
    case 'text':
      return postingCondition(value.key, valueHolder.indexingValue)
    case 'address':
      return indexingAddressCondition(value.address)
    case 'empty':
      return { sql: `a.indexing_value_json = '""'`, parameters: [] }
  }
}

function recipientCondition(recipient: NonNullable<ResolvedFilter['recipient']>): SqlCondition {
  switch (recipient.kind) {
    case 'address':
      return {
        sql:
          'EXISTS (SELECT 1 FROM received r WHERE r.address_id = ? AND r.is_self = (a.attester_id = ?) ' +
          'AND r.chain_id = a.chain_id AND r.attest_timestamp = a.attest_timestamp AND r.id = a.id)',
        parameters: [recipient.address.id, recipient.address.id],
      }
    case 'value':
      return postingCondition(recipient.key, valueHolder.recipient)
    case 'empty':
      // Within a JSON string a quotation mark is escaped: behind a comma or bracket two of them are an empty string.
      return {
        sql: `(strpos(a.recipients_json, ',""') > 0 OR strpos(a.recipients_json, '[""') > 0)`,
        parameters: [],
      }
  }
}

function postingCondition(key: Uint8Array, holder: number): SqlCondition {
  return {
    sql:
      'EXISTS (SELECT 1 FROM value_posting v WHERE v.value_key = ? AND v.attest_timestamp = a.attest_timestamp ' +
      'AND v.chain_id = a.chain_id AND v.id = a.id AND v.holder & ? <> 0)',
    parameters: [key, holder],
  }
}
