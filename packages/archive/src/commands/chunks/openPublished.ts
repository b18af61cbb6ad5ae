import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { defineSchema } from '@attestry/core/protocols/defineSchema.ts'
import type { EventSource } from '@attestry/core/sync/fetchEvents.ts'
import type { BlockRange } from '@attestry/core/sync/fetchRange.ts'
import type { OpenPublished, PublishedEvents } from '@attestry/core/sync/publishedEvents.ts'
import type { ChainConfig } from '@attestry/host/config/resolveChains.ts'
import { closing } from '@attestry/host/closing.ts'
import type { IndexHost } from '@attestry/server/wing.ts'
import { placeOf, type ChunksConfig } from '../../chunks/chunksWing.ts'
import { checkPublished, readPublished } from '../../chunks/publishedEvents.ts'
import type { OpenChunk } from '../../chunks/readChunks.ts'
import { createChecks } from './compareWithChain.ts'
import { describeSample, findPublished } from './findPublished.ts'
import { startChunkThread } from './startChunkThread.ts'

/** Chunks of one chain in memory, beside those of other chains and an index that is read and written. */
const limits = { atOnce: 2, bytesMax: 8 * 2 ** 20 }

/** Finds the published events of each chain that is configured to begin with chunks. */
export function createOpenPublished(
  { chains, environment, log }: Pick<IndexHost, 'chains' | 'environment' | 'log'>,
  chunks: ChunksConfig,
): (chainId: ChainId) => OpenPublished | null {
  return (chainId) => {
    const chain = chains.find((each) => each.chainId === chainId)
    if (chain === undefined || placeOf(chain, chunks) === null) return null
    return (source, blocks, signal) => open(chain, source, blocks, signal)
  }

  async function open(
    chain: ChainConfig,
    source: EventSource,
    { fromBlock, toBlock }: BlockRange,
    signal: AbortSignal,
  ): Promise<PublishedEvents | null> {
    const { chainId } = chain
    const contracts = new Set(source.deploymentsByAddress.values())
    const deployments = Array.from(contracts, ({ deployment }) => deployment)
    const found = await findPublished(chain, deployments, chunks, environment, signal)
    if (found === null) return null
    if ('missing' in found) {
      log('warn', found.missing, { chainId })
      return null
    }
    const { place, published } = found
    const range = { fromBlock, toBlock: Math.min(toBlock, published.block) }
    if (range.toBlock < fromBlock) {
      const text = `the chunks of ${place.name} end at block ${published.block}, which is indexed: the chain is indexed from its endpoints`
      log('info', text, { chainId })
      return null
    }
    const check = async () => {
      await using thread = closing(startChunkThread())
      return await checkPublished(checksOf(thread.openChunk, signal), found, range)
    }
    const blocks = `blocks ${fromBlock} to ${range.toBlock} of the chunks of ${place.name}`
    log('info', `${blocks} are checked`, { chainId })
    const compared = await check()
    log('info', `${blocks} are checked: ${describeSample(compared)}`, { chainId })
    return {
      place: place.name,
      toBlock: range.toBlock,
      read: async function* (first, inner) {
        await using thread = closing(startChunkThread())
        const checks = checksOf(thread.openChunk, inner)
        yield* readPublished(checks, found, { ...range, fromBlock: first }, defineSchema)
      },
    }

    function checksOf(openChunk: OpenChunk, inner: AbortSignal) {
      return { ...createChecks(chunks, () => source), openChunk, signal: inner, limits }
    }
  }
}
