import { StoreTooMuchWorkError } from '../../errors/storeErrors.ts'
import type { ClassifiedKeyword } from '../../model/keyword.ts'
import type {
  AttestationFields,
  AttestationQuery,
  Page,
  SearchGroup,
  StoredAttestation,
} from '../indexReader.ts'
import { hexBytes, transactionKey } from '../layout/hexColumn.ts'
import { valueKey } from '../layout/valueKey.ts'
import type { Dialect } from '../port/dialect.ts'
import type { SqlInput, SqlText } from '../port/reads.ts'
import { findAddress, findAddressSources } from './addressLists.ts'
import { valueArm } from './attestationArms.ts'
import { readListPage } from './attestationPage.ts'
import { countFrom } from './countFrom.ts'
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

export type KeywordAttestationQuery = AttestationQuery & { readonly keyword: ClassifiedKeyword }

/** Lists the attestations that a keyword finds, under one schema or under any, in the order of the listing. */
export async function listAttestationsByKeyword(
  session: ReadSession,
  query: KeywordAttestationQuery,
): Promise<Page<StoredAttestation>> {
  const { keyword, schema } = query
  const prefix = shortPrefixOf(keyword)
  if (schema === null && prefix !== null) {
    await boundLookups(session, keyword, 0)
    return await listByPrefix(session, { ...query, digits: prefix, valueKey: valueKey(keyword.text) })
  }
  if (schema !== null) {
    const others = prefix === null ? 0 : await countPrefix(session.connection, prefix)
    await boundLookups(session, keyword, others)
  }
  const matches = matchesOf(session.connection.dialect, keyword)
  if (matches !== null && matches.length > 0) {
    const filter = await schemaFilter(session, query)
    if (filter === null) return { total: 0, rows: [] }
    const offset = (query.page - 1) * query.size
    return await readMatches(session, query, matches, filter, newestFirst, query.size, offset)
  }
  return await listByAddressAndValue(session, query)
}

/** The same page as the text of a JSON array of summaries. */
export async function listSummariesByKeyword(
  session: ReadSession,
  query: Omit<KeywordAttestationQuery, 'fields'>,
): Promise<{ readonly total: number; readonly rowsJson: string }> {
  const fields = { detail: false, schema: false }
  const { total, rows } = await listAttestationsByKeyword(session, { ...query, fields })
  return { total, rowsJson: `[${rows.map((row) => `{${row.summaryJson}}`).join(',')}]` }
}

/** Searches the best attestations by `matchRank`; among equals in the order of the listing. */
export async function searchAttestations(
  session: ReadSession,
  keyword: ClassifiedKeyword,
  limit: number,
): Promise<SearchGroup<StoredAttestation>> {
  const query = { schema: null, keyword, page: 1, size: limit, fields: { detail: false, schema: false } }
  const prefix = shortPrefixOf(keyword)
  if (prefix !== null) {
    await boundLookups(session, keyword, 0)
    return await searchByPrefix(session, { ...query, digits: prefix, valueKey: valueKey(keyword.text) })
  }
  const matches = matchesOf(session.connection.dialect, keyword)
  if (matches === null || matches.length === 0) return await listByAddressAndValue(session, query)
  return await readMatches(session, query, matches, noTerm, `m.rank, ${newestFirst}`, limit, 0)
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
): Promise<void> {
  const { bound } = connection.dialect
  const few = `(SELECT 1 FROM value_posting WHERE value_key = ? LIMIT ${bound}) AS few`
  const values = await countFrom(connection, few, [valueKey(text), lookupsMax + 1])
  if (values + others <= lookupsMax) return
  throw new StoreTooMuchWorkError('a keyword finds more rows than can be looked at one by one', {
    facts: { lookupsMax },
  })
}

const newestFirst = 'a.attest_timestamp DESC, a.chain_id DESC, a.id DESC'

/** Lower is better. Matches of an address have no ranks: they are walked in the order of listings. */
const matchRank = { exact: 0, value: 1, prefix: 2 } as const

/**
 * Selects the `id` and `rank` of the attestations that a keyword finds by an id or a hash. These are gathered, then
 * ordered; one may occur twice. Empty where only values can match; null for an address, whose lists are walked in
 * order.
 */
function matchesOf(dialect: Dialect, { target }: ClassifiedKeyword): SqlText[] | null {
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
        match('prefix', 'local_id > ? AND local_id < ?', digits, `${digits}g`),
      ]
    }
    case 'number':
      return target.localId === null ? [] : [exactId(target.localId)]
    case 'text':
      return []
  }
}

function match(rank: keyof typeof matchRank, condition: string, ...parameters: SqlInput[]): SqlText {
  return term(`SELECT id, ${matchRank[rank]} AS rank FROM attestation WHERE ${condition}`, ...parameters)
}

async function readMatches(
  session: ReadSession,
  query: { readonly keyword: ClassifiedKeyword; readonly fields: AttestationFields },
  matches: readonly SqlText[],
  filter: SqlText,
  order: string,
  limit: number,
  offset: number,
): Promise<{ readonly total: number; readonly rows: readonly StoredAttestation[] }> {
  const { connection } = session
  const { dialect } = connection
  const { fields, keyword } = query
  const byValue = `SELECT id, ${matchRank.value} AS rank FROM value_posting WHERE value_key = ?`
  const all = [...matches, term(byValue, valueKey(keyword.text))]
  const parameters = [...all.flatMap((each) => each.parameters), ...filter.parameters]
  const found =
    `WITH m AS MATERIALIZED (SELECT id, min(rank) AS rank FROM (${all.map((each) => each.sql).join(' UNION ALL ')}) AS u ` +
    `${filter.sql} GROUP BY id)`
  const [count, rows] = await Promise.all([
    connection.get<[number]>(`${found} SELECT count(*) FROM m`, ...parameters),
    connection.all<AttestationRow>(
      `${found} SELECT ${attestationColumns(dialect, fields)} FROM m ${dialect.drivenJoin} attestation a ON a.id = m.id` +
        `${schemaJoin(dialect, fields)} ORDER BY ${order} LIMIT ${dialect.bound} OFFSET ${dialect.bound}`,
      ...parameters,
      limit,
      offset,
    ),
  ])
  return { total: count?.[0] ?? 0, rows: await storedAttestations(session, rows, fields) }
}

async function schemaFilter(session: ReadSession, query: KeywordAttestationQuery): Promise<SqlText | null> {
  if (query.schema === null) return noTerm
  const schema = await findSchemaRow(session.connection, query.schema)
  if (schema === null) return null
  return term('WHERE (SELECT schema_id FROM attestation f WHERE f.id = u.id) = ?', schema.id)
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
  { connection }: ReadSession,
  text: string,
  { schema }: KeywordAttestationQuery,
): Promise<WalkArm | null> {
  const { dialect } = connection
  if (schema === null) return valueArm(dialect, valueKey(text))
  const row = await findSchemaRow(connection, schema)
  if (row === null) return null
  return valueArm(dialect, valueKey(text), term(`${dialect.hidden('a.schema_id', 'integer')} = ?`, row.id))
}
