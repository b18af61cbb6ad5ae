import { StoreInvariantError } from '../../errors/storeErrors.ts'
import type { RankList } from '../layout/listKinds.ts'
import {
  clampTimestamp,
  decodeCounts,
  encodeCounts,
  levelAt,
  rangeOfNode,
  rankLevels,
} from '../layout/rankSpans.ts'
import { readEntries } from './listEntries.ts'
import type { WriterState } from './writerState.ts'

/**
 * A rank tree says how many entries of a list lie in each span of time, so that the entry at any offset is found by
 * reading one node a level instead of counting entries (docs/adr/0002). Invariants, after every commit:
 * 1. A node exists exactly where its range holds more entries than the threshold.
 * 2. Its counts are those of the list's rows.
 *
 * All trees that a transaction moves are brought up to date together, level by level: one statement reads the nodes of a level, and
 * at the end one writes and one deletes. Whatever node changes has an entry that came or went in its range, so that the paths of
 * those entries are all there is to look at.
 */

/** How a list's entries moved: how many there were and are, and the timestamps of those that came or went. */
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
  const { rankThreshold: threshold } = state
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
    const nodes = await readNodes(state, large)
    spans = large.flatMap((span, index) => {
      const counts = nodes[index]
      if (counts === undefined) throw driftError(span)
      written.push({ ...span, counts })
      return moveCounts(span, counts, sign)
    })
  }
  const ranges = unbuilt.map(({ list, level, prefix }) => ({ list, ...rangeOfNode(level, prefix) }))
  const entries = await readEntries(state.connection, ranges)
  for (const [index, place] of unbuilt.entries()) {
    const timestamps = (entries[index] ?? []).map(({ timestamp }) => clampTimestamp(timestamp))
    written.push(...buildNodes(threshold, place, timestamps))
  }
  await writeNodes(state, written)
  await deleteNodes(state, deleted)
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

/** Moves the counts of a node; answers the spans of its children, none where there are none. */
function moveCounts(span: Span, counts: Uint32Array, sign: 1 | -1): Span[] {
  const { list, level, prefix, moved } = span
  const { bits } = levelAt(level)
  const children: Span[] = []
  for (const [child, movedOfChild] of groupByChild(moved, level)) {
    const before = counts[child] ?? 0
    const after = before + sign * movedOfChild.length
    if (after < 0) throw driftError(span)
    counts[child] = after
    children.push({
      list,
      level: level + 1,
      prefix: prefix * 2 ** bits + child,
      before,
      after,
      moved: movedOfChild,
    })
  }
  return level + 1 < rankLevels.length ? children : []
}

/** The node of a range with all that belong below it, from the timestamps of the range's entries. */
function buildNodes(
  threshold: number,
  { list, level, prefix }: NodePlace,
  timestamps: readonly number[],
): Node[] {
  const { bits } = levelAt(level)
  const counts = new Uint32Array(2 ** bits)
  const nodes: Node[] = [{ list, level, prefix, counts }]
  for (const [child, ofChild] of groupByChild(timestamps, level)) {
    counts[child] = ofChild.length
    if (ofChild.length <= threshold || level + 1 === rankLevels.length) continue
    nodes.push(
      ...buildNodes(threshold, { list, level: level + 1, prefix: prefix * 2 ** bits + child }, ofChild),
    )
  }
  return nodes
}

/** The places of all nodes that may be there of a range and hold an entry that has gone. */
function pathsBelow({ list, level, prefix, moved }: Span): NodePlace[] {
  const { bits } = levelAt(level)
  const below =
    level + 1 === rankLevels.length
      ? []
      : [...groupByChild(moved, level)].flatMap(([child, ofChild]) =>
          pathsBelow({
            list,
            level: level + 1,
            prefix: prefix * 2 ** bits + child,
            before: 0,
            after: 0,
            moved: ofChild,
          }),
        )
  return [{ list, level, prefix }, ...below]
}

function groupByChild(timestamps: readonly number[], level: number): Map<number, number[]> {
  const { shift, bits } = levelAt(level)
  return Map.groupBy(timestamps, (timestamp) => (timestamp >>> shift) & (2 ** bits - 1))
}

async function readNodes(
  { connection }: WriterState,
  places: readonly NodePlace[],
): Promise<readonly (Uint32Array | undefined)[]> {
  const nodes = places.map((): Uint32Array | undefined => undefined)
  if (places.length === 0) return nodes
  const rows = await connection.all<[number, Uint8Array]>(
    `SELECT u.ordinal, n.counts FROM ${placeRows} WITH ORDINALITY AS u (kind, owner_id, scope_id, level, prefix, ordinal) ` +
      `JOIN rank_node n USING (kind, owner_id, scope_id, level, prefix)`,
    ...placeColumns(places),
  )
  for (const [ordinal, counts] of rows) nodes[ordinal - 1] = decodeCounts(counts)
  return nodes
}

async function writeNodes({ connection }: WriterState, nodes: readonly Node[]): Promise<void> {
  if (nodes.length === 0) return
  await connection.run(
    'INSERT INTO rank_node (kind, owner_id, scope_id, level, prefix, counts) ' +
      'SELECT * FROM unnest(?::int[], ?::bigint[], ?::bigint[], ?::int[], ?::bigint[], ?::bytea[]) ' +
      'ON CONFLICT (kind, owner_id, scope_id, level, prefix) DO UPDATE SET counts = excluded.counts',
    ...placeColumns(nodes),
    nodes.map(({ counts }) => encodeCounts(counts)),
  )
}

async function deleteNodes({ connection }: WriterState, places: readonly NodePlace[]): Promise<void> {
  if (places.length === 0) return
  await connection.run(
    `DELETE FROM rank_node n USING ${placeRows} AS u (kind, owner_id, scope_id, level, prefix) WHERE n.kind = u.kind ` +
      'AND n.owner_id = u.owner_id AND n.scope_id = u.scope_id AND n.level = u.level AND n.prefix = u.prefix',
    ...placeColumns(places),
  )
}

const placeRows = 'unnest(?::int[], ?::bigint[], ?::bigint[], ?::int[], ?::bigint[])'

function placeColumns(places: readonly NodePlace[]): number[][] {
  return [
    places.map(({ list }) => list.kind),
    places.map(({ list }) => list.ownerId),
    places.map(({ list }) => list.scopeId),
    places.map(({ level }) => level),
    places.map(({ prefix }) => prefix),
  ]
}

function driftError({ list, level, prefix }: NodePlace): StoreInvariantError {
  return new StoreInvariantError('the rank tree of a list does not match its rows', {
    facts: { ...list, level, prefix },
  })
}
