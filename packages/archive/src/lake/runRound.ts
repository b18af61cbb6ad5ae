import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { asClause } from '@attestry/core/errors/baseError.ts'
import { emptyDigest, formatSum } from '@attestry/store/layout/eventDigest.ts'
import type { LakeTable, NewSegment } from './openTable.ts'
import { readRange, type LakeSource } from './readRange.ts'
import type { Segment, Tip } from './tableState.ts'

export interface LakeChain {
  readonly chainId: ChainId
  /** The blocks below the newest indexed one that may still change. */
  readonly finality: number
}

export interface RoundOptions<Row> {
  readonly source: LakeSource<Row>
  readonly chains: readonly LakeChain[]
  readonly tables: readonly LakeTable<Row>[]
  readonly signal: AbortSignal
  /** Events of a segment; more only within a block. */
  readonly eventsMax?: number
}

/** The result of one round of writing. */
export interface Round {
  /** Whether more final blocks follow already. */
  readonly hasMore: boolean
  /** Why chains are not in the lake any further. */
  readonly hindrances: ReadonlyMap<ChainId, string>
  /** Chains whose blocks in the lake were no longer those of the index: the rows were dropped, to be written anew. */
  readonly dropped: ReadonlySet<ChainId>
  /** Rows that were added, by the name of the table. */
  readonly rows: ReadonlyMap<string, number>
}

/** A killed process loses at most so much work for each chain. */
const segmentEventsMax = 500_000
/** Small segments of a chain in a table before they are merged. */
const smallMax = 16

const start: Tip = { block: -1, events: 0, digest: formatSum(emptyDigest) }

/**
 * Adds the next final blocks of each chain to the tables, in one snapshot a table, then merges small segments.
 * @throws PlaceUnavailableError, LakeRefusedError; the tables then have to be opened again.
 */
export async function runRound<Row>(options: RoundOptions<Row>): Promise<Round> {
  const { source, chains, tables, signal, eventsMax = segmentEventsMax } = options
  const added = new Map<LakeTable<Row>, NewSegment[]>(tables.map((table) => [table, []]))
  const dropped = new Map<LakeTable<Row>, Set<ChainId>>(tables.map((table) => [table, new Set()]))
  const hindrances = new Map<ChainId, string>()
  let hasMore = false
  for (const { chainId, finality } of chains) {
    const groups = Map.groupBy(tables, (table) => JSON.stringify(tipOf(table, chainId)))
    for (const group of groups.values()) {
      const [one] = group
      const from = one === undefined ? start : tipOf(one, chainId)
      const range = { chainId, finality, from, to: null, eventsMax, signal }
      const read = await readRange(source, group, range)
      if (read.kind === 'held') {
        if (read.hindrance !== null) hindrances.set(chainId, asClause(read.hindrance))
        continue
      }
      hasMore ||= read.kind !== 'whole'
      for (const [index, table] of group.entries()) {
        const files = read.files[index] ?? []
        if (read.kind === 'differs') {
          table.discard(files)
          dropped.get(table)?.add(chainId)
        } else if (read.tip.block > from.block) {
          added.get(table)?.push({ chainId, ...read.tip, files })
        }
      }
    }
  }
  for (const table of tables)
    await commitRound(table, added.get(table) ?? [], dropped.get(table) ?? new Set())
  for (const table of tables) {
    for (const chain of chains) await mergeSmall(options, table, chain)
  }
  const counts = tables.map((table): [string, number] => [
    table.name,
    (added.get(table) ?? []).flatMap(({ files }) => files).reduce((sum, { rows }) => sum + rows, 0),
  ])
  return {
    hasMore,
    hindrances,
    dropped: new Set([...dropped.values()].flatMap((set) => [...set])),
    rows: new Map(counts),
  }
}

async function commitRound<Row>(
  table: LakeTable<Row>,
  added: readonly NewSegment[],
  dropped: ReadonlySet<ChainId>,
): Promise<void> {
  if (added.length === 0 && dropped.size === 0) return
  const before = table.segments().filter(({ chainId }) => !dropped.has(chainId))
  const chainIds = new Set([...before, ...added].map(({ chainId }) => chainId).sort((a, b) => a - b))
  const segments = [...chainIds].flatMap((chainId) => {
    const known = before.filter((segment) => segment.chainId === chainId)
    const next = added.find((segment) => segment.chainId === chainId)
    const last = known.at(-1)
    if (next === undefined) return known
    // Blocks without rows make the last segment longer.
    if (next.files.length > 0 || last === undefined) return [...known, next]
    const { block, events, digest } = next
    return [...known.slice(0, -1), { ...last, block, events, digest }]
  })
  await table.commit(dropped.size > 0 ? 'overwrite' : 'append', segments)
}

/**
 * Merges the newest small segments of a chain by reading their blocks from the index again, which is as exact as the
 * first reading was. Segments grow like the digits of a number, so that a row is rewritten a few times at most.
 */
async function mergeSmall<Row>(
  { source, signal, eventsMax = segmentEventsMax }: RoundOptions<Row>,
  table: LakeTable<Row>,
  { chainId, finality }: LakeChain,
): Promise<void> {
  const ofChain = table.segments().filter((segment) => segment.chainId === chainId)
  const range = chooseMerge(ofChain, eventsMax)
  if (range === null) return
  const merged = ofChain.slice(range.first, range.last + 1)
  const [from = start, to = start] = [ofChain[range.first - 1], merged.at(-1)]
  const wanted = { chainId, finality, from: tip(from), to: tip(to), eventsMax, signal }
  const read = await readRange(source, [table], wanted)
  if (read.kind === 'held') return
  const [files = []] = read.files
  // The next round finds out that the chain differs.
  if (read.kind !== 'whole') return table.discard(files)
  const segments = table.segments().flatMap((segment): (Segment | NewSegment)[] => {
    if (segment === to) return [{ chainId, ...read.tip, files }]
    return merged.includes(segment) ? [] : [segment]
  })
  await table.commit('replace', segments)
}

/**
 * Chooses the segments to merge among those after the last large one. The merge begins with the first segment that is
 * not much larger than all later ones together, and ends once it is large. null if there are few small segments.
 */
export function chooseMerge(
  segments: readonly Pick<Segment, 'events'>[],
  eventsMax: number,
): { readonly first: number; readonly last: number } | null {
  const eventsUpTo = (index: number) => segments[index]?.events ?? 0
  const isLarge = (first: number, last: number) => eventsUpTo(last) - eventsUpTo(first - 1) >= eventsMax / 2
  const newest = segments.length - 1
  const large = segments.findLastIndex((_, index) => isLarge(index, index))
  if (newest - large <= smallMax) return null
  for (let first = large + 1; first < newest; first++) {
    const size = eventsUpTo(first) - eventsUpTo(first - 1)
    if (size > 2 * (eventsUpTo(newest) - eventsUpTo(first))) continue
    let last = first + 1
    while (last < newest && !isLarge(first, last)) last += 1
    return { first, last }
  }
  return null
}

function tipOf<Row>(table: LakeTable<Row>, chainId: ChainId): Tip {
  return tip(table.segments().findLast((segment) => segment.chainId === chainId) ?? start)
}

function tip({ block, events, digest }: Tip): Tip {
  return { block, events, digest }
}
