import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createServer, keptBytesDefault } from '../api/createServer.ts'
import type { ExplorerSource } from '../api/explorer/explorerSource.ts'
import type { CountRequest } from '../api/limits/requestCounts.ts'
import type { Metrics } from '../api/metrics/createMetrics.ts'
import type { RequestMeter } from '../api/metrics/requestMeter.ts'
import type { OffchainVerifier } from '../model/offchainRecord.ts'
import type { ProveEvent } from '../model/recordProof.ts'
import type { ChainId } from '../model/compositeId.ts'
import { decodeAttestedPayload } from '../protocols/decodeAttestedPayload.ts'
import { listFieldPaths } from '../protocols/listFieldPaths.ts'
import { easInterface } from '../protocols/eas/easInterface.ts'
import { nameDeployment } from '../protocols/nameDeployment.ts'
import { veraxInterface } from '../protocols/verax/veraxInterface.ts'
import type { ChangeJournal } from '../store/indexQueries.ts'
import type { IndexReader } from '../store/indexReader.ts'
import type { ServerConfig } from './config/resolveServer.ts'
import { verifyProofText } from './verifyProofText.ts'

export interface ApiParts {
  readonly reader: IndexReader & ChangeJournal
  readonly proveEvent: ProveEvent
  readonly offchain: OffchainVerifier
  readonly server: ServerConfig
  /** Chains that must have reached their head for `/readyz` to answer 200. */
  readonly chainIds: readonly ChainId[]
  readonly logger: Logger
  /** The web app; null where `server.explorer` is false. */
  readonly explorer: ExplorerSource | null
  readonly meter: RequestMeter
  readonly metrics: Metrics
  /** Counts the requests of a client over all workers; absent with one worker. */
  readonly countRequest?: CountRequest
}

/** The configured API in this process, not listening yet. */
export function createApi(parts: ApiParts): FastifyInstance {
  const { reader, proveEvent, offchain, server, chainIds, logger, explorer, meter, metrics, countRequest } =
    parts
  const { easLimits, metricsPort, rateLimit, trustProxy, workers, keys, access } = server
  return createServer({
    reader,
    journal: reader,
    decodePayload: decodeAttestedPayload,
    listFieldPaths,
    eas: easInterface,
    verax: veraxInterface,
    proveEvent,
    offchain,
    nameDeployment,
    chainIds,
    // Fastify logs each address that it listens on, at level `info`.
    logger: logger.child({}, { level: 'warn' }),
    meter,
    keptBytesMax: Math.floor(keptBytesDefault / workers),
    ...(explorer === null ? {} : { explorer }),
    ...(metricsPort === undefined ? { metrics } : {}),
    ...(server.mcp
      ? { mcp: { verifyProof: (proof, trusted) => verifyProofText(proof, 'The proof', trusted) } }
      : {}),
    ...(easLimits === undefined ? {} : { easLimits }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
    ...(countRequest === undefined ? {} : { countRequest }),
    keys,
    access,
    hasExports: server.export,
    ...(trustProxy === undefined ? {} : { trustProxy }),
  })
}
