import type { RankList } from '../layout/listKinds.ts'
import { rankLevels, rankTimestampMax } from '../layout/rankSpans.ts'
import { countChildren, readNode } from './readList.ts'
import type { ReadSession } from './session.ts'

/** A list and the number of its entries, of all of them or of those in one span of time. */
export interface CountedList {
  readonly list: RankList
  readonly count: number
}

/** A page: skip `skip` entries of those whose timestamp is at most `maxTimestamp`, newest first. */
export interface PageBounds {
  readonly maxTimestamp: number
  readonly skip: number
  readonly limit: number
}

/**
 * Finds the entry at `offset`, newest first, of the union of disjoint lists. Descends their rank trees together, until
 * the span is so small that its entries can be skipped one by one. Lists without a tree in the span are counted.
 */
export async function locateOffset(
  session: ReadSession,
  lists: readonly CountedList[],
  offset: number,
  limit: number,
): Promise<PageBounds> {
  let inSpan = lists.filter(({ count }) => count > 0)
  let prefix = 0
  let skip = offset
  let maxTimestamp = Number.MAX_SAFE_INTEGER
  for (const [level, { seconds, children }] of rankLevels.entries()) {
    if (skip === 0 || inSpan.every(({ count }) => count <= session.rankThreshold)) break
    const found = nodesOf(session, inSpan, level, prefix)
    const nodes = found instanceof Promise ? await found : found
    const counts = addCounts(nodes)
    let child = children - 1
    while (child > 0) {
      const count = counts[child] ?? 0
      if (skip < count) break
      skip -= count
      child -= 1
    }
    const chosen = child
    prefix = prefix * children + chosen
    const last = (prefix + 1) * seconds - 1
    maxTimestamp = last >= rankTimestampMax ? Number.MAX_SAFE_INTEGER : last
    inSpan = inSpan
      .map(({ list }, index) => ({ list, count: nodes[index]?.[chosen] ?? 0 }))
      .filter(({ count }) => count > 0)
  }
  return { maxTimestamp, skip, limit }
}

/** The bounds of a page of the union of lists; null if it holds no rows. */
export async function pageBounds(
  session: ReadSession,
  lists: readonly CountedList[],
  total: number,
  request: { readonly page: number; readonly size: number },
): Promise<PageBounds | null> {
  const offset = (request.page - 1) * request.size
  if (offset >= total) return null
  const limit = Math.min(request.size, total - offset)
  return offset === 0
    ? { maxTimestamp: Number.MAX_SAFE_INTEGER, skip: 0, limit }
    : await locateOffset(session, lists, offset, limit)
}

/**
 * The counts of the children of one node in the tree of each list. Those that are remembered are not waited for: a page
 * deep in a list takes 5 % more processor time otherwise.
 */
function nodesOf(
  session: ReadSession,
  lists: readonly CountedList[],
  level: number,
  prefix: number,
): readonly Uint32Array[] | Promise<readonly Uint32Array[]> {
  const nodes = lists.map((list) => childCounts(session, list, level, prefix))
  const known = nodes.filter((node) => node instanceof Uint32Array)
  return known.length === nodes.length ? known : Promise.all(nodes.map((node) => Promise.resolve(node)))
}

/**
 * The counts of a node's children, from the tree or from the rows of the list; `count` is that of the node's span. Not
 * a promise where they are remembered.
 */
export function childCounts(
  session: ReadSession,
  { list, count }: CountedList,
  level: number,
  prefix: number,
): Uint32Array | Promise<Uint32Array> {
  const key = `${list.kind} ${list.ownerId} ${list.scopeId} ${level} ${prefix}`
  return session.memo.nodes.get(key) ?? findCounts(session, { list, count }, level, prefix, key)
}

async function findCounts(
  { connection, memo, rankThreshold }: ReadSession,
  { list, count }: CountedList,
  level: number,
  prefix: number,
  key: string,
): Promise<Uint32Array> {
  const counts =
    (count > rankThreshold ? await readNode(connection, list, level, prefix) : null) ??
    (await countChildren(connection, list, level, prefix))
  memo.nodes.set(key, counts)
  return counts
}

/** The counts of nodes of disjoint lists together. */
function addCounts(nodes: readonly Uint32Array[]): Uint32Array {
  const [first = new Uint32Array(), ...others] = nodes
  return others.length === 0
    ? first
    : first.map((count, child) => others.reduce((sum, counts) => sum + (counts[child] ?? 0), count))
}
