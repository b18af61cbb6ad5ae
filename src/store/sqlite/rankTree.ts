import { StoreInvariantError } from '../../errors/storeErrors.ts'
import type { RankList } from '../layout/listKinds.ts'
import {
  clampTimestamp,
  decodeCounts,
  encodeCounts,
  levelAt,
  rangeOfNode,
  rankLevels,
  rankTimestampMax,
} from '../layout/rankSpans.ts'
import type { Connection } from './connection.ts'
import { listWalks } from './rankLists.ts'

/**
 * A rank tree says how many entries of a list lie in each span of time, so that the entry at any offset is found by
 * reading one node a level instead of counting entries (docs/adr/0002). It divides the timestamps below 2^32 by their
 * bits; what lies beyond counts as the last of them. Invariants, after every commit:
 * 1. A node exists exactly where its range holds more entries than the threshold.
 * 2. Its counts are those of the list's rows.
 */

export function readNode(
  connection: Connection,
  list: RankList,
  level: number,
  prefix: number,
): Uint32Array | null {
  const row = connection
    .statement<[Uint8Array]>(
      'SELECT counts FROM rank_node WHERE kind = ? AND owner_id = ? AND scope_id = ? AND level = ? AND prefix = ?',
    )
    .get(list.kind, list.ownerId, list.scopeId, level, prefix)
  return row === undefined ? null : decodeCounts(row[0])
}

/** The counts of a node's children as the list's rows give them now. */
export function countChildren(
  connection: Connection,
  list: RankList,
  level: number,
  prefix: number,
): Uint32Array {
  const { shift, bits } = levelAt(level)
  const { first, last } = rangeOfNode(level, prefix)
  const { from, timestamp } = listWalks[list.kind]
  const rows = connection
    .statement<[number, number]>(
      `SELECT (min(${timestamp}, ${rankTimestampMax}) >> ${shift}) & ${2 ** bits - 1}, count(*) ` +
        `${from} AND ${timestamp} BETWEEN ?3 AND ?4 GROUP BY 1`,
    )
    .all(list.ownerId, list.scopeId, first, last)
  const counts = new Uint32Array(2 ** bits)
  for (const [child, count] of rows) counts[child] = count
  return counts
}

/**
 * Brings the tree of a list up to date after its rows have changed. `moved` holds the timestamps of the entries that
 * came (`sign` 1) or went (-1); the rows are already as they shall be.
 */
export function updateRankTree(
  connection: Connection,
  threshold: number,
  list: RankList,
  countBefore: number,
  countAfter: number,
  moved: readonly number[],
  sign: 1 | -1,
): void {
  if (countBefore <= threshold && countAfter <= threshold) return
  const clamped = moved.map(clampTimestamp)
  updateNode({ connection, threshold, list, sign }, 0, 0, countBefore, countAfter, clamped)
}

interface TreeUpdate {
  readonly connection: Connection
  readonly threshold: number
  readonly list: RankList
  readonly sign: 1 | -1
}

function updateNode(
  update: TreeUpdate,
  level: number,
  prefix: number,
  countBefore: number,
  countAfter: number,
  moved: readonly number[],
): void {
  const { connection, threshold, list, sign } = update
  // Four cases: the range stays small, becomes small, becomes large, stays large.
  if (countBefore <= threshold && countAfter <= threshold) return
  if (countAfter <= threshold) return deleteNodes(update, level, prefix)
  if (countBefore <= threshold) return buildNode(update, level, prefix)

  const { shift, bits } = levelAt(level)
  const counts = readNode(connection, list, level, prefix)
  if (counts === null) throw driftError(list, level, prefix)
  for (const [child, movedOfChild] of groupByChild(moved, shift, bits)) {
    const before = counts[child] ?? 0
    const after = before + sign * movedOfChild.length
    if (after < 0) throw driftError(list, level, prefix)
    counts[child] = after
    if (level + 1 < rankLevels.length) {
      updateNode(update, level + 1, prefix * 2 ** bits + child, before, after, movedOfChild)
    }
  }
  writeNode(update, level, prefix, counts)
}

function groupByChild(moved: readonly number[], shift: number, bits: number): Map<number, number[]> {
  const groups = new Map<number, number[]>()
  for (const timestamp of moved) {
    const child = (timestamp >>> shift) & (2 ** bits - 1)
    const group = groups.get(child)
    if (group === undefined) groups.set(child, [timestamp])
    else group.push(timestamp)
  }
  return groups
}

function buildNode(update: TreeUpdate, level: number, prefix: number): void {
  const { connection, threshold, list } = update
  const counts = countChildren(connection, list, level, prefix)
  writeNode(update, level, prefix, counts)
  if (level + 1 === rankLevels.length) return
  const { bits } = levelAt(level)
  for (const [child, count] of counts.entries()) {
    if (count > threshold) buildNode(update, level + 1, prefix * 2 ** bits + child)
  }
}

function writeNode(update: TreeUpdate, level: number, prefix: number, counts: Uint32Array): void {
  const { kind, ownerId, scopeId } = update.list
  update.connection
    .statement(
      'INSERT INTO rank_node (kind, owner_id, scope_id, level, prefix, counts) VALUES (?, ?, ?, ?, ?, ?) ' +
        'ON CONFLICT DO UPDATE SET counts = excluded.counts',
    )
    .run(kind, ownerId, scopeId, level, prefix, encodeCounts(counts))
}

/** Removes the node and everything below it. */
function deleteNodes(update: TreeUpdate, level: number, prefix: number): void {
  const { kind, ownerId, scopeId } = update.list
  let width = 1
  for (let below = level; below < rankLevels.length; below++) {
    update.connection
      .statement(
        'DELETE FROM rank_node WHERE kind = ? AND owner_id = ? AND scope_id = ? AND level = ? AND prefix BETWEEN ? AND ?',
      )
      .run(kind, ownerId, scopeId, below, prefix * width, (prefix + 1) * width - 1)
    width *= 2 ** levelAt(below).bits
  }
}

function driftError(list: RankList, level: number, prefix: number): StoreInvariantError {
  return new StoreInvariantError('the rank tree of a list does not match its rows', {
    facts: { ...list, level, prefix },
  })
}
