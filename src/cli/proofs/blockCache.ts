import type { ChainId } from '../../model/compositeId.ts'
import type { Hash } from '../../model/hex.ts'
import type { EncodedBlock, UnprovableBlock } from '../../proofs/encodeBlock.ts'

/** A block from an endpoint, encoded for proofs. */
export interface CachedBlock {
  readonly hash: string
  /** Whether the block was final when it was fetched: only then its number identifies it. */
  readonly isFinal: boolean
  readonly content: EncodedBlock | UnprovableBlock
}

/** A least-recently-used cache of blocks, bounded by memory. */
export interface BlockCache {
  /** The block with this hash where one is given, else the final block with this number. */
  find(chainId: ChainId, number: number, hash: Hash | null): CachedBlock | null
  keep(chainId: ChainId, number: number, block: CachedBlock): void
}

/** Overhead of an entry, in bytes. */
const overheadBytes = 1_024

export function createBlockCache(bytesMax: number): BlockCache {
  // A `Map` iterates in the order of insertion.
  const entries = new Map<string, CachedBlock>()
  let bytes = 0

  function drop(key: string): void {
    const entry = entries.get(key)
    if (entry === undefined) return
    entries.delete(key)
    bytes -= sizeOf(entry)
  }

  return {
    find(chainId, number, hash) {
      const key = keyOf(chainId, number)
      const entry = entries.get(key)
      if (entry === undefined || (hash === null ? !entry.isFinal : entry.hash !== hash)) return null
      entries.delete(key)
      entries.set(key, entry)
      return entry
    },
    keep(chainId, number, block) {
      const key = keyOf(chainId, number)
      drop(key)
      // One large block must not evict all others.
      if (sizeOf(block) > bytesMax / 2) return
      entries.set(key, block)
      bytes += sizeOf(block)
      for (const oldest of entries.keys()) {
        if (bytes <= bytesMax) return
        drop(oldest)
      }
    },
  }
}

function keyOf(chainId: ChainId, number: number): string {
  return `${chainId} ${number}`
}

function sizeOf({ content }: CachedBlock): number {
  return overheadBytes + (content.kind === 'encoded' ? content.bytes : 0)
}
