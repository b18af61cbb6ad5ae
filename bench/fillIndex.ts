import type { RememberedBlock } from '@attestry/core/model/chainState.ts'
import type { Hash } from '@attestry/core/model/hex.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { sampleChainId, sampleContract, type SampleBatch, type SampleIndex } from './sampleIndex.ts'

export interface FillFigures {
  readonly events: number
  /** Seconds spent in the store, without the generation of records. */
  readonly storeSeconds: number
  readonly eventsPerSecond: number
}

/** The time of storing of all records: fixed, so that filling twice gives the same file. */
const storedAt = unixMilliseconds(1_760_000_000_000)

/** Writes a sample index through `IndexWriter`, as a backfill does: each batch but the last announces another. */
export async function fillIndex(
  writer: IndexWriter,
  sample: SampleIndex,
  onProgress: (events: number) => void = () => undefined,
): Promise<FillFigures> {
  await writer.openChain({ chainId: sampleChainId, name: 'Sample', contracts: [sampleContract] })
  return await applyBatches(writer, sample.batches(), { pace: 'backfill', onProgress })
}

export interface ApplyOptions {
  /** `head` makes each batch a commit of its own. */
  readonly pace: 'backfill' | 'head'
  readonly onProgress?: (events: number) => void
  /** The chain of the batches. */
  readonly chainId?: number
}

/** The last block of a batch, as an index remembers it. */
function blockOf({ toBlock: number, timestamp }: SampleBatch): RememberedBlock {
  const hashOf = (block: number) => `0x${block.toString(16).padStart(64, '0')}` as Hash
  return { number, hash: hashOf(number), parentHash: hashOf(number - 1), timestamp: unixSeconds(timestamp) }
}

/** Writes batches of a sample index to an open chain. All are durable on return. */
export async function applyBatches(
  writer: IndexWriter,
  batches: Iterable<SampleBatch>,
  { pace, onProgress, chainId = sampleChainId }: ApplyOptions,
): Promise<FillFigures> {
  let events = 0
  let storeMs = 0
  const rest = batches[Symbol.iterator]()
  let next = rest.next()
  while (next.done !== true) {
    const batch = next.value
    next = rest.next()
    const startMs = performance.now()
    await writer.applyBlocks(chainId, {
      fromBlock: batch.fromBlock,
      checkpoint: { blockNumber: batch.toBlock, timestamp: batch.timestamp },
      events: batch.events,
      recentBlocks: [blockOf(batch)],
      forgetBlocksBelow: batch.toBlock,
      storedAt,
      moreFollows: pace === 'backfill' && next.done !== true,
    })
    storeMs += performance.now() - startMs
    events += batch.events.length
    onProgress?.(events)
  }
  return { events, storeSeconds: storeMs / 1000, eventsPerSecond: events / (storeMs / 1000) }
}
