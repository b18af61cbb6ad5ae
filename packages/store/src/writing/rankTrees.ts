import { StoreInvariantError } from '@attestry/core/errors/storeErrors.ts'
import type { RankList } from '../layout/listKinds.ts'
import {
  childAt,
  clampTimestamp,
  decodeCounts,
  encodeCounts,
  levelAt,
  rangeOfNode,
  rankLevels,
} from '../layout/rankSpans.ts'
import { keyColumns } from '../port/anyTables.ts'
import type { Tables } from '../port/tables.ts'
import { readTimestamps } from './listEntries.ts'
import type { WriterState } from './writerState.ts'

/**
 * A rank tree says how many entries of a list lie in each span of time. The entry at any offset is found by reading one
 * node a level instead of counting entries (docs/adr/0002). Invariants, after every commit:
 * 1. A node exists if and only if its range holds more entries than the threshold.
 * 2. Its counts are those of the list's rows.
 *
 * All trees that a transaction moves are brought up to date together, level by level. One call reads the nodes of a
 * level; at the end one call writes nodes and one deletes them. A node changes only if an entry came or went in its
 * range, so only the paths of those entries are looked at.
 */

/** The change of a list: its number of entries before and after, and the timestamps of entries that came or went. */
export interface TreeMove {
  readonly list: RankList
  readonly before: number
  readonly after: number
  readonly moved: readonly number[]
}

/** A list that has become larger than the threshold, with the timestamps of all its entries. */
export interface NewTree {
  readonly list: RankList
  readonly timestamps: readonly number[]
}

export async function updateRankTrees(
  state: WriterState,
  moves: readonly TreeMove[],
  newTrees: readonly NewTree[],
  sign: 1 | -1,
): Promise<void> {
  const { tables } = state
  const { rankThreshold: threshold } = state.start
  const written: Node[] = newTrees.flatMap(({ list, timestamps }) =>
    buildNodes(threshold, { list, level: 0, prefix: 0 }, timestamps.map(clampTimestamp)),
  )
  const deleted: NodePlace[] = []
  const unbuilt: NodePlace[] = []
  let spans: Span[] = moves.map(({ list, before, after, moved }) => {
    return { list, level: 0, prefix: 0, before, after, moved: moved.map(clampTimestamp) }
  })
  while (spans.length > 0) {
    // Four cases: the range stays small, becomes small, becomes large, stays large.
    const large = spans.filter(({ before, after }) => before > threshold && after > threshold)
    for (const span of spans) {
      if (span.before > threshold && span.after <= threshold) deleted.push(...pathsBelow(span))
      if (span.before <= threshold && span.after > threshold) unbuilt.push(span)
    }
    const nodes = await readNodes(tables, large)
    spans = large.flatMap((span, index) => {
      const counts = nodes[index]
      if (counts === undefined) throw driftError(span)
      written.push({ ...span, counts })
      return moveCounts(span, counts, sign)
    })
  }
  const ranges = unbuilt.map(({ list, level, prefix }) => ({ list, ...rangeOfNode(level, prefix) }))
  const timestamps = await readTimestamps(tables, ranges)
  for (const [index, place] of unbuilt.entries()) {
    written.push(...buildNodes(threshold, place, (timestamps[index] ?? []).map(clampTimestamp)))
  }
  await tables.put(
    'rank_node',
    written.map((node) => ({ ...nodeKey(node), counts: encodeCounts(node.counts) })),
  )
  await tables.remove('rank_node', nodeColumns, deleted.map(nodeKey))
}

interface NodePlace {
  readonly list: RankList
  readonly level: number
  readonly prefix: number
}

interface Node extends NodePlace {
  readonly counts: Uint32Array
}

interface Span extends NodePlace {
  readonly before: number
  readonly after: number
  readonly moved: readonly number[]
}

/** Moves the counts of a node; returns the spans of its children, empty at the lowest level. */
function moveCounts(span: Span, counts: Uint32Array, sign: 1 | -1): Span[] {
  const { list, level, prefix, moved } = span
  const { children: childCount } = levelAt(level)
  const children: Span[] = []
  for (const [child, movedOfChild] of groupByChild(moved, level)) {
    const before = counts[child] ?? 0
    const after = before + sign * movedOfChild.length
    if (after < 0) throw driftError(span)
    counts[child] = after
    children.push({
      list,
      level: level + 1,
      prefix: prefix * childCount + child,
      before,
      after,
      moved: movedOfChild,
    })
  }
  return level + 1 < rankLevels.length ? children : []
}

/** The node of a range and the nodes below it, from the timestamps of the range's entries. */
function buildNodes(
  threshold: number,
  { list, level, prefix }: NodePlace,
  timestamps: readonly number[],
): Node[] {
  const { children } = levelAt(level)
  const counts = new Uint32Array(children)
  const nodes: Node[] = [{ list, level, prefix, counts }]
  for (const [child, ofChild] of groupByChild(timestamps, level)) {
    counts[child] = ofChild.length
    if (ofChild.length <= threshold || level + 1 === rankLevels.length) continue
    nodes.push(
      ...buildNodes(threshold, { list, level: level + 1, prefix: prefix * children + child }, ofChild),
    )
  }
  return nodes
}

/** The places of all nodes of a range whose own range held an entry that has gone; not all of them need to exist. */
function pathsBelow({ list, level, prefix, moved }: Omit<Span, 'before' | 'after'>): NodePlace[] {
  const { children: childCount } = levelAt(level)
  const children = level + 1 === rankLevels.length ? [] : [...groupByChild(moved, level)]
  const below = children.flatMap(([child, ofChild]) =>
    pathsBelow({ list, level: level + 1, prefix: prefix * childCount + child, moved: ofChild }),
  )
  return [{ list, level, prefix }, ...below]
}

function groupByChild(timestamps: readonly number[], level: number): Map<number, number[]> {
  const spans = levelAt(level)
  return Map.groupBy(timestamps, (timestamp) => childAt(spans, timestamp))
}

async function readNodes(
  tables: Tables,
  places: readonly NodePlace[],
): Promise<readonly (Uint32Array | undefined)[]> {
  const isNode = nodeColumns.map((column) => `${column} = k.${column}`).join(' AND ')
  const rows = await tables.firstOf<[Uint8Array]>(
    `SELECT counts FROM rank_node WHERE ${isNode}`,
    keyColumns('rank_node', nodeColumns, places.map(nodeKey)),
  )
  return rows.map((row) => (row === undefined ? undefined : decodeCounts(row[0])))
}

const nodeColumns = ['kind', 'owner_id', 'scope_id', 'level', 'prefix'] as const

function nodeKey({ list, level, prefix }: NodePlace) {
  return { kind: list.kind, owner_id: list.ownerId, scope_id: list.scopeId, level, prefix }
}

function driftError({ list, level, prefix }: NodePlace): StoreInvariantError {
  return new StoreInvariantError('the rank tree of a list does not match its rows', {
    facts: { ...list, level, prefix },
  })
}
