import { BadParameterError, BlockNotIndexedError } from '@attestry/core/errors/apiErrors.ts'
import { secondsBehind } from '@attestry/core/model/chainState.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { UnixMilliseconds } from '@attestry/core/model/time.ts'
import type { ChainOverview } from '@attestry/core/index/storedRecords.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import { foundBlock, type BlockParts, type ReadHeader, type ResolvedBlock } from './resolveBlock.ts'

export interface TimeParts extends BlockParts {
  readonly reader: Pick<PastReader, 'findBlock' | 'findBlockAt' | 'locateBlock' | 'listChains'>
  readonly nowMs: UnixMilliseconds
}

/**
 * The last block of each chain by a time: the newest one that the index knows, so that the answer is the same as of the
 * blocks after it.
 * @param chainIds the chains that the question is about; null: all of them.
 * @throws BlockNotIndexedError if the index of a chain has not reached the time.
 * @throws BadParameterError if the time lies among blocks whose times are not known.
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
  const found = isExact
    ? block
    : await searchBlock(
        readHeader,
        chainId,
        at,
        block ?? { number: -1, timestamp: null },
        next ?? { number: (indexedBlock ?? -1) + 1, timestamp: indexedTimestamp },
      )
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

/** A block of which the index may know the time. */
interface NumberedBlock {
  readonly number: number
  readonly timestamp: number | null
}

/**
 * The last block by a time between two blocks, of which the second is behind the time, by the headers of the chain.
 * @throws BlockDisputedError for a header whose time is not between those of the blocks around it.
 */
async function searchBlock(
  readHeader: ReadHeader,
  chainId: ChainId,
  at: number,
  from: NumberedBlock,
  next: NumberedBlock,
): Promise<{ readonly number: number; readonly timestamp: number } | null> {
  let [low, high] = [from, next]
  let found: { readonly number: number; readonly timestamp: number } | null = null
  while (high.number - low.number > 1 || found === null) {
    const middle = high.number - low.number > 1 ? Math.floor((low.number + high.number) / 2) : low.number
    if (middle < 0) return null
    const block = foundBlock(
      await readHeader(chainId, { number: middle }, { from: low.timestamp, to: high.timestamp }),
    )
    if (block === null) {
      throw new BadParameterError(
        `The time ${at} cannot be mapped to a block of chain ${chainId}: this server does not know the times of its blocks ` +
          `between ${from.number} and ${next.number}; give asOf as ${chainId}:<block number>.`,
      )
    }
    if (middle === low.number) return block
    if (block.timestamp <= at) low = found = block
    else high = block
  }
  return found
}
