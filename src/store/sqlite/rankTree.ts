import { StoreInvariantError } from '../../errors/storeErrors.ts'
import type { Connection } from './connection.ts'
import { listWalks, type RankList } from './rankLists.ts'

/**
 * A rank tree says how many entries of a list lie in each span of time, so that the entry at any offset is found by
 * reading one node a level instead of counting entries (docs/adr/0002). It divides the timestamps below 2^32 by their
 * bits; what lies beyond counts as the last of them. Invariants, after every commit:
 * 1. A node exists exactly where its range holds more entries than the threshold.
 * 2. Its counts are those of the list's rows.
 */

/** By how many bits a timestamp is shifted to get its child at a level, and how many bits that child has. */
export const rankLevels: readonly { readonly shift: number; readonly bits: number }[] = [
  { shift: 25, bits: 7 },
  { shift: 18, bits: 7 },
  { shift: 12, bits: 6 },
  { shift: 6, bits: 6 },
  { shift: 0, bits: 6 },
]

export const rankTimestampMax = 2 ** 32 - 1

export function clampTimestamp(timestamp: number): number {
  return timestamp > rankTimestampMax ? rankTimestampMax : timestamp
}

/** The timestamps, both included, that a node's range holds; the last range is open above. */
export function rangeOfNode(
  level: number,
  prefix: number,
): { readonly first: number; readonly last: number } {
  const { shift, bits } = levelAt(level)
  const width = 2 ** (shift + bits)
  const last = prefix * width + width - 1
  return { first: prefix * width, last: last >= rankTimestampMax ? Number.MAX_SAFE_INTEGER : last }
}

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

/** Counts are stored as 32-bit integers, least significant byte first, whatever the machine. */
function encodeCounts(counts: Uint32Array): Uint8Array {
  const bytes = Buffer.alloc(counts.length * 4)
  for (const [index, count] of counts.entries()) bytes.writeUInt32LE(count, index * 4)
  return bytes
}

function decodeCounts(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const counts = new Uint32Array(bytes.byteLength / 4)
  for (let index = 0; index < counts.length; index++) counts[index] = view.getUint32(index * 4, true)
  return counts
}

function levelAt(level: number): { readonly shift: number; readonly bits: number } {
  const found = rankLevels[level]
  if (found === undefined) throw new RangeError(`a rank tree has no level ${level}`)
  return found
}

function driftError(list: RankList, level: number, prefix: number): StoreInvariantError {
  return new StoreInvariantError('the rank tree of a list does not match its rows', {
    facts: { ...list, level, prefix },
  })
}
