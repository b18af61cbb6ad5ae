import { clockDay, daySeconds, unixSeconds } from '../../model/time.ts'
import { dayKindOffset } from '../layout/dayLists.ts'
import type { RankList } from '../layout/listKinds.ts'
import type { Connection } from './connection.ts'
import { listWalks } from './rankLists.ts'

/**
 * How many entries of a list fall on each UTC day. A list within the threshold is counted when it is asked for; a larger
 * one has its counts in `list_count`, with the day as the scope.
 */

/** Brings the counts up to date after the list's rows have changed; the arguments are those of `updateRankTree`. */
export function updateDayCounts(
  connection: Connection,
  threshold: number,
  list: RankList,
  countBefore: number,
  countAfter: number,
  moved: readonly number[],
  sign: 1 | -1,
): void {
  const kind = list.kind + dayKindOffset
  if (countBefore <= threshold && countAfter <= threshold) return
  if (countAfter <= threshold) {
    connection.statement('DELETE FROM list_count WHERE kind = ? AND owner_id = ?').run(kind, list.ownerId)
    return
  }
  if (countBefore <= threshold) {
    for (const [day, count] of countDays(connection, list)) {
      writeCount(connection, kind, list.ownerId, day, count)
    }
    return
  }
  for (const [day, timestamps] of Map.groupBy(moved, (timestamp) => clockDay(unixSeconds(timestamp)))) {
    writeCount(connection, kind, list.ownerId, day, sign * timestamps.length)
  }
  if (sign > 0) return
  connection
    .statement('DELETE FROM list_count WHERE kind = ? AND owner_id = ? AND count = 0')
    .run(kind, list.ownerId)
}

function countDays(connection: Connection, list: RankList): [day: number, count: number][] {
  const { from, timestamp } = listWalks[list.kind]
  return connection
    .statement<[number, number]>(
      `SELECT ${timestamp} / ${daySeconds}, count(*) ${from} GROUP BY 1 ORDER BY 1`,
    )
    .all(list.ownerId, list.scopeId)
}

function writeCount(connection: Connection, kind: number, ownerId: number, day: number, moved: number): void {
  connection
    .statement(
      'INSERT INTO list_count (kind, owner_id, scope_id, count) VALUES (?, ?, ?, ?) ' +
        'ON CONFLICT DO UPDATE SET count = count + excluded.count',
    )
    .run(kind, ownerId, day, moved)
}
