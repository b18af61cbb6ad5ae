import { once } from 'node:events'
import { createServer as createProbe, type AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { createServer } from '../api/createServer.ts'
import type { ExplorerSource } from '../api/explorer/explorerSource.ts'
import { createMetrics, type RpcCount } from '../api/metrics/createMetrics.ts'
import { createMetricsServer } from '../api/metrics/createMetricsServer.ts'
import { createRequestMeter } from '../api/metrics/requestMeter.ts'
import { describeError } from '../errors/baseError.ts'
import { StartError } from '../errors/configErrors.ts'
import type { ChainId } from '../model/compositeId.ts'
import { decodeAttestedPayload } from '../protocols/decodeAttestedPayload.ts'
import type { IndexReader } from '../store/indexReader.ts'
import type { ChainConfig } from './config/resolveChains.ts'
import type { ServerConfig } from './config/resolveServer.ts'
import type { Database } from './openDatabase.ts'
import { connectProver } from './proofs/connectProver.ts'

/** The API, answering. */
export interface RunningApi {
  /** Where a program on this machine reaches it, without a slash at the end. */
  readonly url: string
  readonly reader: IndexReader
  close(): Promise<void>
}

export interface ApiSettings {
  readonly database: Database
  readonly server: ServerConfig
  /** The chains whose events can be proven, as their endpoints are known. */
  readonly chains: readonly ChainConfig[]
  /** Chains that `/readyz` waits for. */
  readonly chainIds: readonly ChainId[]
  readonly logger: Logger
  /** The web app; null where it is not wanted. */
  readonly explorer: ExplorerSource | null
  /** Requests to endpoints, where this process indexes. */
  readonly rpcCounts?: () => readonly RpcCount[]
}

/**
 * Opens the database for reading and serves it.
 * @throws StartError when the address cannot be listened on.
 */
export async function startApi(settings: ApiSettings): Promise<RunningApi> {
  const { database, server, chains, chainIds, logger, explorer, rpcCounts } = settings
  const { metricsPort, rateLimit, trustProxy } = server
  const reader = database.openReader()
  const prover = connectProver({
    chains,
    blocksPerMinute: server.proofBlocksPerMinute,
    logger,
  })
  const meter = createRequestMeter()
  const metrics = createMetrics({
    reader,
    meter,
    databaseBytes: () => database.measureBytes(),
    rpcCounts: () => [...(rpcCounts?.() ?? []), ...prover.rpcCounts()],
  })
  // What Fastify says of its own accord, such as each address it listens on, is not for this log.
  const app = createServer({
    reader,
    queries: reader,
    journal: reader,
    decodePayload: decodeAttestedPayload,
    proveEvent: prover.prove,
    chainIds,
    logger: logger.child({}, { level: 'warn' }),
    meter,
    ...(explorer === null ? {} : { explorer }),
    ...(metricsPort === undefined ? { metrics } : {}),
    ...(rateLimit === undefined ? {} : { rateLimit }),
    ...(trustProxy === undefined ? {} : { trustProxy }),
  })
  const figures = metricsPort === undefined ? null : createMetricsServer(metrics)
  const close = async () => {
    await Promise.all([app.close(), figures?.close(), prover.close()])
    await reader.close()
  }
  try {
    await app.listen({ host: server.host, port: server.port })
  } catch (error) {
    await close()
    throw new StartError(describeListenFailure(error, server), { cause: error })
  }
  try {
    await figures?.listen(server.host, metricsPort ?? 0)
  } catch (error) {
    await close()
    throw new StartError(
      `The figures of /metrics cannot be served on port ${metricsPort} of ${server.host} (${describeError(error)}); choose another server.metricsPort`,
      { cause: error },
    )
  }
  return { url: formatBaseUrl(server.host, boundPort(app.server.address())), reader, close }
}

/**
 * Checks that an address can be listened on now, by doing so for a moment.
 * @throws StartError
 */
export async function assertListenable(server: ServerConfig): Promise<void> {
  const probe = createProbe()
  try {
    probe.listen({ host: server.host, port: server.port })
    await once(probe, 'listening')
  } catch (error) {
    throw new StartError(describeListenFailure(error, server), { cause: error })
  } finally {
    probe.close()
  }
}

/** An address that means every interface is no address to go to; the loopback is among them. */
function formatBaseUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

function boundPort(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0
}

function describeListenFailure(error: unknown, { host, port }: ServerConfig): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use; choose another with --port or the environment variable PORT`
    case 'EACCES':
      return `Port ${port} on ${host} may not be used by this user; choose one from 1024 on with --port or the environment variable PORT`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host ${host} is no address of this machine; choose another with --host or the environment variable HOST`
    default:
      return `The server cannot listen on port ${port} of ${host}: ${describeError(error)}`
  }
}
