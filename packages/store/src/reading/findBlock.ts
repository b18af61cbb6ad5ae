import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Hash } from '@attestry/core/model/hex.ts'
import type { IndexedBlock, WantedBlock } from '@attestry/core/index/indexQueries.ts'
import type { Reads } from '../port/reads.ts'

const select =
  'SELECT b.number, b.hash, b.timestamp FROM chain c JOIN recent_block b ON b.chain_id = c.chain_id ' +
  'WHERE c.chain_id = ? AND b.number <= c.checkpoint_block AND '

/** An indexed block of a chain, as far as the index remembers the block; null for every other. */
export async function findBlock(
  reads: Reads,
  chainId: ChainId,
  wanted: WantedBlock,
): Promise<IndexedBlock | null> {
  const row = await findRow(reads, chainId, wanted)
  if (row === undefined) return null
  const [number, hash, timestamp] = row
  return { number, hash: hash as Hash, timestamp }
}

type BlockRow = [number: number, hash: string, timestamp: number]

function findRow(reads: Reads, chainId: ChainId, wanted: WantedBlock): Promise<BlockRow | undefined> {
  if (wanted === 'newest') return reads.get(`${select}b.number = c.checkpoint_block`, chainId)
  if ('hash' in wanted) return reads.get(`${select}b.hash = ?`, chainId, wanted.hash)
  return reads.get(`${select}b.number = ?`, chainId, wanted.number)
}
