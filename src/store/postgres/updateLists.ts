import { clockDay, unixSeconds } from '../../model/time.ts'
import type { Changes } from '../layout/changes.ts'
import type { ListMove } from '../layout/entries.ts'
import { dayKindOffset } from '../layout/dayLists.ts'
import { addressRoles, kindsOfRole, listKind, type ListKind, type RankList } from '../layout/listKinds.ts'
import { readEntries } from './listEntries.ts'
import { updateRankTrees, type TreeMove } from './rankTree.ts'
import type { WriterState } from './writerState.ts'

/**
 * Brings what is kept of lists up to date after their rows have changed: rank trees, counts by day, and for the lists of addresses
 * the parts by chain and by schema with trees of their own. All of it exists only while the whole list is larger than the
 * threshold. However many lists there are, each table is read and written by a few statements.
 */
export async function updateLists(state: WriterState, changes: Changes): Promise<void> {
  const { connection, rankThreshold: threshold } = state
  const { sign } = changes
  const lists = movedLists(state, changes).filter(({ before, after }) => Math.max(before, after) > threshold)
  if (lists.length === 0) return
  const shrunk = lists.filter(({ after }) => after <= threshold)
  const grown = lists.filter(({ before }) => before <= threshold)
  const large = lists.filter(({ before, after }) => before > threshold && after > threshold)

  await dropLists(state, shrunk)
  const entries = await readEntries(
    connection,
    grown.map(({ list }) => ({ list, first: 0, last: Number.MAX_SAFE_INTEGER })),
  )
  const whole = grown.map((each, index) => ({ ...each, moves: entries[index] ?? [] }))
  const parts = await moveCounts(state, [...whole, ...large], sign)
  const grownKinds = new Set(grown.flatMap(({ list, parts: kinds }) => partKeys(kinds, list.ownerId)))
  const [newParts, oldParts] = split(parts, ({ list }) => grownKinds.has(partKey(list.kind, list.ownerId)))
  await updateRankTrees(
    state,
    [...large.map(treeMove), ...oldParts],
    [
      ...whole.map(({ list, moves }) => ({ list, timestamps: moves.map(timestampOf) })),
      ...newParts
        .filter(({ after }) => after > threshold)
        .map(({ list, moved }) => ({ list, timestamps: moved })),
    ],
    sign,
  )
}

/** A list that is no part of another one, as the transaction moved it. */
interface MovedList {
  readonly list: RankList
  readonly before: number
  readonly after: number
  readonly moves: readonly ListMove[]
  /** The kinds of its parts; null where it has none. */
  readonly parts: { readonly onChain: ListKind; readonly underSchema: ListKind } | null
}

function movedLists(state: WriterState, changes: Changes): MovedList[] {
  const { sign, attestationTimestamps, schemaTimestamps } = changes
  const lists: MovedList[] = []
  const add = (kind: ListKind, ownerId: number, before: number, timestamps: readonly number[]) => {
    if (timestamps.length === 0) return
    const moves = timestamps.map((timestamp) => ({ timestamp, chainId: 0, schemaId: 0 }))
    const after = before + sign * moves.length
    lists.push({ list: { kind, ownerId, scopeId: 0 }, before, after, moves, parts: null })
  }
  add(listKind.attestations, 0, state.attestationCount, attestationTimestamps)
  add(listKind.schemas, 0, state.schemaCount, schemaTimestamps)
  for (const { id, changes: moved } of changes.schemas) {
    if (moved === null) continue
    add(listKind.attestationsOfSchema, id, moved.attestationCountBefore, moved.timestamps)
  }
  for (const entry of changes.addresses) {
    const moved = entry.changes
    if (moved === null) continue
    add(listKind.schemasOfRegistrant, entry.id, moved.schemasCreatedBefore, moved.schemaTimestamps)
    for (const role of addressRoles) {
      const moves = moved.moves[role]
      if (moves.length === 0) continue
      const { all, onChain, underSchema } = kindsOfRole[role]
      const list = { kind: all, ownerId: entry.id, scopeId: 0 }
      lists.push({
        list,
        before: moved.countsBefore[role],
        after: entry[role],
        moves,
        parts: { onChain, underSchema },
      })
    }
  }
  return lists
}

/** Forgets everything that is kept of lists that have become small. */
async function dropLists({ connection }: WriterState, lists: readonly MovedList[]): Promise<void> {
  if (lists.length === 0) return
  const kinds = lists.flatMap(({ list, parts }) =>
    [list.kind, list.kind + dayKindOffset, ...(parts === null ? [] : [parts.onChain, parts.underSchema])].map(
      (kind) => ({ kind, ownerId: list.ownerId }),
    ),
  )
  for (const table of ['list_count', 'rank_node']) {
    await connection.run(
      `DELETE FROM ${table} t USING unnest(?::int[], ?::bigint[]) AS u (kind, owner_id) ` +
        'WHERE t.kind = u.kind AND t.owner_id = u.owner_id',
      kinds.map(({ kind }) => kind),
      kinds.map(({ ownerId }) => ownerId),
    )
  }
}

/** Moves the counts by day and of parts. Answers how the parts have moved. */
async function moveCounts(
  { connection }: WriterState,
  lists: readonly MovedList[],
  sign: 1 | -1,
): Promise<TreeMove[]> {
  const parts = lists.flatMap(partsOf)
  const counts = [
    ...lists.flatMap(daysOf),
    ...parts.map(({ list, moved }) => ({ ...list, moved: moved.length })),
  ]
  if (counts.length === 0) return []
  const keys = [
    counts.map(({ kind }) => kind),
    counts.map(({ ownerId }) => ownerId),
    counts.map(({ scopeId }) => scopeId),
  ]
  const rows = await connection.all<[kind: number, ownerId: number, scopeId: number, count: number]>(
    'INSERT INTO list_count AS c (kind, owner_id, scope_id, count) ' +
      'SELECT * FROM unnest(?::int[], ?::bigint[], ?::bigint[], ?::bigint[]) ON CONFLICT (kind, owner_id, scope_id) ' +
      'DO UPDATE SET count = c.count + excluded.count RETURNING c.kind, c.owner_id, c.scope_id, c.count',
    ...keys,
    counts.map(({ moved }) => sign * moved),
  )
  if (sign < 0) {
    await connection.run(
      'DELETE FROM list_count c USING unnest(?::int[], ?::bigint[], ?::bigint[]) AS u (kind, owner_id, scope_id) ' +
        'WHERE c.kind = u.kind AND c.owner_id = u.owner_id AND c.scope_id = u.scope_id AND c.count = 0',
      ...keys,
    )
  }
  const after = new Map(
    rows.map(([kind, ownerId, scopeId, count]) => [`${kind} ${ownerId} ${scopeId}`, count]),
  )
  return parts.map(({ list, moved }) => {
    const count = after.get(`${list.kind} ${list.ownerId} ${list.scopeId}`) ?? 0
    return { list, moved, before: count - sign * moved.length, after: count }
  })
}

interface PartMove {
  readonly list: RankList
  readonly moved: readonly number[]
}

function partsOf({ list, moves, parts }: MovedList): PartMove[] {
  if (parts === null) return []
  const movesBy = (kind: ListKind, scopeOf: (move: ListMove) => number) =>
    [...Map.groupBy(moves, scopeOf)].map(([scopeId, part]) => ({
      list: { kind, ownerId: list.ownerId, scopeId },
      moved: part.map(timestampOf),
    }))
  return [
    ...movesBy(parts.onChain, ({ chainId }) => chainId),
    ...movesBy(parts.underSchema, ({ schemaId }) => schemaId),
  ]
}

function daysOf({ list, moves }: MovedList) {
  const days = Map.groupBy(moves, ({ timestamp }) => clockDay(unixSeconds(timestamp)))
  return [...days].map(([day, { length }]) => {
    return { kind: list.kind + dayKindOffset, ownerId: list.ownerId, scopeId: day, moved: length }
  })
}

function partKeys(parts: MovedList['parts'], ownerId: number): string[] {
  return parts === null ? [] : [partKey(parts.onChain, ownerId), partKey(parts.underSchema, ownerId)]
}

function partKey(kind: ListKind, ownerId: number): string {
  return `${kind} ${ownerId}`
}

function split<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}

function treeMove({ list, before, after, moves }: MovedList): TreeMove {
  return { list, before, after, moved: moves.map(timestampOf) }
}

function timestampOf({ timestamp }: { readonly timestamp: number }): number {
  return timestamp
}
