import { BadParameterError, BlockNotIndexedError } from '../../errors/apiErrors.ts'
import { secondsBehind } from '../../model/chainState.ts'
import type { ChainId } from '../../model/compositeId.ts'
import type { UnixMilliseconds } from '../../model/time.ts'
import type { ChainOverview } from '../../store/storedRecords.ts'
import type { IndexReader } from '../../store/indexReader.ts'
import type { BlockParts, ReadHeader, ResolvedBlock } from './resolveBlock.ts'

export interface TimeParts extends BlockParts {
  readonly reader: Pick<IndexReader, 'findBlock' | 'findBlockAt' | 'locateBlock' | 'listChains'>
  readonly nowMs: UnixMilliseconds
}

/**
 * The last block of each chain by a time: the newest of which the index knows something, so that the answer is the same as
 * of the blocks behind it.
 * @param chainIds the chains that the question is about; null: all of them.
 * @throws BlockNotIndexedError where the index of a chain has not reached the time.
 * @throws BadParameterError where the time lies among blocks whose times are not known.
 */
export async function resolveTime(
  parts: TimeParts,
  at: number,
  chainIds: readonly ChainId[] | null,
): Promise<readonly ResolvedBlock[]> {
  const chains = await parts.reader.listChains()
  const asked = chains.filter(({ status }) => chainIds?.includes(status.chainId) ?? true)
  return await Promise.all(asked.map((chain) => resolveOn(parts, chain, at)))
}

async function resolveOn(
  { reader, readHeader, nowMs }: TimeParts,
  { status }: ChainOverview,
  at: number,
): Promise<ResolvedBlock> {
  const { chainId, indexedBlock, indexedTimestamp } = status
  const age = secondsBehind(status, nowMs)
  // An idle chain makes no blocks: at its head, the index knows the chain up to the last look.
  const reached = Math.max(indexedTimestamp ?? -1, age === null ? -1 : Math.floor(nowMs / 1000) - age)
  if (at > reached) {
    throw new BlockNotIndexedError(
      `The index of chain ${chainId} has not reached the time ${at} yet; the newest indexed block is ${indexedBlock ?? 'none'}.`,
    )
  }
  const { block, next, isExact } = await reader.findBlockAt(chainId, at)
  const from = block?.number ?? -1
  const found = isExact
    ? block
    : await searchBlock(readHeader, chainId, at, from, next ?? (indexedBlock ?? -1) + 1)
  const number = found?.number ?? -1
  const remembered = number === -1 ? null : await reader.findBlock(chainId, { number })
  return {
    chainId,
    number,
    hash: remembered?.hash ?? null,
    at: found?.timestamp ?? null,
    emptyBecause: number === -1 ? `Nothing of chain ${chainId} is indexed up to the time ${at}.` : null,
  }
}

/** The last block by a time between two blocks, of which the second is behind the time, by the headers of the chain. */
async function searchBlock(
  readHeader: ReadHeader,
  chainId: ChainId,
  at: number,
  from: number,
  next: number,
): Promise<{ readonly number: number; readonly timestamp: number } | null> {
  let [low, high] = [from, next]
  let found: { readonly number: number; readonly timestamp: number } | null = null
  while (high - low > 1 || found === null) {
    const middle = high - low > 1 ? Math.floor((low + high) / 2) : low
    if (middle < 0) return null
    const read = await readHeader(chainId, { number: middle })
    if (read.kind !== 'found') {
      throw new BadParameterError(
        `The time ${at} cannot be mapped to a block of chain ${chainId}: this server does not know the times of its blocks ` +
          `between ${from} and ${next}; give asOf as ${chainId}:<block number>.`,
      )
    }
    if (middle === low) return read.block
    if (read.block.timestamp <= at) [low, found] = [middle, read.block]
    else high = middle
  }
  return found
}
