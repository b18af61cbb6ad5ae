import type { ChainId } from '../../model/compositeId.ts'
import type { Hash } from '../../model/hex.ts'
import type { EncodedBlock, UnprovableBlock } from '../../proofs/encodeBlock.ts'

/** A block as an endpoint told of it, ready to be proven from. */
export interface CachedBlock {
  readonly hash: string
  /** Whether it was final when it was fetched: only then it stands for its number. */
  readonly isFinal: boolean
  readonly content: EncodedBlock | UnprovableBlock
}

/** Blocks that were proven from lately, within a bound of memory; what was not asked for longest goes first. */
export interface BlockCache {
  /** The block of that number, or with that hash where one is known. */
  find(chainId: ChainId, number: number, hash: Hash | null): CachedBlock | null
  keep(chainId: ChainId, number: number, block: CachedBlock): void
}

/** What an entry takes beside its content. */
const overheadBytes = 1_024

export function createBlockCache(bytesMax: number): BlockCache {
  // A map keeps the order in which entries were set.
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
      // One block must not push out all others.
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
