import type { RankList } from '../layout/listKinds.ts'
import { decodeCounts, levelAt, rangeOfNode, rankTimestampMax } from '../layout/rankSpans.ts'
import type { Connection } from './connection.ts'
import { listRows } from './listRows.ts'

/** The entries of a list, counted one by one; for lists that are known to be small. */
export async function countList(connection: Connection, list: RankList): Promise<number> {
  const row = await connection.get<[number]>(`SELECT count(*) ${entriesOf(list)}`, list.ownerId, list.scopeId)
  return row?.[0] ?? 0
}

/** How many entries of a list have a timestamp from `first` on and before `before`, counted one by one. */
export async function countSpan(
  connection: Connection,
  list: RankList,
  first: number,
  before: number,
): Promise<number> {
  const { timestamp } = listRows[list.kind]
  const row = await connection.get<[number]>(
    `SELECT count(*) ${entriesOf(list)} AND ${timestamp} >= ? AND ${timestamp} < ?`,
    list.ownerId,
    list.scopeId,
    first,
    before,
  )
  return row?.[0] ?? 0
}

/** The entries of a list by UTC day, counted one by one, oldest first. */
export async function countDays(
  connection: Connection,
  list: RankList,
  daySeconds: number,
): Promise<[day: number, count: number][]> {
  const { timestamp } = listRows[list.kind]
  return await connection.all<[number, number]>(
    `SELECT ${timestamp} / ${daySeconds}, count(*) ${entriesOf(list)} GROUP BY 1 ORDER BY 1`,
    list.ownerId,
    list.scopeId,
  )
}

/** The counts of the children of a node of a list's rank tree; null where the tree has no such node. */
export async function readNode(
  connection: Connection,
  list: RankList,
  level: number,
  prefix: number,
): Promise<Uint32Array | null> {
  const row = await connection.get<[Uint8Array]>(
    'SELECT counts FROM rank_node WHERE kind = ? AND owner_id = ? AND scope_id = ? AND level = ? AND prefix = ?',
    list.kind,
    list.ownerId,
    list.scopeId,
    level,
    prefix,
  )
  return row === undefined ? null : decodeCounts(row[0])
}

/** The counts that a node would have, from the rows. */
export async function countChildren(
  connection: Connection,
  list: RankList,
  level: number,
  prefix: number,
): Promise<Uint32Array> {
  const { shift, bits } = levelAt(level)
  const { first, last } = rangeOfNode(level, prefix)
  const { timestamp } = listRows[list.kind]
  const rows = await connection.all<[number, number]>(
    `SELECT (least(${timestamp}, ${rankTimestampMax}) >> ${shift}) & ${2 ** bits - 1}, count(*) ` +
      `${entriesOf(list)} AND ${timestamp} BETWEEN ? AND ? GROUP BY 1`,
    list.ownerId,
    list.scopeId,
    first,
    last,
  )
  const counts = new Uint32Array(2 ** bits)
  for (const [child, count] of rows) counts[child] = count
  return counts
}

/** `FROM … WHERE …`: the entries of a list, whose owner and scope are the first two parameters. */
function entriesOf({ kind }: RankList): string {
  const { from, condition } = listRows[kind]
  return (
    'FROM (SELECT ?::bigint AS owner, ?::bigint AS scope, ARRAY(SELECT chain_id FROM chain) AS chains) AS r ' +
    `CROSS JOIN ${from} WHERE ${condition}`
  )
}
