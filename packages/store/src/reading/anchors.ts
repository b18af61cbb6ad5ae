import type { AnchorFilter, Slice, SliceRequest } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace, StoredAnchor } from '@attestry/core/index/storedRecords.ts'
import { positionMask } from '../layout/rowId.ts'
import { anchorValueKey } from '../layout/valueKey.ts'
import type { Dialect } from '../port/dialect.ts'
import type { Reads, SqlValue } from '../port/reads.ts'
import { isStorable } from './attestationFilter.ts'
import { attestationOrder } from './chooseWalk.ts'
import { listKnownChains } from './knownChains.ts'
import { sliceWalk } from './readSlice.ts'
import { findPlace, type OrderValueOf, type Walk, type WalkOrder } from './rowWalk.ts'
import type { ReadSession } from './session.ts'
import { allOf, noTerm, term } from './sqlTerms.ts'

/** A slice of the off-chain anchors that pass a filter; at most `rowsMax` rows are passed over. */
export async function sliceAnchors(
  session: ReadSession,
  { filter, ...request }: SliceRequest<AnchorFilter>,
  rowsMax: number,
): Promise<Slice<StoredAnchor>> {
  const { connection } = session
  const { dialect } = connection
  if (!isStorable(filter.kind)) return { rows: [], hasMore: false, scannedTo: null }
  const walk = await walkOf(session, filter)
  const rows = { columns: anchorColumns, joined: 'anchor a ON a.id = m.o', inWalk: dialect.readsRowsInWalk }
  const presentRow = (row: AnchorRow) => storedAnchorOfRow(dialect, row)
  return await sliceWalk(connection, walk, rows, presentRow, request, rowsMax)
}

/** The place of the `count`-th anchor that passes a filter, if an index finds it; null otherwise. */
export async function findAnchorPlace(
  session: ReadSession,
  filter: AnchorFilter,
  order: WalkOrder,
  count: number,
): Promise<RowPlace | 'end' | null> {
  if (!isStorable(filter.kind)) return null
  return await findPlace(session.connection, await walkOf(session, filter), order, count)
}

async function walkOf(session: ReadSession, filter: AnchorFilter): Promise<Walk> {
  return chooseWalk(session.connection.dialect, filter, attestationOrder(await listKnownChains(session)))
}

/** How many off-chain anchors pass a filter: those of one value are counted, for the others the writer has counters. */
export async function countAnchors(reads: Reads, filter: AnchorFilter): Promise<number> {
  const { value, kind, account, chainId } = filter
  if (!isStorable(kind)) return 0
  const from = value !== null ? 'anchor' : account !== null ? 'account_anchor' : 'anchor_count'
  const { sql, parameters } = allOf([
    value === null ? noTerm : term('value_key = ?', anchorValueKey(value)),
    kind === null ? noTerm : term('kind = ?', kind),
    account === null ? noTerm : term('account = ?', account),
    chainId === null ? noTerm : term('chain_id = ?', chainId),
  ])
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
  { value, kind, account, chainId }: AnchorFilter,
  orderValueOf: OrderValueOf,
): Walk {
  const keys = [
    ['value', 'a.value_key', value === null ? null : anchorValueKey(value)],
    ['account', 'a.account', account],
    ['kind', 'a.kind', kind],
  ] as const
  const [chosen, ...others] = keys.filter(([, , key]) => key !== null)
  const arm = {
    from: dialect.walked('anchor', 'a', `anchor_by_${chosen?.[0] ?? 'time'}`),
    join: '',
    timestamp: 'a.timestamp',
    chain: 'a.chain_id',
    order: 'a.id',
    condition: chosen === undefined ? noTerm : term(`${chosen[1]} = ?`, chosen[2]),
    chainId: null,
    chainInKey: true,
    rowCondition: null,
  }
  const terms = others.map(([, column, key]) => term(`${dialect.hidden(column, 'text')} = ?`, key))
  if (chainId !== null) terms.push(term(`${dialect.hidden('a.chain_id', 'integer')} = ?`, chainId))
  return { arms: [arm], condition: allOf(terms), orderValueOf }
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
