import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { ReadHeader } from '@attestry/server/pipeline/asOf/resolveBlock.ts'
import type { StateBlock } from './stateProof.ts'

/**
 * `final`: part of the chain for good. `indexed`: part of the chain as it is indexed, and not final yet. `left`: the
 * chain has another block with its number. `unknown`: above the indexed blocks, or older than those that the index
 * keeps while no endpoint tells.
 */
export type BlockState = 'final' | 'indexed' | 'left' | 'unknown'

/** The blocks of the index. */
export interface KnownBlocks {
  /** The newest indexed block; null before the first. */
  findNewest(chainId: ChainId): Promise<Pick<StateBlock, 'number' | 'timestamp'> | null>
  stateOf(chainId: ChainId, block: Pick<StateBlock, 'number' | 'hash'>): Promise<BlockState>
}

export function createKnownBlocks(
  reader: Pick<PastReader, 'findBlock' | 'locateBlock'>,
  readHeader: ReadHeader,
): KnownBlocks {
  return {
    findNewest: (chainId) => reader.findBlock(chainId, 'newest'),
    async stateOf(chainId, { number, hash }) {
      const located = await reader.locateBlock(chainId, number)
      const indexedBlock = located?.indexedBlock ?? null
      if (located === null || indexedBlock === null || number > indexedBlock) return 'unknown'
      // The index remembers blocks until they are final.
      if (located.block !== null) return located.block.hash === hash ? 'indexed' : 'left'
      const read = await readHeader(chainId, { number }, { from: located.from, to: located.to })
      if (read.kind !== 'found') return 'unknown'
      return read.block.hash === hash ? 'final' : 'left'
    },
  }
}
