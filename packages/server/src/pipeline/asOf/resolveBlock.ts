import {
  BadParameterError,
  BlockDisputedError,
  BlockNotCanonicalError,
  BlockNotIndexedError,
} from '@attestry/core/errors/apiErrors.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Hash } from '@attestry/core/model/hex.ts'
import type { IndexedBlock, WantedBlock } from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { AskedMoment } from './parseAsOf.ts'

/**
 * Reads the header of a block from the endpoints of its chain.
 * @param times between which the header has to lie.
 */
export type ReadHeader = (
  chainId: ChainId,
  wanted: Exclude<WantedBlock, 'newest'>,
  times?: BlockTimes,
) => Promise<ReadBlock>

/** The times of the indexed blocks before and after a block, in Unix seconds; null without such a block. */
export interface BlockTimes {
  readonly from: number | null
  readonly to: number | null
}

/**
 * `none`: the chain has no such block. `unreachable`: this server asks no endpoint, or too few answered. `disputed`: the
 * endpoints contradict each other or the index; `reason` is a sentence.
 */
export type ReadBlock =
  | { readonly kind: 'found'; readonly block: IndexedBlock }
  | { readonly kind: 'none' | 'unreachable' }
  | { readonly kind: 'disputed'; readonly reason: string }

/** @throws BlockDisputedError for a header that is disputed. */
export function foundBlock(read: ReadBlock): IndexedBlock | null {
  if (read.kind === 'disputed') throw new BlockDisputedError(read.reason)
  return read.kind === 'found' ? read.block : null
}

/** The last block that counts. */
export interface ResolvedBlock {
  readonly chainId: ChainId
  readonly number: number
  /** null if the index no longer keeps it and no endpoint told it. */
  readonly hash: Hash | null
  /** Its time in Unix seconds; null if that is not known. */
  readonly at: number | null
  /** A sentence that says why the answer is empty, where nothing is as old as the block; else null. */
  readonly emptyBecause: string | null
}

export interface BlockParts {
  readonly reader: Pick<PastReader, 'findBlock' | 'locateBlock'>
  readonly readHeader: ReadHeader
}

/**
 * Looks a block up in the index, or below what the index remembers by its header.
 * @throws BlockNotIndexedError for a block above the newest indexed one.
 * @throws BlockNotCanonicalError for a hash that no block of the chain has, as far as is known.
 * @throws BlockDisputedError if the endpoints of the chain disagree about the block.
 * @throws BadParameterError for a chain that is not indexed.
 */
export async function resolveBlock(
  parts: BlockParts,
  { chainId, block: wanted }: Extract<AskedMoment, { readonly kind: 'block' }>,
): Promise<ResolvedBlock> {
  if (typeof wanted === 'number') return await resolveNumber(parts, chainId, wanted)
  const { reader, readHeader } = parts
  const remembered = await reader.findBlock(chainId, { hash: wanted })
  const read = remembered === null ? await readHeader(chainId, { hash: wanted }) : null
  const found = remembered ?? (read === null ? null : foundBlock(read))
  if (found === null) {
    // Of a chain that is not indexed, the error says so.
    await resolveNumber(parts, chainId, 0)
    throw new BlockNotCanonicalError(
      read?.kind === 'none'
        ? `Chain ${chainId} has no block with this hash.`
        : `No block with this hash is among the newest blocks of chain ${chainId} that are indexed; name the block by its number.`,
    )
  }
  const resolved = await resolveNumber(parts, chainId, found.number)
  if (resolved.hash !== wanted) {
    throw new BlockNotCanonicalError(
      `The block with this hash is not the block ${found.number} of chain ${chainId} that is indexed.`,
    )
  }
  return resolved
}

async function resolveNumber(
  { reader, readHeader }: BlockParts,
  chainId: ChainId,
  number: number,
): Promise<ResolvedBlock> {
  const located = await reader.locateBlock(chainId, number)
  if (located === null) {
    throw new BadParameterError(`asOf must name an indexed chain; chain ${chainId} is not indexed here.`)
  }
  const { indexedBlock, block: remembered, from, to } = located
  if (indexedBlock === null || number > indexedBlock) {
    throw new BlockNotIndexedError(
      `Block ${number} of chain ${chainId} is not indexed yet; the newest indexed block is ${indexedBlock ?? 'none'}.`,
    )
  }
  const found = remembered ?? foundBlock(await readHeader(chainId, { number }, { from, to }))
  return {
    chainId,
    number,
    hash: found?.hash ?? null,
    at: found?.timestamp ?? (from === to ? from : null),
    emptyBecause: from === null ? `Nothing of chain ${chainId} is indexed up to block ${number}.` : null,
  }
}
