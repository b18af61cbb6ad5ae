import type { BlockTimes, ReadBlock, ReadHeader } from '@attestry/server/pipeline/asOf/resolveBlock.ts'
import type { AgreedHeader, BlockFetcher } from '@attestry/core/chain/createBlockFetcher.ts'
import { OverloadedError } from '@attestry/core/errors/apiErrors.ts'
import { InconsistentChainError } from '@attestry/core/errors/reorgErrors.ts'
import { steadyClock, type Clock } from '@attestry/core/model/clock.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Hash } from '@attestry/core/model/hex.ts'
import { createRecentMap } from '@attestry/core/model/recentMap.ts'
import type { IndexedBlock } from '@attestry/core/index/indexQueries.ts'
import { createFetchGate } from './fetchGate.ts'

export interface HeaderReaderOptions {
  /** A fetcher for each chain whose headers can be read. The caller closes them. */
  readonly fetchers: ReadonlyMap<ChainId, Pick<BlockFetcher, 'fetchHeader'>>
  /** Receives each failed request, and each header that endpoints disagree about, for the log. */
  readonly onFailure: (chainId: ChainId, error: unknown) => void
  /** Called once for a chain whose blocks have hashes of a form that is not known here. */
  readonly onUnhashed: (chainId: ChainId) => void
  readonly clock?: Pick<Clock, 'nowMs'>
}

/** Headers of one chain; the search for the block of a time takes some 25, so that one client can make several. */
const limits = { blocksAtOnceMax: 4, blocksWaitingMax: 50, blocksPerMinute: 600 }
const durationMaxMs = 6_000
/** Headers that are kept, of some 200 bytes each. */
const keptMax = 20_000

const unreachable: ReadBlock = { kind: 'unreachable' }

/**
 * Reads headers of final blocks, each once. A header that cannot be read at the moment is unreachable: an answer as of a
 * block goes without the time of the block then. A header is not kept if an endpoint gives another one, or if its time is
 * not between the times that the index knows. Rejects with OverloadedError if the client has used its share.
 */
export function createHeaderReader({
  fetchers,
  onFailure,
  onUnhashed,
  clock = steadyClock,
}: HeaderReaderOptions): ReadHeader {
  const kept = createRecentMap<string, IndexedBlock>(keptMax)
  const unhashed = new Set<ChainId>()
  const underWay = new Map<string, Promise<AgreedHeader | ReadBlock>>()
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
  ): Promise<AgreedHeader | ReadBlock> {
    const signal = AbortSignal.timeout(durationMaxMs)
    try {
      const header = await gate.run(() => fetcher.fetchHeader(wanted, signal), signal)
      return header ?? { kind: 'none' }
    } catch (error) {
      if (error instanceof OverloadedError) throw error
      onFailure(chainId, error)
      if (!(error instanceof InconsistentChainError)) return unreachable
      const reason = `The endpoints of chain ${chainId} disagree about block ${wanted}; it counts once two of them agree.`
      return { kind: 'disputed', reason }
    }
  }

  /** Tells the log about a header, and keeps it if nothing speaks against it. */
  function judge(chainId: ChainId, key: string, header: AgreedHeader, times: BlockTimes): ReadBlock {
    const { number, hash, timestamp, isHashed, isDisputed } = header
    const block = { number, hash, timestamp }
    if (!isHashed && !unhashed.has(chainId)) {
      unhashed.add(chainId)
      onUnhashed(chainId)
    }
    if (!isBetween(block, times)) {
      const known = [times.from ?? 'any', times.to ?? 'any'].join(' and ')
      const reason =
        `The endpoints of chain ${chainId} give block ${number} the time ${timestamp}, which is not between those of the ` +
        `indexed blocks before and after it (${known}).`
      onFailure(chainId, new InconsistentChainError(reason))
      return { kind: 'disputed', reason }
    }
    if (isDisputed) {
      const message = `An endpoint of chain ${chainId} has another header of block ${number} than the others.`
      onFailure(chainId, new InconsistentChainError(message))
    } else kept.set(key, block)
    return { kind: 'found', block }
  }

  return async (chainId, wanted, times = anyTime) => {
    const chain = chains.get(chainId)
    if (chain === undefined) return unreachable
    const block = 'number' in wanted ? wanted.number : wanted.hash
    const key = `${chainId} ${block}`
    const known = kept.get(key)
    if (known !== undefined && isBetween(known, times)) return { kind: 'found', block: known }
    const shared =
      underWay.get(key) ?? fetchHeader(chainId, chain, block).finally(() => void underWay.delete(key))
    underWay.set(key, shared)
    const read = await shared
    return 'kind' in read ? read : judge(chainId, key, read, times)
  }
}

const anyTime: BlockTimes = { from: null, to: null }

function isBetween({ timestamp }: IndexedBlock, { from, to }: BlockTimes): boolean {
  return (from === null || timestamp >= from) && (to === null || timestamp <= to)
}
