import type { ChainId, RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Dialect } from '../port/dialect.ts'
import type { Reads, SqlInput, SqlText } from '../port/reads.ts'
import { term } from './sqlTerms.ts'

/**
 * The end of the rows of the index for answers as of a moment. The lists of one chain are in the order of its events,
 * since the times of blocks never fall: the rows that count are the older end of each list.
 */
export interface Cut {
  /** Unix seconds by which things expire; null if they are not known. */
  readonly at: number | null
  /** The chains of which anything counts. */
  readonly chains: readonly CutChain[]
  /** The one chain that counts, if the index has others; null if all of them count. */
  readonly chainId: ChainId | null
  /** The places in time of this cut, once they were found. */
  readonly places: Map<CutTable, Promise<CutPlace>>
}

export interface CutChain {
  readonly chainId: ChainId
  readonly block: number
  /** Its time in Unix seconds; null if it is not known. */
  readonly time: number | null
  /**
   * A time in Unix seconds that divides claims of revocations as the time of the block does; -1 if there is no block.
   * @throws the error of `AsOf.timeUnknown` if the time is not known and decides about a claim.
   */
  readonly claimTime: number
  /** The same for reads that no claim decides, such as names of schemas: attestations of EAS, which has no claims, give them. */
  readonly nameTime: number
  /** The row ids of the chain up to the block, and its positions. */
  readonly first: bigint
  readonly upTo: bigint
  readonly position: number
}

/** A table whose rows have an order of listings. */
export type CutTable = 'attestation' | 'schema'

/** The place of a cut in the order of listings. */
export interface CutPlace {
  /** All rows before this second count. */
  readonly from: number
  /** No row at or after this second counts. */
  readonly before: number
  /** The last row id (of attestations) or position (of schemas) that counts between the two; null: all rows count. */
  readonly last: bigint | null
}

/** The cut of a chain; null if nothing of the chain counts. */
export function cutOf({ chains }: Cut, chainId: ChainId): CutChain | null {
  return chains.find((each) => each.chainId === chainId) ?? null
}

/** Finds the place of the cut among the rows of a table, in the order of listings. */
export function placeOfCut(reads: Reads, cut: Cut, table: CutTable): Promise<CutPlace> {
  const known = cut.places.get(table)
  if (known !== undefined) return known
  const found = findPlace(reads, cut, table)
  cut.places.set(table, found)
  return found
}

async function findPlace(reads: Reads, cut: Cut, table: CutTable): Promise<CutPlace> {
  const [chain, ...others] = cut.chains
  if (chain === undefined) return { from: 0, before: 0, last: null }
  const last = table === 'attestation' ? chain.upTo : BigInt(chain.position)
  if (cut.at === null) return await findTimes(reads, chain, table)
  const place = { from: cut.at, before: cut.at + 1 }
  // A time divides no second.
  if (others.length > 0) return { ...place, last: null }
  const isDivided = await hasLater(reads, chain, table, place)
  return { ...place, last: isDivided ? last : null }
}

/** Without the time of the block, the attestations on both sides of the cut show between which times the block lies. */
async function findTimes(reads: Reads, chain: CutChain, table: CutTable): Promise<CutPlace> {
  const [older, newer] = await Promise.all([
    reads.get<[number]>(
      'SELECT attest_timestamp FROM attestation WHERE id >= ? AND id <= ? ORDER BY id DESC LIMIT 1',
      chain.first,
      chain.upTo,
    ),
    reads.get<[number]>(
      'SELECT attest_timestamp FROM attestation WHERE id > ? AND id < ? ORDER BY id LIMIT 1',
      chain.upTo,
      chain.first + 2n ** 53n,
    ),
  ])
  const from = older?.[0] ?? 0
  if (table === 'attestation') {
    return { from, before: from + 1, last: newer?.[0] === from ? chain.upTo : null }
  }
  const place = { from, before: newer === undefined ? Number.MAX_SAFE_INTEGER : newer[0] + 1 }
  return { ...place, last: (await hasLater(reads, chain, table, place)) ? BigInt(chain.position) : null }
}

/** Whether rows of these seconds lie after the cut. */
async function hasLater(
  reads: Reads,
  { chainId, upTo, position }: CutChain,
  table: CutTable,
  { from, before }: Omit<CutPlace, 'last'>,
): Promise<boolean> {
  const { dialect } = reads
  const row =
    table === 'attestation'
      ? await reads.get<[number]>(
          `SELECT 1 FROM ${dialect.walked('attestation', 'a', 'attestation_by_chain')} ` +
            'WHERE a.chain_id = ? AND a.attest_timestamp >= ? AND a.attest_timestamp < ? AND a.id > ? LIMIT 1',
          chainId,
          from,
          before,
          upTo,
        )
      : await reads.get<[number]>(
          `SELECT 1 FROM ${dialect.walked('schema', 's', 'schema_by_chain')} WHERE s.chain_id = ? AND ` +
            `${dialect.flag('s.registered', true)} AND s.register_timestamp >= ? AND s.register_timestamp < ? ` +
            'AND s.position > ? LIMIT 1',
          chainId,
          from,
          before,
          position,
        )
  return row !== undefined
}

/**
 * The columns that give each key the cut of its chain: `k.first_id`, `k.up_to` and `k.time`.
 */
export function cutColumns(
  cut: Cut,
  keys: readonly Pick<RecordKey, 'chainId'>[],
  time: 'claimTime' | 'nameTime' = 'claimTime',
) {
  const chains = keys.map(({ chainId }) => cutOf(cut, chainId))
  return {
    first_id: { type: 'int64', values: chains.map((chain) => chain?.first ?? 0n) },
    up_to: { type: 'int64', values: chains.map((chain) => chain?.upTo ?? -1n) },
    time: { type: 'int53', values: chains.map((chain) => chain?.[time] ?? -1) },
  } as const
}

/** The names of these columns, for conditions. */
export const cutOfKey = { upTo: 'k.up_to', time: 'k.time' }

/** Expressions of a cut for rows of attestations, whose chain a column holds. */
export interface CutTerms {
  readonly upTo: SqlText
  readonly time: SqlText
  readonly position: SqlText
}

export function cutTerms(cut: Cut, chainColumn: string): CutTerms {
  const byChain = (valueOf: (chain: CutChain) => SqlInput): SqlText => {
    const [only, ...others] = cut.chains
    if (only === undefined) return term('-1')
    if (others.length === 0) return term('?', valueOf(only))
    const cases = cut.chains.map(() => 'WHEN CAST(? AS bigint) THEN CAST(? AS bigint)').join(' ')
    const parameters = cut.chains.flatMap((chain) => [chain.chainId, valueOf(chain)])
    return term(`CASE ${chainColumn} ${cases} ELSE -1 END`, ...parameters)
  }
  return {
    upTo: byChain(({ upTo }) => upTo),
    get time() {
      return byChain(({ claimTime }) => claimTime)
    },
    position: byChain(({ position }) => position),
  }
}

/** The condition that a row of attestations `a` lies before a divided cut; empty if the bounds in time suffice. */
export function beforeCut(dialect: Dialect, column: string, { last }: CutPlace): SqlText {
  return last === null ? term('') : term(`${dialect.hidden(column, 'integer')} <= ?`, last)
}
