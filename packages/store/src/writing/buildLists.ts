import { addressRoles, kindsOfRole, listKind, type RankList } from '../layout/listKinds.ts'
import { readEntries } from './listEntries.ts'
import { updateRankTrees } from './rankTrees.ts'
import { countParts, type ListParts } from './updateLists.ts'
import { lockState, type WriterState } from './writerState.ts'

/** Maximum number of entries that are read at once; a single larger list is still read whole. */
const entriesMax = 200_000

interface LargeList {
  readonly list: RankList
  readonly count: number
  readonly parts: ListParts | null
}

/**
 * Builds the rank trees and part counts of all lists that are larger than the threshold from their rows, as
 * `updateLists` would have built them row by row. Expects that there are no trees or part counts yet.
 */
export async function buildLists(state: WriterState): Promise<void> {
  let group: LargeList[] = []
  let entries = 0
  for (const large of await findLarge(state)) {
    if (entries + large.count > entriesMax && group.length > 0) {
      await buildGroup(state, group)
      group = []
      entries = 0
    }
    group.push(large)
    entries += large.count
  }
  await buildGroup(state, group)
}

async function buildGroup(state: WriterState, group: readonly LargeList[]): Promise<void> {
  if (group.length === 0) return
  const { rankThreshold: threshold } = state.start
  const entries = await readEntries(
    state.tables,
    group.map(({ list }) => list),
  )
  const lists = group.map(({ list, parts }, index) => ({ list, parts, moves: entries[index] ?? [] }))
  const parts = await countParts(state, lists, 1)
  const trees = [
    ...lists.map(({ list, moves }) => ({ list, timestamps: moves.map(({ timestamp }) => timestamp) })),
    ...parts.flatMap(({ list, after, moved }) => (after > threshold ? [{ list, timestamps: moved }] : [])),
  ]
  await updateRankTrees(state, [], trees, 1)
}

/** The lists that are larger than the threshold. */
async function findLarge(state: WriterState): Promise<readonly LargeList[]> {
  const { tables } = state
  const { rankThreshold: threshold } = state.start
  const { attestationCount, schemaCount } = await lockState(state)
  const found: LargeList[] = []
  const add = (list: Omit<RankList, 'scopeId'>, count: number, parts: ListParts | null = null) => {
    if (count > threshold) found.push({ list: { ...list, scopeId: 0 }, count, parts })
  }
  add({ kind: listKind.attestations, ownerId: 0 }, attestationCount)
  add({ kind: listKind.schemas, ownerId: 0 }, schemaCount)
  for (const [id, count] of await tables.all<[number, number]>(
    'SELECT id, attestation_count FROM schema WHERE attestation_count > ?',
    threshold,
  )) {
    add({ kind: listKind.attestationsOfSchema, ownerId: id }, count)
  }
  for (const [id, schemasCreated, ...counts] of await tables.all<[number, number, number, number, number]>(
    'SELECT id, schemas_created, created, received_other, received_self FROM address ' +
      'WHERE schemas_created > ? OR created > ? OR received_other > ? OR received_self > ?',
    threshold,
    threshold,
    threshold,
    threshold,
  )) {
    add({ kind: listKind.schemasOfRegistrant, ownerId: id }, schemasCreated)
    const [created, receivedOther, receivedSelf] = counts
    const countOf = { created, receivedOther, receivedSelf }
    for (const role of addressRoles) {
      const { all, onChain, underSchema } = kindsOfRole[role]
      add({ kind: all, ownerId: id }, countOf[role], { onChain, underSchema })
    }
  }
  for (const [id, count] of await tables.all<[number, number]>(
    'SELECT id, count FROM field_value WHERE count > ?',
    threshold,
  )) {
    add({ kind: listKind.fieldValue, ownerId: id }, count)
  }
  return found
}
