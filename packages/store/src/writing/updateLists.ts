import type { Changes } from '../layout/changes.ts'
import type { ListMove } from '../layout/entries.ts'
import { addressRoles, kindsOfRole, listKind, type ListKind, type RankList } from '../layout/listKinds.ts'
import type { StoredState } from '../port/tables.ts'
import { readEntries } from './listEntries.ts'
import { updateRankTrees, type TreeMove } from './rankTrees.ts'
import { lockState, type WriterState } from './writerState.ts'

/** Brings the lists of a chain's own schemas and values of fields up to date. */
export function updateOwnLists(state: WriterState, changes: Changes): Promise<void> {
  return updateLists(state, ownLists(state, changes), changes.sign)
}

/** Brings the lists up to date that hold records of all chains: the counts of addresses are written before. */
export async function updateSharedLists(state: WriterState, changes: Changes): Promise<void> {
  await updateLists(state, sharedLists(state, changes, await lockState(state)), changes.sign)
}

/**
 * Updates rank trees and counts after the rows of lists have changed. Each list has a tree. A list of an address also
 * has the counts of its parts by chain and by schema, each with a tree of its own. All of them exist only while the
 * whole list is larger than the threshold. Each table is read and written by a few calls, however many lists there are.
 */
async function updateLists(state: WriterState, lists: readonly MovedList[], sign: 1 | -1): Promise<void> {
  const { tables } = state
  const { rankThreshold: threshold } = state.start
  if (lists.length === 0) return
  const shrunk = lists.filter(({ after }) => after <= threshold)
  const grown = lists.filter(({ before }) => before <= threshold)
  const large = lists.filter(({ before, after }) => before > threshold && after > threshold)

  await dropLists(state, shrunk)
  const entries = await readEntries(
    tables,
    grown.map(({ list }) => list),
  )
  const whole = grown.map((each, index) => ({ ...each, moves: entries[index] ?? [] }))
  const newParts = await countParts(state, whole, sign)
  const oldParts = await countParts(state, large, sign)
  await updateRankTrees(
    state,
    [...large.map((list) => ({ ...list, moved: timestampsOf(list.moves) })), ...oldParts],
    [
      ...whole.map(({ list, moves }) => ({ list, timestamps: timestampsOf(moves) })),
      ...newParts
        .filter(({ after }) => after > threshold)
        .map(({ list, moved }) => ({ list, timestamps: moved })),
    ],
    sign,
  )
}

/** A list that is not a part of another one, as the transaction moved it. */
interface MovedList {
  readonly list: RankList
  readonly before: number
  readonly after: number
  readonly moves: readonly ListMove[]
  /** Null if it has none. */
  readonly parts: ListParts | null
}

/** The kinds of the parts of a list. */
interface ListParts {
  readonly onChain: ListKind
  readonly underSchema: ListKind
}

type CountedList = Pick<MovedList, 'list' | 'moves' | 'parts'>

/** The lists that were or are larger than the threshold; nearly all lists are small. */
function collectLists({ start: { rankThreshold } }: WriterState, sign: 1 | -1) {
  const lists: MovedList[] = []
  const isSmall = (before: number, moved: number) =>
    moved === 0 || Math.max(before, before + sign * moved) <= rankThreshold
  const addMoves = (
    kind: ListKind,
    ownerId: number,
    before: number,
    moves: readonly ListMove[],
    parts: ListParts | null,
  ) => {
    if (isSmall(before, moves.length)) return
    const after = before + sign * moves.length
    lists.push({ list: { kind, ownerId, scopeId: 0 }, before, after, moves, parts })
  }
  const add = (kind: ListKind, ownerId: number, before: number, timestamps: readonly number[]) => {
    if (isSmall(before, timestamps.length)) return
    const moves = timestamps.map((timestamp) => ({ timestamp, chainId: 0, schemaId: 0 }))
    addMoves(kind, ownerId, before, moves, null)
  }
  return { lists, add, addMoves, isSmall }
}

function ownLists(state: WriterState, { sign, schemas, fieldValues }: Changes): readonly MovedList[] {
  const { lists, add, isSmall } = collectLists(state, sign)
  for (const { id, changes: moved } of schemas) {
    if (moved === null) continue
    add(listKind.attestationsOfSchema, id, moved.attestationCountBefore, moved.timestamps)
  }
  for (const { valueId, before, attestations } of fieldValues) {
    if (isSmall(before, attestations.length)) continue
    const timestamps = attestations.map(({ timestamp }) => timestamp)
    add(listKind.fieldValue, valueId, before, timestamps)
  }
  return lists
}

/** `stored`: as it was before the transaction. */
function sharedLists(state: WriterState, changes: Changes, stored: StoredState): readonly MovedList[] {
  const { sign } = changes
  const { lists, add, addMoves } = collectLists(state, sign)
  add(listKind.attestations, 0, stored.attestationCount, changes.attestationTimestamps)
  add(listKind.schemas, 0, stored.schemaCount, changes.schemaTimestamps)
  for (const { id, changes: moved } of changes.addresses) {
    const after = moved?.after
    if (moved == null || after == null) continue
    const { moves, schemaTimestamps } = moved
    const schemasBefore = after.schemasCreated - sign * schemaTimestamps.length
    add(listKind.schemasOfRegistrant, id, schemasBefore, schemaTimestamps)
    for (const role of addressRoles) {
      const { all, onChain, underSchema } = kindsOfRole[role]
      const before = after[role] - sign * moves[role].length
      addMoves(all, id, before, moves[role], { onChain, underSchema })
    }
  }
  return lists
}

/** Deletes the trees and counts of lists that have become small. */
async function dropLists({ tables }: WriterState, lists: readonly MovedList[]): Promise<void> {
  const keys = lists.flatMap(({ list, parts }) =>
    [list.kind, ...(parts === null ? [] : [parts.onChain, parts.underSchema])].map((kind) => ({
      kind,
      owner_id: list.ownerId,
    })),
  )
  await tables.remove('list_count', ['kind', 'owner_id'], keys)
  await tables.remove('rank_node', ['kind', 'owner_id'], keys)
}

/** Moves the counts of the parts of lists. Resolves to the moves of the parts. */
async function countParts(
  { tables }: WriterState,
  lists: readonly CountedList[],
  sign: 1 | -1,
): Promise<TreeMove[]> {
  const parts = lists.flatMap(partsOf)
  const counts = await tables.addAndRead(
    'list_count',
    parts.map(({ list: { kind, ownerId, scopeId }, moved }) => {
      return { kind, owner_id: ownerId, scope_id: scopeId, count: sign * moved.length }
    }),
  )
  return parts.map(({ list, moved }, index) => {
    const after = counts[index] ?? 0
    return { list, moved, before: after - sign * moved.length, after }
  })
}

interface PartMove {
  readonly list: RankList
  readonly moved: readonly number[]
}

function partsOf({ list, moves, parts }: CountedList): PartMove[] {
  if (parts === null) return []
  const movesBy = (kind: ListKind, scopeOf: (move: ListMove) => number) =>
    [...Map.groupBy(moves, scopeOf)].map(([scopeId, part]) => ({
      list: { kind, ownerId: list.ownerId, scopeId },
      moved: timestampsOf(part),
    }))
  return [
    ...movesBy(parts.onChain, ({ chainId }) => chainId),
    ...movesBy(parts.underSchema, ({ schemaId }) => schemaId),
  ]
}

function timestampsOf(moves: readonly ListMove[]): number[] {
  return moves.map(({ timestamp }) => timestamp)
}
