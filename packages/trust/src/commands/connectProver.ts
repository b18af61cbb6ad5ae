import type { Logger } from 'pino'
import type { RpcCount } from '@attestry/host/createRequestCounter.ts'
import type { ReadHeader } from '@attestry/server/pipeline/asOf/resolveBlock.ts'
import { createBlockFetcher, type HashesTo } from '@attestry/core/chain/createBlockFetcher.ts'
import { createStateFetcher } from '@attestry/core/chain/createStateFetcher.ts'
import { AttestryError, describeError } from '@attestry/core/errors/baseError.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { ChainConfig } from '@attestry/host/config/resolveChains.ts'
import { createRequestCounter } from '@attestry/host/createRequestCounter.ts'
import type { KeptProofs } from '../stateProofs/keptProofs.ts'
import { createHeaderReader } from './createHeaderReader.ts'
import { createStateProver, type StateProver } from './createStateProver.ts'
import { createEventProver, type EventProver } from './createEventProver.ts'

export interface ConnectedProver extends EventProver {
  readonly readHeader: ReadHeader
  readonly stateProver: StateProver
  /** Requests to endpoints for proofs, since the start. */
  rpcCounts(): readonly RpcCount[]
}

export interface ProverSettings {
  readonly chains: readonly Pick<ChainConfig, 'chainId' | 'rpc' | 'requests'>[]
  /** 0: proofs are refused, and no header is read. */
  readonly blocksPerMinute: number
  /** 0: no proof of state is taken. */
  readonly statesPerMinute: number
  /** Proofs of state that other processes have taken; only those of this process if absent. */
  readonly keptProofs?: KeptProofs
  readonly logger: Logger
}

/** Limits of one request, and of all requests for one block from one endpoint. */
const requestTimeoutMs = 6_000
const blockBudgetMs = 10_000
const attemptsMax = 3
/** How long the answer of an endpoint is waited for that others are compared with. */
const agreementTimeoutMs = 2_500

/**
 * A prover and a reader of headers over the endpoints of the configured chains. Its connections are its own: the indexer may run in another
 * thread or process. The first request is sent for the first proof.
 */
export function connectProver({
  chains,
  blocksPerMinute,
  statesPerMinute,
  keptProofs,
  logger,
}: ProverSettings): ConnectedProver {
  const counter = createRequestCounter()
  const connected = chains.filter(({ rpc }) => rpc.length > 0)
  const optionsOf = ({ chainId, rpc, requests }: ProverSettings['chains'][number]) => ({
    chainId,
    endpoints: rpc,
    requestTimeoutMs,
    callBudgetMs: blockBudgetMs,
    agreementTimeoutMs,
    attemptsMax,
    concurrencyPerEndpoint: Math.min(2, requests.inFlight),
    callsPerSecond: requests.perSecond,
    maxResponseBytes: 32 * 1024 * 1024,
    onRequest: (host: string, errorCode: string | null) => counter.count(chainId, host, errorCode),
  })
  const fetchers = (blocksPerMinute === 0 ? [] : connected).map(
    (chain) => [chain.chainId, createBlockFetcher(optionsOf(chain), loadHashing)] as const,
  )
  const stateFetchers = (statesPerMinute === 0 ? [] : connected).map(
    (chain) => [chain.chainId, createStateFetcher(optionsOf(chain))] as const,
  )
  const logFailure = (what: string) => (chainId: ChainId, error: unknown) => {
    const code = error instanceof AttestryError ? error.code : undefined
    logger.warn({ chainId, code }, `chain ${chainId}: ${what}: ${describeError(error)}`)
  }
  const prover = createEventProver({
    fetchers: new Map(fetchers),
    limits: { blocksPerMinute },
    onFailure: logFailure('a block cannot be proven'),
  })
  const readHeader = createHeaderReader({
    fetchers: new Map(fetchers),
    onFailure: logFailure('the header of a block cannot be read'),
    onUnhashed: (chainId) => {
      const how = 'headers count as two endpoints give them, or as the only one does'
      logger.warn(
        { chainId },
        `chain ${chainId}: the hashes of its blocks have a form that is not known here; ${how}`,
      )
    },
  })
  let unshared: string | null = null
  const stateProver = createStateProver({
    fetchers: new Map(stateFetchers),
    limits: { blocksAtOnceMax: 2, blocksWaitingMax: 20, blocksPerMinute: statesPerMinute },
    onFailure: logFailure('its state cannot be proven'),
    ...(keptProofs === undefined ? {} : { shared: keptProofs }),
    onUnshared: (error) => {
      const reason = describeError(error)
      if (reason === unshared) return
      unshared = reason
      logger.warn(`proofs of state are kept by this process only: ${reason}`)
    },
  })
  return {
    prove: prover.prove,
    readHeader,
    stateProver,
    rpcCounts: counter.counts,
    close: async () => {
      await Promise.all([
        prover.close(),
        keptProofs?.close(),
        ...stateFetchers.map(([, fetcher]) => fetcher.close()),
      ])
    },
  }
}

/** Processes that make no proof and read no header do not load the library. */
async function loadHashing(): Promise<HashesTo> {
  const { encodeHeader } = await import('../proofs/encodeHeader.ts')
  return (block) => encodeHeader(block) !== null
}
