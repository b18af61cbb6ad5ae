import type { RpcCount } from '@attestry/host/createRequestCounter.ts'
import type { FastifyInstance } from 'fastify'
import { keptBytesDefault } from '@attestry/server/createContext.ts'
import { createServer } from '@attestry/server/createServer.ts'
import { closeWings, openWings, readWingFigures } from '@attestry/server/wing.ts'
import type { CountRequest } from '@attestry/server/pipeline/limits/requestCounts.ts'
import { createMetrics, type Metrics } from '@attestry/server/pipeline/metrics/createMetrics.ts'
import { createRequestMeter, type RequestMeter } from '@attestry/server/pipeline/metrics/requestMeter.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { listFieldPaths } from '@attestry/core/protocols/listFieldPaths.ts'
import { findPublished } from '@attestry/core/protocols/deployments.ts'
import { nameDeployment } from '@attestry/core/protocols/nameDeployment.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { ApiSettings } from './apiSettings.ts'
import { connectSharedCounts } from './connectSharedCounts.ts'
import { importWings } from './composition.ts'
import { openDatabase } from '@attestry/host/openDatabase.ts'
import { readVersion } from '@attestry/host/readVersion.ts'
import { withLiveErrors } from '@attestry/host/withLiveErrors.ts'

/** The API over an open database; it listens nowhere yet. */
export interface OpenApi {
  readonly app: FastifyInstance
  readonly metrics: Metrics
  readonly reader: IndexReader
  /** Requests to endpoints so far: those of this API, and those that the settings count. */
  rpcCounts(): readonly RpcCount[]
  /** Ends the API, its endpoints' connections, and the reader. */
  close(): Promise<void>
}

/** The parts that all processes serving one API share. */
export interface SharedParts {
  /** Counts the answers of this process. */
  readonly meter: RequestMeter
  /** The figures of all processes. */
  readonly metrics: Metrics
  /** Counts the requests of a client over all processes. */
  readonly countRequest: CountRequest
}

/**
 * Opens the database and the API over it in this process.
 * @param shared absent if only this process serves the API.
 */
export async function openApi(settings: ApiSettings, shared?: SharedParts): Promise<OpenApi> {
  const { server, chains, chainIds, logger, listens = true } = settings
  const { metricsPort, rateLimit, trustProxy, workers, keys, access } = server
  const database = await openDatabase(settings.database)
  const reader = withLiveErrors(database.openReader(), settings.statuses ?? (() => []))
  const wings = await importWings(settings.wings)
  const served = await openWings(
    wings,
    {
      reader,
      database: settings.database,
      chains,
      logger,
      listens,
      processes: workers,
    },
    settings.wings.configs,
  )
  const rpcCounts = () => [
    ...(settings.rpcCounts?.() ?? []),
    ...served.flatMap((wing) => wing.rpcCounts?.() ?? []),
  ]
  const meter = shared?.meter ?? createRequestMeter()
  const metrics =
    shared?.metrics ??
    createMetrics({
      reader,
      meter,
      version: readVersion(),
      databaseBytes: () => database.measureBytes(),
      rpcCounts,
      figures: () => readWingFigures(wings, reader, settings.wings.configs),
    })
  const counts =
    rateLimit?.valkey === undefined
      ? null
      : await connectSharedCounts({
          url: rateLimit.valkey,
          windowMs: rateLimit.windowSeconds * 1_000,
          logger,
        })
  const countRequest = counts?.count ?? shared?.countRequest
  const app = createServer({
    reader,
    journal: reader,
    wings: served,
    protocols: { decodePayload: decodeAttestedPayload, listFieldPaths, nameDeployment, findPublished },
    chainIds,
    namedChainIds: chains.map(({ chainId }) => chainId),
    clients: {
      keys,
      access,
      ...(rateLimit === undefined ? {} : { rateLimit }),
      ...(countRequest === undefined ? {} : { countRequest }),
      ...(trustProxy === undefined ? {} : { trustProxy }),
    },
    caching: {
      maxAgeSeconds: server.maxAgeSeconds,
      versionEveryMs: server.versionEveryMs,
      keptBytesMax: Math.floor(keptBytesDefault / workers),
    },
    // Fastify logs each address that it listens on, at level `info`.
    logger: logger.child({}, { level: 'warn' }),
    meter,
    ...(metricsPort === undefined ? { metrics } : {}),
  })
  const close = async () => {
    await app.close()
    await closeWings(served)
    counts?.close()
    await reader.close()
  }
  return { app, metrics, reader, rpcCounts, close }
}
