import type { ReadBlock, ReadHeader } from '../../http/asOf/resolveBlock.ts'
import type { BlockFetcher } from '../../chain/createBlockFetcher.ts'
import { OverloadedError } from '../../errors/apiErrors.ts'
import { steadyClock, type Clock } from '../../model/clock.ts'
import type { ChainId } from '../../model/compositeId.ts'
import type { Hash } from '../../model/hex.ts'
import { createRecentMap } from '../../model/recentMap.ts'
import { createFetchGate } from './fetchGate.ts'

export interface HeaderReaderOptions {
  /** A fetcher for each chain whose headers can be read. Whoever made the fetchers closes them. */
  readonly fetchers: ReadonlyMap<ChainId, Pick<BlockFetcher, 'fetchHeader'>>
  /** Receives each failed request, for the log. */
  readonly onFailure: (chainId: ChainId, error: unknown) => void
  readonly clock?: Pick<Clock, 'nowMs'>
}

/** Headers of one chain; the search for the block of a time takes some 25, so that one client can make several. */
const limits = { blocksAtOnceMax: 4, blocksWaitingMax: 50, blocksPerMinute: 600 }
const durationMaxMs = 6_000
/** Headers that are kept, of some 200 bytes each. */
const keptMax = 20_000

const unreachable: ReadBlock = { kind: 'unreachable' }

/**
 * Reads headers of final blocks, each once. What cannot be read at the moment is unreachable: an answer as of a block
 * goes without the time of the block then. Rejects with OverloadedError where the client has used its share.
 */
export function createHeaderReader({
  fetchers,
  onFailure,
  clock = steadyClock,
}: HeaderReaderOptions): ReadHeader {
  const kept = createRecentMap<string, ReadBlock>(keptMax)
  const underWay = new Map<string, Promise<ReadBlock>>()
  const chains = new Map(
    [...fetchers].map(([chainId, fetcher]) => [
      chainId,
      { fetcher, gate: createFetchGate(limits, clock, 'old blocks') },
    ]),
  )

  async function fetchHeader(
    chainId: ChainId,
    { fetcher, gate }: NonNullable<ReturnType<typeof chains.get>>,
    wanted: number | Hash,
  ): Promise<ReadBlock> {
    const signal = AbortSignal.timeout(durationMaxMs)
    try {
      const header = await gate.run(() => fetcher.fetchHeader(wanted, signal), signal)
      if (header === null) return { kind: 'none' }
      const { number, hash, timestamp } = header
      const found: ReadBlock = { kind: 'found', block: { number, hash, timestamp } }
      kept.set(`${chainId} ${wanted}`, found)
      return found
    } catch (error) {
      if (error instanceof OverloadedError) throw error
      onFailure(chainId, error)
      return unreachable
    }
  }

  return async (chainId, wanted) => {
    const chain = chains.get(chainId)
    if (chain === undefined) return unreachable
    const block = 'number' in wanted ? wanted.number : wanted.hash
    const key = `${chainId} ${block}`
    const known = kept.get(key)
    if (known !== undefined) return known
    const shared =
      underWay.get(key) ?? fetchHeader(chainId, chain, block).finally(() => void underWay.delete(key))
    underWay.set(key, shared)
    return await shared
  }
}
