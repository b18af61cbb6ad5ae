import { daySeconds } from '@attestry/core/model/time.ts'
import type { RankList } from '../layout/listKinds.ts'
import { decodeCounts, levelAt, rangeOfNode, rankTimestampMax } from '../layout/rankSpans.ts'
import type { Reads, SqlText } from '../port/reads.ts'
import { countFrom } from './countFrom.ts'
import { listRows } from './listRows.ts'

/** The entries of a list, counted one by one; for lists that are known to be small. */
export async function countList(reads: Reads, list: RankList): Promise<number> {
  const { sql, parameters } = entriesOf(reads, list)
  return await countFrom(reads, sql, parameters)
}

/**
 * Counts the entries of a list that have a timestamp from `first` on and before `before`, one by one, up to the row id
 * `last` (of schemas: the position). A `last` of null sets no bound.
 */
export async function countSpan(
  reads: Reads,
  list: RankList,
  first: number,
  before: number,
  last: bigint | null = null,
): Promise<number> {
  const { sql, parameters, timestamp, order } = entriesOf(reads, list)
  const isWithin = `${timestamp} >= ? AND ${timestamp} < ?`
  if (last === null) return await countFrom(reads, `${sql} AND ${isWithin}`, [...parameters, first, before])
  return await countFrom(reads, `${sql} AND ${isWithin} AND ${order} <= ?`, [
    ...parameters,
    first,
    before,
    last,
  ])
}

/** The entries of a list by UTC day from a day on, counted one by one, oldest first. */
export function countDays(
  reads: Reads,
  list: RankList,
  firstDay: number,
): Promise<[day: number, count: number][]> {
  const { sql, parameters, timestamp } = entriesOf(reads, list)
  return reads.all<[number, number]>(
    `SELECT ${timestamp} / ${daySeconds}, count(*) FROM ${sql} AND ${timestamp} >= ? GROUP BY 1 ORDER BY 1`,
    ...parameters,
    firstDay * daySeconds,
  )
}

/** The counts of the children of a node of a list's rank tree; null if the tree has no such node. */
export async function readNode(
  reads: Reads,
  list: RankList,
  level: number,
  prefix: number,
): Promise<Uint32Array | null> {
  const row = await reads.get<[Uint8Array]>(
    'SELECT counts FROM rank_node WHERE kind = ? AND owner_id = ? AND scope_id = ? AND level = ? AND prefix = ?',
    list.kind,
    list.ownerId,
    list.scopeId,
    level,
    prefix,
  )
  return row === undefined ? null : decodeCounts(row[0])
}

/** The counts that a node would have, counted from the rows of the list. */
export async function countChildren(
  reads: Reads,
  list: RankList,
  level: number,
  prefix: number,
): Promise<Uint32Array> {
  const { seconds, children } = levelAt(level)
  const { first, last } = rangeOfNode(level, prefix)
  const { sql, parameters, timestamp } = entriesOf(reads, list)
  const clamped = `CASE WHEN ${timestamp} > ${rankTimestampMax} THEN ${rankTimestampMax} ELSE ${timestamp} END`
  const rows = await reads.all<[number, number]>(
    `SELECT (${clamped}) / ${seconds} % ${children}, count(*) FROM ${sql} AND ${timestamp} BETWEEN ? AND ? GROUP BY 1`,
    ...parameters,
    first,
    last,
  )
  const counts = new Uint32Array(children)
  for (const [child, count] of rows) counts[child] = count
  return counts
}

/** `<table> WHERE …`: the entries of a list. */
function entriesOf(
  { dialect }: Reads,
  { kind, ownerId, scopeId }: RankList,
): SqlText & { readonly timestamp: string; readonly order: string } {
  const { from, condition, hasOwner, hasScope, timestamp, order } = listRows(dialect)[kind]
  return {
    sql: `${from} WHERE ${condition('?', '?')}`,
    parameters: [...(hasOwner ? [ownerId] : []), ...(hasScope ? [scopeId] : [])],
    timestamp,
    order,
  }
}
