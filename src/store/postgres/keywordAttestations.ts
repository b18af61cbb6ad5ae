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
import { findAddress, findAddressSources } from '../reading/addressLists.ts'
import { readAttestationPage, type AttestationWalk } from '../reading/attestationPage.ts'
import type { SqlInput } from './connection.ts'
import { pageBounds } from '../reading/locateOffset.ts'
import { countPrefix, isShortPrefix, listByPrefix, searchByPrefix } from './prefixAttestations.ts'
import type { ReadSession } from './readSession.ts'
import {
  attestationColumns,
  schemaJoin,
  storedAttestationOfRow,
  type AttestationRow,
} from './storedAttestation.ts'
import { findSchemaRow } from '../reading/storedSchema.ts'

export type KeywordAttestationQuery = AttestationQuery & { readonly keyword: ClassifiedKeyword }

/** The attestations that a keyword finds, under a schema or under any, in the order of the listing. */
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
    await boundLookups(session, keyword, prefix === null ? 0 : await countPrefix(session, prefix))
  }
  const matches = matchesOf(keyword)
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

/** The best of them by `matchRank`, then in the order of the listing. */
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
  const matches = matchesOf(keyword)
  if (matches === null || matches.length === 0) return await listByAddressAndValue(session, query)
  const order = `m.rank, ${newestFirst}`
  return await readMatches(session, query, matches, { sql: '', parameters: [] }, order, limit, 0)
}

function shortPrefixOf({ target }: ClassifiedKeyword): string | null {
  return target.kind === 'hexPrefix' && isShortPrefix(target.digits) ? target.digits : null
}

/**
 * Who holds the keyword as a value is counted in the index before each row of it is looked at, beside `others`.
 * @throws StoreTooMuchWorkError
 */
async function boundLookups(
  { connection, lookupsMax }: ReadSession,
  { text }: ClassifiedKeyword,
  others: number,
): Promise<void> {
  const values = await connection.get<[number]>(
    'SELECT count(*) FROM (SELECT 1 FROM value_posting WHERE value_key = ? LIMIT ?) AS few',
    valueKey(text),
    lookupsMax + 1,
  )
  if ((values?.[0] ?? 0) + others <= lookupsMax) return
  throw new StoreTooMuchWorkError('a keyword finds more rows than can be looked at one by one', {
    facts: { lookupsMax },
  })
}

const newestFirst = 'a.attest_timestamp DESC, a.chain_id DESC, a.id DESC'

/** How good a match is; an address has no ranks, its lists are walked. */
const matchRank = { exact: 0, value: 1, prefix: 2 }

interface Match {
  /** Selects `id` and `rank` of attestations; one may occur twice. */
  readonly sql: string
  readonly parameters: readonly SqlInput[]
}

/**
 * What a keyword finds by an id or a hash: sets that are gathered before they are ordered. Empty where only values can
 * match, null for an address, whose lists are walked in order.
 */
function matchesOf({ target }: ClassifiedKeyword): Match[] | null {
  switch (target.kind) {
    case 'compositeId':
      if (target.key === null) return []
      return [
        match(
          matchRank.exact,
          'local_id = ? AND chain_id = ?',
          target.key.localId.slice(2),
          target.key.chainId,
        ),
      ]
    case 'address':
      return null
    case 'hash':
      return [
        match(matchRank.exact, 'local_id = ?', target.hash.slice(2)),
        match(
          matchRank.exact,
          'transaction_key = ? AND transaction_hash = ?',
          transactionKey(target.hash),
          hexBytes(target.hash),
        ),
      ]
    case 'hexPrefix':
      if (target.digits === '') return []
      return [
        match(matchRank.exact, 'local_id = ?', target.digits),
        match(matchRank.prefix, 'local_id > ? AND local_id < ?', target.digits, `${target.digits}g`),
      ]
    case 'number':
      return target.localId === null ? [] : [match(matchRank.exact, 'local_id = ?', target.localId.slice(2))]
    case 'text':
      return []
  }
}

function match(rank: number, condition: string, ...parameters: readonly SqlInput[]): Match {
  return { sql: `SELECT id, ${rank} AS rank FROM attestation WHERE ${condition}`, parameters }
}

async function readMatches(
  { connection }: ReadSession,
  query: { readonly keyword: ClassifiedKeyword; readonly fields: AttestationFields },
  matches: readonly Match[],
  filter: Match,
  order: string,
  limit: number,
  offset: number,
): Promise<{ readonly total: number; readonly rows: readonly StoredAttestation[] }> {
  const byValue = {
    sql: `SELECT id, ${matchRank.value} AS rank FROM value_posting WHERE value_key = ?`,
    parameters: [valueKey(query.keyword.text)],
  }
  const all = [...matches, byValue]
  const parameters = [...all.flatMap((each) => each.parameters), ...filter.parameters]
  const found =
    `WITH m AS MATERIALIZED (SELECT id, min(rank) AS rank FROM (${all.map((each) => each.sql).join(' UNION ALL ')}) AS u ` +
    `${filter.sql} GROUP BY id)`
  const [count, rows] = await Promise.all([
    connection.get<[number]>(`${found} SELECT count(*) FROM m`, ...parameters),
    connection.all<AttestationRow>(
      `${found} SELECT ${attestationColumns(query.fields)} FROM m JOIN attestation a ON a.id = m.id` +
        `${schemaJoin(query.fields)} ORDER BY ${order} LIMIT ? OFFSET ?`,
      ...parameters,
      limit,
      offset,
    ),
  ])
  return { total: count?.[0] ?? 0, rows: rows.map(storedAttestationOfRow) }
}

async function schemaFilter(session: ReadSession, query: KeywordAttestationQuery): Promise<Match | null> {
  if (query.schema === null) return { sql: '', parameters: [] }
  const schema = await findSchemaRow(session.connection, query.schema)
  if (schema === null) return null
  return {
    sql: 'WHERE (SELECT schema_id FROM attestation f WHERE f.id = u.id) = ?',
    parameters: [schema.id],
  }
}

/** Attestations of an address, and those that hold the keyword as a value: disjoint lists, walked in order. */
async function listByAddressAndValue(
  session: ReadSession,
  query: KeywordAttestationQuery,
): Promise<Page<StoredAttestation>> {
  const { target, text } = query.keyword
  const address = target.kind === 'address' ? await findAddress(session.connection, target.address) : null
  const schema = query.schema === null ? null : ({ kind: 'key', key: query.schema } as const)
  const sources =
    address === null
      ? []
      : await findAddressSources(session, address, { role: 'either', chainId: null, schema })
  const values = await valueWalk(session, text, query)
  const valueCount = values === null ? 0 : await countWalk(session, values)
  const total = sources.reduce((sum, { counted }) => sum + counted.count, valueCount)
  const walks = sources.flatMap((source) => source.walks)
  if (values === null || valueCount === 0) {
    const lists = sources.map(({ counted }) => counted)
    const bounds = await pageBounds(session, lists, total, query)
    return {
      total,
      rows: bounds === null ? [] : await readAttestationPage(session, walks, bounds, query.fields),
    }
  }
  // Values have no rank tree: entries before the page are skipped one by one.
  const skip = (query.page - 1) * query.size
  if (skip >= total) return { total, rows: [] }
  const bounds = { maxTimestamp: Number.MAX_SAFE_INTEGER, skip, limit: query.size }
  return { total, rows: await readAttestationPage(session, [...walks, values], bounds, query.fields) }
}

async function valueWalk(
  { connection }: ReadSession,
  text: string,
  query: KeywordAttestationQuery,
): Promise<AttestationWalk | null> {
  const key = valueKey(text)
  const walk = { table: 'value_posting', chainId: null } as const
  if (query.schema === null) return { ...walk, condition: 'value_key = ?', parameters: [key] }
  const schema = await findSchemaRow(connection, query.schema)
  if (schema === null) return null
  return {
    ...walk,
    condition: 'value_key = ? AND (SELECT schema_id FROM attestation f WHERE f.id = value_posting.id) = ?',
    parameters: [key, schema.id],
  }
}

async function countWalk({ connection }: ReadSession, walk: AttestationWalk): Promise<number> {
  const row = await connection.get<[number]>(
    `SELECT count(*) FROM ${walk.table} WHERE ${walk.condition}`,
    ...walk.parameters,
  )
  return row?.[0] ?? 0
}
