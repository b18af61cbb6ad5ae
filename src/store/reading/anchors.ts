import type { AnchorFilter, RowPlace, Slice, SliceRequest, StoredAnchor } from '../indexQueries.ts'
import { positionMask } from '../layout/rowId.ts'
import { anchorValueKey } from '../layout/valueKey.ts'
import type { Dialect } from '../port/dialect.ts'
import type { Reads, SqlInput, SqlText, SqlValue } from '../port/reads.ts'
import { isStorable } from './attestationFilter.ts'
import { listKnownChains } from './knownChains.ts'
import { readSlice } from './readSlice.ts'
import {
  beginRange,
  findBoundary,
  keysSql,
  type OrderValueOf,
  type WalkArm,
  type WalkRange,
} from './rowWalk.ts'
import type { ReadSession } from './session.ts'
import { attestationOrder, comparePlaces } from './sliceAttestations.ts'

/** A slice of the off-chain anchors that pass a filter; at most `rowsMax` rows are passed over. */
export async function sliceAnchors(
  session: ReadSession,
  { filter, order, after, limit }: SliceRequest<AnchorFilter>,
  rowsMax: number,
): Promise<Slice<StoredAnchor>> {
  const { connection } = session
  if (!isStorable(filter.kind)) return { rows: [], hasMore: false, scannedTo: null }
  const orderValueOf = attestationOrder(await listKnownChains(session))
  const { arm, condition } = chooseWalk(connection.dialect, filter)
  const source = {
    hasCondition: condition.sql !== '',
    check: null,
    readRows: (range: WalkRange, count: number) =>
      readRows(connection, arm, range, condition, count, orderValueOf),
    findBoundary: (range: WalkRange, count: number) =>
      findBoundary(connection, [arm], range, count, orderValueOf),
  }
  const range = beginRange({ order, after, from: null, before: null })
  return await readSlice<StoredAnchor>(source, range, limit, rowsMax)
}

/** How many off-chain anchors pass a filter: those of one value are counted, for the others the writer has counters. */
export async function countAnchors(reads: Reads, filter: AnchorFilter): Promise<number> {
  const { value, kind, account } = filter
  if (!isStorable(kind)) return 0
  const terms: SqlText[] = []
  const from = value !== null ? 'anchor' : account !== null ? 'account_anchor' : 'anchor_count'
  if (value !== null) terms.push({ sql: 'value_key = ?', parameters: [anchorValueKey(value)] })
  if (kind !== null) terms.push({ sql: 'kind = ?', parameters: [kind] })
  if (account !== null) terms.push({ sql: 'account = ?', parameters: [account] })
  const { sql, parameters } = joined(terms)
  const counted = value === null ? 'sum(count)' : 'count(*)'
  const row = await reads.get<[number | null]>(
    `SELECT CAST(${counted} AS bigint) FROM ${from}${sql === '' ? '' : ` WHERE ${sql}`}`,
    ...parameters,
  )
  return row?.[0] ?? 0
}

/** The walk by the index that leaves out most. */
function chooseWalk(
  dialect: Dialect,
  { value, kind, account }: AnchorFilter,
): { readonly arm: WalkArm; readonly condition: SqlText } {
  const terms: SqlText[] = []
  const add = (column: string, given: string | null) => {
    if (given !== null) terms.push({ sql: `${dialect.hidden(column, 'text')} = ?`, parameters: [given] })
  }
  if (value !== null) {
    add('a.account', account)
    add('a.kind', kind)
    return { arm: anchorArm(dialect, 'value', anchorValueKey(value)), condition: joined(terms) }
  }
  if (account !== null) {
    add('a.kind', kind)
    return { arm: anchorArm(dialect, 'account', account), condition: joined(terms) }
  }
  const arm = kind === null ? anchorArm(dialect, 'time', null) : anchorArm(dialect, 'kind', kind)
  return { arm, condition: joined(terms) }
}

const columnsOfIndex = { value: 'a.value_key', account: 'a.account', kind: 'a.kind', time: null }

function anchorArm(dialect: Dialect, index: keyof typeof columnsOfIndex, key: SqlInput): WalkArm {
  const column = columnsOfIndex[index]
  return {
    from: dialect.walked('anchor', 'a', `anchor_by_${index}`),
    join: '',
    timestamp: 'a.timestamp',
    chain: 'a.chain_id',
    order: 'a.id',
    condition: column === null ? { sql: '', parameters: [] } : { sql: `${column} = ?`, parameters: [key] },
    chainId: null,
    chainInKey: true,
    rowCondition: null,
  }
}

function joined(terms: readonly SqlText[]): SqlText {
  return {
    sql: terms.map(({ sql }) => sql).join(' AND '),
    parameters: terms.flatMap(({ parameters }) => parameters),
  }
}

export const anchorColumns =
  `a.timestamp, a.chain_id, a.id & ${positionMask}, a.protocol, a.kind, a.account, a.value, a.transaction_hash, ` +
  'a.reason'

export type AnchorRow = [
  timestamp: number,
  chainId: number,
  position: number,
  protocol: string,
  kind: string,
  account: string | null,
  value: SqlValue,
  transactionHash: string,
  reason: SqlValue,
]

async function readRows(
  { dialect, all }: Reads,
  arm: WalkArm,
  range: WalkRange,
  condition: SqlText,
  limit: number,
  orderValueOf: OrderValueOf,
): Promise<(StoredAnchor & { readonly place: RowPlace })[]> {
  const keys = keysSql(dialect, [arm], range, condition, { limit, skip: 0 }, orderValueOf)
  const rows = await all<AnchorRow>(
    `SELECT ${anchorColumns} FROM (${keys.sql}) AS m ${dialect.drivenJoin} anchor a ON a.id = m.o`,
    ...keys.parameters,
  )
  const anchors = rows.map((row) => storedAnchorOfRow(dialect, row))
  // SQL does not promise that a join keeps the order of what it is made from.
  return anchors.sort((a, b) => comparePlaces(a.place, b.place, range.order))
}

export function storedAnchorOfRow(
  dialect: Pick<Dialect, 'decodeText'>,
  [timestamp, chainId, position, protocol, kind, account, value, transactionHash, reason]: AnchorRow,
): StoredAnchor {
  return {
    place: { timestamp, chainId, position },
    protocol,
    kind,
    account: account as StoredAnchor['account'],
    value: dialect.decodeText(value),
    transactionHash: transactionHash as StoredAnchor['transactionHash'],
    reason: dialect.decodeText(reason),
  }
}
