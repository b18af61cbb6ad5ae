import type { Logger } from 'pino'
import type { RpcCount } from '../../http/metrics/createMetrics.ts'
import type { ReadHeader } from '../../http/asOf/resolveBlock.ts'
import { createBlockFetcher } from '../../chain/createBlockFetcher.ts'
import { AttestryError, describeError } from '../../errors/baseError.ts'
import type { ChainId } from '../../model/compositeId.ts'
import type { ChainConfig } from '../config/resolveChains.ts'
import { createRequestCounter } from '../createRequestCounter.ts'
import { createHeaderReader } from './createHeaderReader.ts'
import { createEventProver, type EventProver } from './createEventProver.ts'

export interface ConnectedProver extends EventProver {
  readonly readHeader: ReadHeader
  /** Requests to endpoints for proofs, since the start. */
  rpcCounts(): readonly RpcCount[]
}

export interface ProverSettings {
  readonly chains: readonly Pick<ChainConfig, 'chainId' | 'rpc' | 'requests'>[]
  /** 0: proofs are refused, and no header is read. */
  readonly blocksPerMinute: number
  readonly logger: Logger
}

/** Limits of one request, and of all requests for one block from one endpoint. */
const requestTimeoutMs = 6_000
const blockBudgetMs = 10_000
const attemptsMax = 3

/**
 * A prover and a reader of headers over the endpoints of the configured chains. Its connections are its own: the indexer may run in another
 * thread or process. The first request is sent for the first proof.
 */
export function connectProver({ chains, blocksPerMinute, logger }: ProverSettings): ConnectedProver {
  const counter = createRequestCounter()
  const connected = blocksPerMinute === 0 ? [] : chains.filter(({ rpc }) => rpc.length > 0)
  const fetchers = connected.map(({ chainId, rpc, requests }) => {
    const fetcher = createBlockFetcher({
      chainId,
      endpoints: rpc,
      requestTimeoutMs,
      callBudgetMs: blockBudgetMs,
      attemptsMax,
      concurrencyPerEndpoint: Math.min(2, requests.inFlight),
      callsPerSecond: requests.perSecond,
      maxResponseBytes: 32 * 1024 * 1024,
      onRequest: (host, errorCode) => counter.count(chainId, host, errorCode),
    })
    return [chainId, fetcher] as const
  })
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
  })
  return {
    prove: prover.prove,
    readHeader,
    rpcCounts: counter.counts,
    close: prover.close,
  }
}
