import { ChunksRefusedError } from '@attestry/core/errors/chunkErrors.ts'
import { asClause, describeError } from '@attestry/core/errors/baseError.ts'
import { StoreInvariantError } from '@attestry/core/errors/storeErrors.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import type { UnixMilliseconds } from '@attestry/core/model/time.ts'
import type { IndexRestore, StoredEvent } from '@attestry/core/index/indexRestore.ts'
import { firstBlockOf, type PublishedChain } from './manifest.ts'
import {
  compareSample,
  readSteps,
  type ChainToReplay,
  type ChunkChecks,
  type ComparedSample,
  type ReadStep,
} from './readChunks.ts'
import { createSpanSample } from './sampleSpans.ts'

export interface ReplayOptions extends ChunkChecks {
  readonly chains: readonly ChainToReplay[]
  readonly restore: IndexRestore
  /** The time of storing of all records. */
  readonly storedAt: UnixMilliseconds
  /** Receives the events that were replayed so far, now and then. */
  readonly onProgress: (events: number) => void
  /** Is told when all events are loaded, and lists and counts are built of them. */
  readonly onBuild: (events: number) => void
}

export interface ReplayedChain extends ComparedSample {
  readonly published: PublishedChain
}

/**
 * Fills an empty store with the chunks of chains. The store stays empty until all chunks are there and have the digests
 * of their manifest, and the endpoints agree with the sample. Any failure leaves it empty.
 * @throws ChunksRefusedError naming the first block that differs; PlaceUnavailableError.
 */
export async function replayChunks(options: ReplayOptions): Promise<readonly ReplayedChain[]> {
  const { restore, chains } = options
  try {
    const replayed: ReplayedChain[] = []
    let events = 0
    for (const chain of chains) {
      replayed.push(await replayChain(options, chain, (more) => options.onProgress((events += more))))
    }
    options.onBuild(events)
    await restore.finish()
    return replayed
  } catch (error) {
    await restore.abandon()
    throw error
  }
}

async function replayChain(
  options: ReplayOptions,
  chain: ChainToReplay,
  onEvents: (events: number) => void,
): Promise<ReplayedChain> {
  const { restore, sampleSize, random } = options
  const { chainId, name, contracts, block, timestamp } = chain.published
  const sample = createSpanSample(firstBlockOf(contracts), sampleSize, random)
  await restore.openChain({ chainId, name, contracts })
  for await (const step of readSteps(options, chain)) {
    sample.add(step.events)
    await applyStep(options, chain.published, step)
    onEvents(step.events.length)
  }
  await restore.closeChain(chainId, {
    checkpoint: { blockNumber: block, timestamp },
    rewindTo: null,
    recentBlocks: [],
  })
  return { published: chain.published, ...(await compareSample(options, chain, sample)) }
}

async function applyStep(
  { restore, storedAt }: ReplayOptions,
  { chainId }: PublishedChain,
  { chunk, events, digests }: ReadStep,
): Promise<void> {
  try {
    await restore.applyEvents(
      chainId,
      events.map((stored) => ({ ...stored, storedAt, settled: settlementOf(stored, storedAt) })),
      digests,
    )
  } catch (error) {
    if (!(error instanceof StoreInvariantError)) throw error
    throw new ChunksRefusedError(
      `The chunk ${chunk.path} contradicts itself or an earlier one: ${asClause(describeError(error))}; ` +
        `the first block that may differ is ${chunk.fromBlock} of chain ${chainId}`,
      { cause: error, facts: { chainId, block: chunk.fromBlock } },
    )
  }
}

/** Claims of published records are settled; at which block, depends on who read the chain. */
function settlementOf({ event }: StoredEvent, storedAt: UnixMilliseconds): StoredEvent['settled'] {
  if (event.kind !== 'attestationMade' || event.attestation.revocationAtRead.kind !== 'claimed') return null
  return { block: positionBlock(event.position), storedAt }
}
