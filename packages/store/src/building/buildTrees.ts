import { addressRoles, kindsOfRole, listKind, type ListKind, type RankList } from '../layout/listKinds.ts'
import { clampTimestamp, encodeCounts, rankLevels } from '../layout/rankSpans.ts'
import type { RowOf } from '../layout/tables.ts'
import { listRows } from '../reading/listRows.ts'
import { lockState, type WriterState } from '../writing/writerState.ts'

/** Nodes that are written at a time. */
const nodesPerStep = 2_000

/** Builds the rank trees (rankTrees.ts) of all lists that are larger than the threshold, in one pass over each kind. */
export async function buildTrees(state: WriterState): Promise<void> {
  const { tables } = state
  const { rankThreshold: threshold } = state.start
  let nodes: RowOf<'rank_node'>[] = []
  const write = async () => {
    await tables.append('rank_node', nodes)
    nodes = []
  }
  for (const [kind, lists] of await largeLists(state)) {
    const { from, condition, timestamp } = listRows(tables.dialect)[kind]
    const entries = tables.batches<[owner: number, scope: number, timestamp: number, count: number]>(
      `SELECT k.owner, k.scope, ${timestamp}, count(*) FROM (${lists}) AS k CROSS JOIN ${from} ` +
        `WHERE ${condition('k.owner', 'k.scope')} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    )
    const tree = createTree(threshold, (node) => nodes.push(node))
    for await (const rows of entries) {
      for (const [ownerId, scopeId, second, count] of rows)
        tree.add({ kind, ownerId, scopeId }, second, count)
      if (nodes.length >= nodesPerStep) await write()
    }
    tree.end()
  }
  await write()
}

/** Selects the owners and scopes of the lists of each kind that are larger than the threshold. */
async function largeLists(state: WriterState): Promise<readonly (readonly [ListKind, string])[]> {
  const { rankThreshold: threshold } = state.start
  const { attestationCount, schemaCount } = await lockState(state)
  const owners = (table: string, count: string) =>
    `SELECT id AS owner, 0 AS scope FROM ${table} WHERE ${count} > ${threshold}`
  const parts = (kind: ListKind) =>
    `SELECT owner_id AS owner, scope_id AS scope FROM list_count WHERE kind = ${kind} AND count > ${threshold}`
  const counts = { created: 'created', receivedOther: 'received_other', receivedSelf: 'received_self' }
  const whole = 'SELECT 0 AS owner, 0 AS scope'
  return [
    ...(attestationCount > threshold ? [[listKind.attestations, whole] as const] : []),
    ...(schemaCount > threshold ? [[listKind.schemas, whole] as const] : []),
    [listKind.attestationsOfSchema, owners('schema', 'attestation_count')],
    [listKind.schemasOfRegistrant, owners('address', 'schemas_created')],
    [listKind.fieldValue, owners('field_value', 'count')],
    ...addressRoles.flatMap((role) => {
      const { all, onChain, underSchema } = kindsOfRole[role]
      return [
        [all, owners('address', counts[role])] as const,
        ...[onChain, underSchema].map((kind) => [kind, parts(kind)] as const),
      ]
    }),
  ]
}

/** The node of a level that holds the newest entry. */
interface OpenNode {
  prefix: number
  total: number
  counts: Uint32Array
}

/**
 * Makes the nodes of trees from entries that are ordered by list and time: at each level the nodes before that of the
 * newest entry are complete. A node exists if it has more entries than the threshold, and then so do those above it.
 */
function createTree(threshold: number, onNode: (node: RowOf<'rank_node'>) => void) {
  let list: RankList | null = null
  const open: OpenNode[] = []

  function close(fromLevel: number): void {
    for (const [index, { prefix, total, counts }] of open.splice(fromLevel).entries()) {
      if (list === null || total <= threshold) return
      onNode({
        kind: list.kind,
        owner_id: list.ownerId,
        scope_id: list.scopeId,
        level: fromLevel + index,
        prefix,
        counts: encodeCounts(counts),
      })
    }
  }

  return {
    add(of: RankList, timestamp: number, count: number): void {
      if (list?.ownerId !== of.ownerId || list.scopeId !== of.scopeId) {
        close(0)
        list = of
      }
      const second = clampTimestamp(timestamp)
      for (const [level, { seconds, children }] of rankLevels.entries()) {
        const child = Math.floor(second / seconds)
        const prefix = Math.floor(child / children)
        if (open[level]?.prefix !== prefix) close(level)
        const node = (open[level] ??= { prefix, total: 0, counts: new Uint32Array(children) })
        node.total += count
        node.counts[child % children] = (node.counts[child % children] ?? 0) + count
      }
    },
    end: () => close(0),
  }
}
