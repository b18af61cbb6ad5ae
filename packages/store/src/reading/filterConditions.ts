import type { Address } from '@attestry/core/model/hex.ts'
import type { StoredKey } from '@attestry/core/index/storedRecords.ts'
import { valueHolder } from '../layout/valueKey.ts'
import type { Dialect } from '../port/dialect.ts'
import type { SqlInput, SqlText } from '../port/reads.ts'
import type { AddressRow } from './addressLists.ts'
import type { ResolvedFilter } from './attestationFilter.ts'
import { beforeCut, cutTerms, type Cut } from './cut.ts'
import { holdingCondition } from './holdingCondition.ts'
import { allOf, noTerm, placeholders, term } from './sqlTerms.ts'
import { isExpired, isRevokedAsOf, isValid, revokedAtAsOf } from './validity.ts'

/** The members of a filter that an index can fix; all others are left to the rows. */
export type FixedMember =
  | 'schema'
  | 'attester'
  | 'recipient'
  | 'chain'
  | 'protocol'
  | 'revoked'
  | 'linked'
  | 'portal'
  | 'indexingValue'

/**
 * The condition on a row `a` for all members of the filter that are not fixed already; bounds in time are not part of
 * it. Columns that begin an index are hidden from the planner: it walks by the index that was chosen, which bounds the
 * work.
 */
export function filterCondition(
  dialect: Dialect,
  filter: ResolvedFilter,
  fixed: ReadonlySet<FixedMember>,
): SqlText {
  const terms: SqlText[] = []
  const add = (sql: string, ...parameters: SqlInput[]) => terms.push(term(sql, ...parameters))
  const hidden = (column: string) => dialect.hidden(column, 'integer')
  if (filter.chainId !== null && !fixed.has('chain')) add(`${hidden('a.chain_id')} = ?`, filter.chainId)
  if (filter.schema !== null && !fixed.has('schema')) add(`${hidden('a.schema_id')} = ?`, filter.schema.id)
  if (filter.attester !== null && !fixed.has('attester')) {
    add(`${hidden('a.attester_id')} = ?`, filter.attester.id)
  }
  if (filter.protocol !== null && !fixed.has('protocol')) add('a.protocol = ?', filter.protocol)
  if (filter.dataLocation !== null) add('a.data_location = ?', filter.dataLocation)
  if (filter.portal !== null && !fixed.has('portal')) {
    add(`${dialect.hidden('a.portal', 'bytes')} = ?`, filter.portal)
  }
  if (filter.linkedAttestations !== null && !fixed.has('linked')) {
    terms.push(linkedCondition(dialect, filter.linkedAttestations))
  }
  if (filter.revoked !== null && !fixed.has('revoked')) {
    terms.push(revokedCondition(dialect, filter.revoked, filter.cut))
  }
  if (filter.revokedFrom !== null)
    terms.push(revokedAtCondition(dialect, '>=', filter.revokedFrom, filter.cut))
  if (filter.revokedBefore !== null)
    terms.push(revokedAtCondition(dialect, '<', filter.revokedBefore, filter.cut))
  if (filter.expired !== null) {
    const expired = isExpired('a', '?')
    add(filter.expired.is ? expired : `NOT ${expired}`, filter.expired.at)
  }
  if (filter.validAt !== null) terms.push(validCondition(dialect, filter.validAt, filter.cut))
  if (filter.recipient !== null && !fixed.has('recipient')) {
    terms.push(recipientCondition(dialect, filter.recipient))
  }
  if (filter.indexingValue !== null && !fixed.has('indexingValue')) {
    terms.push(indexingValueCondition(dialect, filter.indexingValue))
  }
  if (filter.cut !== null) terms.push(beforeCut(dialect, 'a.id', filter.cut.place))
  if (filter.cut !== null && filter.fields.length > 0 && filter.schema === null) {
    terms.push(registeredCondition(dialect, filter.cut))
  }
  if (filter.attesterHolds !== null)
    terms.push(holdingCondition(dialect, 'a.attester_id', filter.attesterHolds))
  if (filter.recipientHolds !== null) {
    const { sql, parameters } = holdingCondition(dialect, 'w.value', filter.recipientHolds)
    add(`EXISTS (SELECT 1 FROM ${dialect.eachId('a.recipient_ids', 'w')} WHERE ${sql})`, ...parameters)
  }
  return allOf(terms)
}

function revokedCondition(dialect: Dialect, isRevoked: boolean, cut: Cut | null): SqlText {
  if (cut === null) return term(dialect.isNull('a.revoke_timestamp', !isRevoked))
  const { sql, parameters } = revokedAsOf(cut)
  return term(isRevoked ? sql : `NOT ${sql}`, ...parameters)
}

/** The condition that a row was valid at a time, as far as was known as of the cut. */
function validCondition(dialect: Dialect, at: number, cut: Cut | null): SqlText {
  if (cut === null) return term(isValid(dialect, 'a', 'then', '?'), at, at)
  const wasRevoked = allOf([revokedAsOf(cut), revokedAtCondition(dialect, '<=', at, cut)])
  return term(`NOT ${isExpired('a', '?')} AND NOT (${wasRevoked.sql})`, at, ...wasRevoked.parameters)
}

/** The condition on the time at which a row that is revoked was revoked, as far as was known as of the cut. */
function revokedAtCondition(
  dialect: Dialect,
  comparison: '<' | '<=' | '>=',
  at: number,
  cut: Cut | null,
): SqlText {
  if (cut === null) return term(`${dialect.uint64('a.revoke_timestamp')} ${comparison} ?`, at)
  const { upTo } = cutTerms(cut, 'a.chain_id')
  return term(`${revokedAtAsOf(dialect, 'a', upTo.sql)} ${comparison} ?`, ...upTo.parameters, at)
}

function revokedAsOf(cut: Cut): SqlText {
  const { upTo, time } = cutTerms(cut, 'a.chain_id')
  return term(isRevokedAsOf('a', { upTo: upTo.sql, time: time.sql }), ...upTo.parameters, ...time.parameters)
}

/** The condition that the schema of a row was registered as of the cut. */
function registeredCondition(dialect: Dialect, cut: Cut): SqlText {
  const { position } = cutTerms(cut, 's.chain_id')
  const registered = dialect.flag('s.registered', true)
  return term(
    `EXISTS (SELECT 1 FROM schema s WHERE s.id = a.schema_id AND ${registered} AND s.position <= ${position.sql})`,
    ...position.parameters,
  )
}

/** Without its schema the payload of a row says nothing. */
export function schemaCondition(dialect: Dialect): SqlText {
  const registered = dialect.flag('s.registered', true)
  return term(`EXISTS (SELECT 1 FROM schema s WHERE s.id = a.schema_id AND ${registered})`)
}

/** The condition that a row `a` is under none of these schemas. */
export function exceptCondition(dialect: Dialect, schemaIds: readonly number[]): SqlText {
  if (schemaIds.length === 0) return noTerm
  return term(`${dialect.hidden('a.schema_id', 'integer')} NOT IN (${placeholders(schemaIds)})`, ...schemaIds)
}

function linkedCondition(dialect: Dialect, keys: readonly StoredKey[]): SqlText {
  const terms = Array.from(
    Map.groupBy(keys, ({ chainId, protocol }) => `${chainId} ${protocol}`).values(),
    (ofProtocol) => ({
      sql:
        `(${dialect.hidden('a.chain_id', 'integer')} = ? AND a.protocol = ? ` +
        `AND ${dialect.hidden('a.linked_local_id', 'text')} IN (${placeholders(ofProtocol)}))`,
      parameters: [
        ofProtocol[0]?.chainId ?? 0,
        ofProtocol[0]?.protocol ?? '',
        ...ofProtocol.map(({ localId }) => localId.slice(2)),
      ],
    }),
  )
  return {
    sql: `(${terms.map(({ sql }) => sql).join(' OR ')})`,
    parameters: terms.flatMap(({ parameters }) => parameters),
  }
}

/**
 * Whether the indexing value of a row is the address, in whatever case. It is read from the row itself: rows that
 * involve the address have no posting for it.
 */
export function indexingAddressCondition(address: Address): SqlText {
  return term('lower(a.indexing_value_json) = ?', `"${address}"`)
}

function indexingValueCondition(
  dialect: Dialect,
  value: NonNullable<ResolvedFilter['indexingValue']>,
): SqlText {
  switch (value.kind) {
    case 'text':
      return postingCondition(dialect, value.key, valueHolder.indexingValue)
    case 'address':
      return indexingAddressCondition(value.address)
    case 'empty':
      return term(`a.indexing_value_json = '""'`)
  }
}

function recipientCondition(dialect: Dialect, recipient: NonNullable<ResolvedFilter['recipient']>): SqlText {
  switch (recipient.kind) {
    case 'address':
      return receivedCondition(dialect, recipient.address)
    case 'value': {
      const named = postingCondition(dialect, recipient.key, valueHolder.recipient)
      if (recipient.under === null) return named
      const under = receivedCondition(dialect, recipient.under)
      return { sql: `(${named.sql} OR ${under.sql})`, parameters: [...named.parameters, ...under.parameters] }
    }
    case 'empty':
      // Within a JSON string a quotation mark is escaped: after a comma or bracket two of them are an empty string.
      return term(
        `(${dialect.contains('a.recipients_json', `',""'`)} OR ${dialect.contains('a.recipients_json', `'[""'`)})`,
      )
  }
}

function receivedCondition(dialect: Dialect, { id }: AddressRow): SqlText {
  return term(
    `EXISTS (SELECT 1 FROM ${dialect.received('chain')} r WHERE r.address_id = ? AND r.is_self = (a.attester_id = ?) ` +
      `AND r.chain_id = a.chain_id AND r.attest_timestamp = a.attest_timestamp AND r.id = a.id${dialect.lookUp})`,
    id,
    id,
  )
}

/** Not named by a text as recipient. */
export function unnamedCondition(dialect: Dialect, key: Uint8Array): SqlText {
  const { sql, parameters } = postingCondition(dialect, key, valueHolder.recipient)
  return { sql: `NOT ${sql}`, parameters }
}

function postingCondition(dialect: Dialect, key: Uint8Array, holder: number): SqlText {
  return term(
    'EXISTS (SELECT 1 FROM value_posting v WHERE v.value_key = ? AND v.attest_timestamp = a.attest_timestamp ' +
      `AND v.chain_id = a.chain_id AND v.id = a.id AND v.holder & ? <> 0${dialect.lookUp})`,
    key,
    holder,
  )
}
