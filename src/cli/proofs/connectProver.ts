import type { Logger } from 'pino'
import type { RpcCount } from '../../api/metrics/createMetrics.ts'
import { createBlockFetcher } from '../../chain/createBlockFetcher.ts'
import { AttestryError, describeError } from '../../errors/baseError.ts'
import type { ChainConfig } from '../config/resolveChains.ts'
import { createRequestCounter } from '../createRequestCounter.ts'
import { createEventProver, type EventProver } from './createEventProver.ts'

export interface ConnectedProver extends EventProver {
  /** Requests to endpoints on behalf of proofs, since the start. */
  rpcCounts(): readonly RpcCount[]
}

export interface ProverSettings {
  readonly chains: readonly Pick<ChainConfig, 'chainId' | 'rpc' | 'requests'>[]
  /** 0: nothing is proven. */
  readonly blocksPerMinute: number
  readonly logger: Logger
}

/** One exchange, and all that are made to get one block out of one of the endpoints. */
const requestTimeoutMs = 6_000
const blockBudgetMs = 10_000
const attemptsMax = 3

/**
 * A prover over the endpoints of the configured chains, with connections of its own: the indexer's may be in another thread, or
 * process. Nothing is sent before a proof is asked for.
 */
export function connectProver({ chains, blocksPerMinute, logger }: ProverSettings): ConnectedProver {
  let counts: readonly RpcCount[] = []
  const counter = createRequestCounter((told) => {
    counts = told
  })
  const connected = blocksPerMinute === 0 ? [] : chains.filter(({ rpc }) => rpc.length > 0)
  const fetchers = connected.map(({ chainId, rpc, requests }) => {
    const fetcher = createBlockFetcher({
      chainId,
      endpoints: rpc,
      requestTimeoutMs,
      callBudgetMs: blockBudgetMs,
      attemptsMax,
      concurrencyPerEndpoint: Math.min(2, requests.inFlight),
      requestsPerSecond: requests.perSecond,
      maxResponseBytes: 32 * 1024 * 1024,
      onRequest: (host, errorCode) => counter.count(chainId, host, errorCode),
    })
    return [chainId, fetcher] as const
  })
  const prover = createEventProver({
    fetchers: new Map(fetchers),
    limits: { blocksPerMinute },
    onFailure: (chainId, error) => {
      const code = error instanceof AttestryError ? error.code : undefined
      logger.warn({ chainId, code }, `chain ${chainId}: a block cannot be proven: ${describeError(error)}`)
    },
  })
  return {
    prove: prover.prove,
    rpcCounts: () => counts,
    close: async () => {
      counter.stop()
      await prover.close()
    },
  }
}
