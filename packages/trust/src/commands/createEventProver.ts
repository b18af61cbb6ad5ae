import type { BlockFetcher } from '@attestry/core/chain/createBlockFetcher.ts'
import { OverloadedError, ProofUnavailableError } from '@attestry/core/errors/apiErrors.ts'
import { steadyClock, type Clock } from '@attestry/core/model/clock.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import type { ProvableEvent, ProveEvent } from '@attestry/core/model/recordProof.ts'
import { createRecentMap } from '@attestry/core/model/recentMap.ts'
import type { EncodedBlock, UnprovableBlock } from '../proofs/encodeBlock.ts'
import { createFetchGate, type FetchLimits } from './fetchGate.ts'

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

interface FetchedBlock {
  readonly hash: string
  /** Whether the block was final when it was fetched: only then its number identifies it. */
  readonly isFinal: boolean
  readonly content: EncodedBlock | UnprovableBlock
}

/** In bytes, with the overhead of an entry. */
function sizeOf({ content }: FetchedBlock): number {
  return 1_024 + (content.kind === 'encoded' ? content.bytes : 0)
}

export function createEventProver(options: EventProverOptions): EventProver {
  const { fetchers, onFailure, clock = steadyClock } = options
  const limits = { ...limitDefaults, ...options.limits }
  const cache = createRecentMap<string, FetchedBlock>(limits.cacheBytesMax, sizeOf)
  const chains = new Map(
    [...fetchers].map(([chainId, fetcher]) => [
      chainId,
      { fetcher, gate: createFetchGate(limits, clock, 'proofs') },
    ]),
  )
  type Connected = NonNullable<ReturnType<typeof chains.get>>
  // Requests for one block share one fetch.
  const underWay = new Map<string, Promise<FetchedBlock>>()
  const closing = new AbortController()

  async function fetchBlock(event: ProvableEvent, { fetcher, gate }: Connected): Promise<FetchedBlock> {
    const { chainId } = event.key
    const number = positionBlock(event.position)
    const signal = AbortSignal.any([AbortSignal.timeout(limits.durationMaxMs), closing.signal])
    try {
      const { encodeBlock } = await import('../proofs/encodeBlock.ts')
      const told = await gate.run(() => fetcher.fetchBlock(number, signal), signal)
      const content = await encodeBlock(told.block, told.receipts)
      const hash = String(told.block['hash']).toLowerCase()
      const block = { hash, isFinal: event.blockHash === null, content }
      // One large block must not evict all others.
      const isKept = sizeOf(block) <= limits.cacheBytesMax / 2
      if (isKept && (event.blockHash === null || event.blockHash === hash)) {
        cache.set(`${chainId} ${number}`, block)
      }
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

  async function findBlock(event: ProvableEvent, chain: Connected): Promise<FetchedBlock> {
    const { key, blockHash } = event
    const number = positionBlock(event.position)
    const known = cache.get(`${key.chainId} ${number}`)
    if (known !== undefined && (blockHash === null ? known.isFinal : known.hash === blockHash)) return known
    const name = `${key.chainId} ${number} ${blockHash}`
    const shared = underWay.get(name) ?? fetchBlock(event, chain).finally(() => void underWay.delete(name))
    underWay.set(name, shared)
    return shared
  }

  return {
    async prove(event) {
      const { chainId } = event.key
      const chain = chains.get(chainId)
      if (chain === undefined) {
        throw new ProofUnavailableError(
          `This server is not connected to chain ${chainId}, so that it cannot make proofs of what happened there.`,
          { retryAfterSeconds: null },
        )
      }
      const number = positionBlock(event.position)
      const { content, hash } = await findBlock(event, chain)
      const isOther = event.blockHash !== null && event.blockHash !== hash
      if (content.kind === 'unprovable' && !isOther) {
        throw new ProofUnavailableError(
          `No proof can be made: block ${number} of chain ${chainId} ${content.reason}.`,
          { retryAfterSeconds: null },
        )
      }
      const { buildProof } = await import('../proofs/buildProof.ts')
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
