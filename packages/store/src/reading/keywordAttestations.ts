import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import type { ClassifiedKeyword } from '@attestry/core/model/keyword.ts'
import type { Page, PageRequest, SearchGroup } from '@attestry/core/index/indexQueries.ts'
import type { AttestationFields, StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { hexBytes, transactionKey } from '../layout/hexColumn.ts'
import { valueKey } from '../layout/valueKey.ts'
import type { Dialect } from '../port/dialect.ts'
import type { SqlInput } from '../port/reads.ts'
import { findAddress, findAddressSources } from './addressLists.ts'
import { valueArm } from './attestationArms.ts'
import { readListPage } from './attestationPage.ts'
import { countFrom } from './countFrom.ts'
import { countGathered, gatheredPage, gatherMatches, type MatchRange } from './gatherMatches.ts'
import {
  countPrefix,
  isShortPrefix,
  listByPrefix,
  readFromStart,
  searchByPrefix,
} from './prefixAttestations.ts'
import { isRecord, recordParameters } from './recordKeys.ts'
import { countArm, type WalkArm } from './rowWalk.ts'
import type { ReadSession } from './session.ts'
import { noTerm, term } from './sqlTerms.ts'
import {
  attestationColumns,
  schemaJoin,
  storedAttestations,
  type AttestationRow,
} from './storedAttestation.ts'
import { findSchemaRow } from './storedSchema.ts'
import type { Effort, Pace } from './tallyRows.ts'

export interface KeywordAttestationQuery extends PageRequest {
  readonly keyword: ClassifiedKeyword
  readonly schema: RecordKey | null
  readonly fields: AttestationFields
}

/**
 * Lists the attestations that a keyword finds, under one schema or under any, in the order of the listing; null if
 * the effort does not suffice.
 */
export async function listAttestationsByKeyword(
  session: ReadSession,
  query: KeywordAttestationQuery,
  effort: Effort,
): Promise<Page<StoredAttestation> | null> {
  const { keyword, schema } = query
  const prefix = shortPrefixOf(keyword)
  if (schema === null && prefix !== null) {
    await boundLookups(session, keyword, 0)
    return await listByPrefix(session, { ...query, digits: prefix, valueKey: valueKey(keyword.text) })
  }
  if (schema !== null) {
    const others = prefix === null ? 0 : await countPrefix(session.connection, prefix)
    const lookups = await boundLookups(session, keyword, others)
    if (!isInSteps(effort) && keyword.target.kind !== 'address' && lookups > effort.rowsMax) return null
  }
  const matches = matchesOf(session.connection.dialect, keyword)
  // In steps all are gathered; otherwise values are walked in order if nothing else can match.
  if (matches !== null && (matches.length > 0 || (schema !== null && isInSteps(effort)))) {
    const schemaId = await findSchemaId(session, query)
    if (schemaId === undefined) return { total: 0, rows: [] }
    const offset = (query.page - 1) * query.size
    return await readMatches(session, query, matches, schemaId, 'newestFirst', query.size, offset, effort)
  }
  return await listByAddressAndValue(session, query)
}

/**
 * Searches the best attestations by `matchRank`; among equals in the order of the listing. Null if the effort does
 * not suffice.
 */
export async function searchAttestations(
  session: ReadSession,
  keyword: ClassifiedKeyword,
  limit: number,
  effort: Effort,
): Promise<SearchGroup<StoredAttestation> | null> {
  const query = { schema: null, keyword, page: 1, size: limit, fields: { detail: false, schema: false } }
  const prefix = shortPrefixOf(keyword)
  if (prefix !== null) {
    await boundLookups(session, keyword, 0)
    return await searchByPrefix(session, { ...query, digits: prefix, valueKey: valueKey(keyword.text) })
  }
  const matches = matchesOf(session.connection.dialect, keyword)
  if (matches === null || matches.length === 0) return await listByAddressAndValue(session, query)
  return await readMatches(session, query, matches, null, 'bestFirst', limit, 0, effort)
}

function shortPrefixOf({ target }: ClassifiedKeyword): string | null {
  return target.kind === 'hexPrefix' && isShortPrefix(target.digits) ? target.digits : null
}

/**
 * Counts the attestations that hold the keyword as a value in the index, before each row is looked up beside `others`.
 * @throws StoreTooMuchWorkError
 */
async function boundLookups(
  { connection, lookupsMax }: ReadSession,
  { text }: ClassifiedKeyword,
  others: number,
): Promise<number> {
  const { bound } = connection.dialect
  const few = `(SELECT 1 FROM value_posting WHERE value_key = ? LIMIT ${bound}) AS few`
  const values = await countFrom(connection, few, [valueKey(text), lookupsMax + 1])
  if (values + others <= lookupsMax) return values + others
  throw new StoreTooMuchWorkError('a keyword finds more rows than can be looked at one by one', {
    facts: { lookupsMax },
  })
}

/** Whether other reads wait while this one is made, so that it must be made in steps. */
function isInSteps(effort: Effort): effort is Effort & { readonly pace: Pace } {
  return effort.pace?.isShared === true
}

const newestFirst = 'a.attest_timestamp DESC, a.chain_id DESC, a.id DESC'

const orders = { newestFirst, bestFirst: `m.rank, ${newestFirst}` } as const

/** Lower is better. Matches of an address have no ranks: they are walked in the order of listings. */
const matchRank = { exact: 0, value: 1, prefix: 2 } as const

/**
 * The attestations that a keyword finds by an id or a hash. These are gathered, then ordered; one may occur twice.
 * Empty if only values can match; null for an address, whose lists are walked in order.
 */
function matchesOf(dialect: Dialect, { target }: ClassifiedKeyword): MatchRange[] | null {
  const exactId = (localId: string) => match('exact', 'local_id = ?', localId.slice(2))
  switch (target.kind) {
    case 'compositeId': {
      if (target.key === null) return []
      return [match('exact', isRecord(dialect, 'attestation'), ...recordParameters(target.key))]
    }
    case 'address':
      return null
    case 'hash': {
      const { hash } = target
      const isTransaction = 'transaction_key = ? AND transaction_hash = ?'
      return [exactId(hash), match('exact', isTransaction, transactionKey(hash), hexBytes(hash))]
    }
    case 'hexPrefix': {
      const { digits } = target
      if (digits === '') return []
      return [
        match('exact', 'local_id = ?', digits),
        {
          ...match('prefix', 'local_id > ? AND local_id < ?', digits, `${digits}g`),
          walk: {
            fixed: noTerm,
            order: ['local_id', 'chain_id', 'protocol'],
            // No chain has this number: the place lies after everything of that id.
            after: [digits, Number.MAX_SAFE_INTEGER, ''],
            end: term('local_id < ?', `${digits}g`),
          },
        },
      ]
    }
    case 'number':
      return target.localId === null ? [] : [exactId(target.localId)]
    case 'text':
      return []
  }
}

function match(rank: keyof typeof matchRank, condition: string, ...parameters: SqlInput[]): MatchRange {
  return {
    table: 'attestation',
    condition: term(condition, ...parameters),
    walk: null,
    rank: matchRank[rank],
  }
}

function valueMatch(text: string): MatchRange {
  const fixed = term('value_key = ?', valueKey(text))
  return {
    table: 'value_posting',
    condition: fixed,
    walk: { fixed, order: ['attest_timestamp', 'chain_id', 'id'], after: null, end: noTerm },
    rank: matchRank.value,
  }
}

async function readMatches(
  session: ReadSession,
  query: { readonly keyword: ClassifiedKeyword; readonly fields: AttestationFields },
  matches: readonly MatchRange[],
  schemaId: number | null,
  order: keyof typeof orders,
  limit: number,
  offset: number,
  effort: Effort,
): Promise<{ readonly total: number; readonly rows: readonly StoredAttestation[] } | null> {
  const { connection } = session
  const { dialect } = connection
  const { fields, keyword } = query
  const ranges = [...matches, valueMatch(keyword.text)].sort((a, b) => a.rank - b.rank)
  const selects = ranges.map(
    ({ table, condition, rank }) => `SELECT id, ${rank} AS rank FROM ${table} WHERE ${condition.sql}`,
  )
  const union = `(${selects.join(' UNION ALL ')}) AS u`
  const selected = ranges.flatMap(({ condition }) => condition.parameters)
  const { rowsMax } = effort
  if (!isInSteps(effort) && rowsMax < Infinity) {
    const few = `(SELECT 1 FROM ${union} LIMIT ${dialect.bound}) AS few`
    if ((await countFrom(connection, few, [...selected, rowsMax + 1])) > rowsMax) return null
  }
  const filter =
    schemaId === null
      ? noTerm
      : term('WHERE (SELECT schema_id FROM attestation f WHERE f.id = u.id) = ?', schemaId)
  const found = `WITH m AS MATERIALIZED (SELECT id, min(rank) AS rank FROM ${union} ${filter.sql} GROUP BY id)`
  const parameters = [...selected, ...filter.parameters]
  const select = (from: string) =>
    `SELECT ${attestationColumns(dialect, fields)} FROM ${from} ${dialect.drivenJoin} attestation a ON a.id = m.id` +
    `${schemaJoin(dialect, fields)} ORDER BY ${orders[order]}`
  if (isInSteps(effort)) {
    await gatherMatches(connection, ranges, schemaId, order, effort.pace)
    await effort.pace.next()
    const page = `(${gatheredPage(order)}) AS m`
    const rows = await connection.all<AttestationRow>(select(page), limit, offset)
    const total = await countGathered(connection)
    return { total, rows: await storedAttestations(session, rows, fields) }
  }
  const [count, rows] = await Promise.all([
    connection.get<[number]>(`${found} SELECT count(*) FROM m`, ...parameters),
    connection.all<AttestationRow>(
      `${found} ${select('m')} LIMIT ${dialect.bound} OFFSET ${dialect.bound}`,
      ...parameters,
      limit,
      offset,
    ),
  ])
  return { total: count?.[0] ?? 0, rows: await storedAttestations(session, rows, fields) }
}

/** The row id of the schema; null if none is asked for, undefined if it is not indexed. */
async function findSchemaId(
  session: ReadSession,
  { schema }: KeywordAttestationQuery,
): Promise<number | null | undefined> {
  return schema === null ? null : (await findSchemaRow(session, schema))?.id
}

/** Attestations of an address, and those that hold the keyword as a value: disjoint lists, walked in order. */
async function listByAddressAndValue(
  session: ReadSession,
  query: KeywordAttestationQuery,
): Promise<Page<StoredAttestation>> {
  const { connection } = session
  const { target, text } = query.keyword
  const address = target.kind === 'address' ? await findAddress(connection, target.address) : null
  const schema = query.schema === null ? null : ({ kind: 'key', key: query.schema } as const)
  const sources =
    address === null
      ? []
      : await findAddressSources(session, address, { role: 'either', chainId: null, schema })
  const values = await findValueArm(session, text, query)
  const valueCount = values === null ? 0 : await countArm(connection, values)
  if (values === null || valueCount === 0) return await readListPage(session, sources, query, query.fields)
  const total = sources.reduce((sum, { counted }) => sum + counted.count, valueCount)
  const arms = [...sources.flatMap((source) => source.arms), values]
  return { total, rows: await readFromStart(session, arms, total, query) }
}

async function findValueArm(
  session: ReadSession,
  text: string,
  { schema }: KeywordAttestationQuery,
): Promise<WalkArm | null> {
  const { dialect } = session.connection
  if (schema === null) return valueArm(dialect, valueKey(text))
  const row = await findSchemaRow(session, schema)
  if (row === null) return null
  return valueArm(dialect, valueKey(text), term(`${dialect.hidden('a.schema_id', 'integer')} = ?`, row.id))
}
