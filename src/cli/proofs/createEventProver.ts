import type { BlockFetcher } from '../../chain/createBlockFetcher.ts'
import { OverloadedError, ProofUnavailableError } from '../../errors/apiErrors.ts'
import { steadyClock, type Clock } from '../../model/clock.ts'
import type { ChainId } from '../../model/compositeId.ts'
import { positionBlock } from '../../model/position.ts'
import type { ProvableEvent, ProveEvent } from '../../model/recordProof.ts'
import { createBlockCache, type CachedBlock } from './blockCache.ts'
import { createFetchGate, type FetchGate, type FetchLimits } from './fetchGate.ts'

export interface ProverLimits extends FetchLimits {
  /** Limit from the request to the block, in milliseconds. */
  readonly durationMaxMs: number
  /** Memory for cached blocks, in bytes. */
  readonly cacheBytesMax: number
}

export interface EventProverOptions {
  /** A fetcher for each chain whose events can be proven. The prover closes the fetchers. */
  readonly fetchers: ReadonlyMap<ChainId, BlockFetcher>
  readonly limits?: Partial<ProverLimits>
  /** Receives each failed fetch, for the log. */
  readonly onFailure: (chainId: ChainId, error: unknown) => void
  readonly clock?: Pick<Clock, 'nowMs'>
}

/**
 * Proves events from blocks that are fetched on demand and cached. The first proof imports the libraries of proofs,
 * which take 25 MB in each process that serves.
 */
export interface EventProver {
  readonly prove: ProveEvent
  close(): Promise<void>
}

const limitDefaults: ProverLimits = {
  blocksAtOnceMax: 2,
  blocksWaitingMax: 20,
  blocksPerMinute: 60,
  durationMaxMs: 15_000,
  cacheBytesMax: 64 * 1024 * 1024,
}

/** `Retry-After` in seconds after a failure of the endpoints: about their backoff. */
const retryAfterSeconds = 30
/** `Retry-After` in seconds while the index is about to follow a reorganisation. */
const reorganisationSeconds = 5

export function createEventProver(options: EventProverOptions): EventProver {
  const { fetchers, onFailure, clock = steadyClock } = options
  const limits = { ...limitDefaults, ...options.limits }
  const cache = createBlockCache(limits.cacheBytesMax)
  const gates = new Map<ChainId, FetchGate>()
  // Requests for one block share one fetch.
  const underWay = new Map<string, Promise<CachedBlock>>()
  const closing = new AbortController()

  function gateOf(chainId: ChainId): FetchGate {
    const gate = gates.get(chainId) ?? createFetchGate(limits, clock)
    gates.set(chainId, gate)
    return gate
  }

  async function fetchBlock(event: ProvableEvent, fetcher: BlockFetcher): Promise<CachedBlock> {
    const { chainId } = event.key
    const number = positionBlock(event.position)
    const signal = AbortSignal.any([AbortSignal.timeout(limits.durationMaxMs), closing.signal])
    try {
      const { encodeBlock } = await import('../../proofs/encodeBlock.ts')
      const told = await gateOf(chainId).run(() => fetcher.fetchBlock(number, signal), signal)
      const content = await encodeBlock(told.block, told.receipts)
      const hash = String(told.block['hash']).toLowerCase()
      const block = { hash, isFinal: event.blockHash === null, content }
      if (event.blockHash === null || event.blockHash === hash) cache.keep(chainId, number, block)
      return block
    } catch (error) {
      if (error instanceof OverloadedError) throw error
      onFailure(chainId, error)
      throw new ProofUnavailableError(
        `The endpoints of chain ${chainId} do not answer what a proof is made of; try again later.`,
        { retryAfterSeconds, cause: error },
      )
    }
  }

  async function findBlock(event: ProvableEvent, fetcher: BlockFetcher): Promise<CachedBlock> {
    const { key, blockHash } = event
    const number = positionBlock(event.position)
    const known = cache.find(key.chainId, number, blockHash)
    if (known !== null) return known
    const name = `${key.chainId} ${number} ${blockHash}`
    const shared = underWay.get(name) ?? fetchBlock(event, fetcher).finally(() => void underWay.delete(name))
    underWay.set(name, shared)
    return shared
  }

  return {
    async prove(event) {
      const { chainId } = event.key
      const fetcher = fetchers.get(chainId)
      if (fetcher === undefined) {
        throw new ProofUnavailableError(
          `This server is not connected to chain ${chainId}, so that it cannot make proofs of what happened there.`,
          { retryAfterSeconds: null },
        )
      }
      const number = positionBlock(event.position)
      const { content, hash } = await findBlock(event, fetcher)
      const isOther = event.blockHash !== null && event.blockHash !== hash
      if (content.kind === 'unprovable' && !isOther) {
        throw new ProofUnavailableError(
          `No proof can be made: block ${number} of chain ${chainId} ${content.reason}.`,
          { retryAfterSeconds: null },
        )
      }
      const { buildProof } = await import('../../proofs/buildProof.ts')
      const proof = content.kind === 'unprovable' || isOther ? null : await buildProof(content, event)
      if (proof !== null) return proof
      throw new ProofUnavailableError(
        `The endpoints of chain ${chainId} have another block ${number} than the one that is indexed; try again in a moment.`,
        { retryAfterSeconds: reorganisationSeconds },
      )
    },
    async close() {
      closing.abort()
      await Promise.allSettled([...fetchers.values()].map((fetcher) => fetcher.close()))
    },
  }
}
