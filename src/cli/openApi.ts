import type { FastifyInstance } from 'fastify'
import { createMetrics, type Metrics } from '../api/metrics/createMetrics.ts'
import { createRequestMeter } from '../api/metrics/requestMeter.ts'
import type { IndexReader } from '../store/indexReader.ts'
import type { ApiSettings } from './apiSettings.ts'
import { createApi } from './createApi.ts'
import { connectContractSigners } from './offchain/connectContractSigners.ts'
import { createOffchainVerifier } from './offchain/createOffchainVerifier.ts'
import { openDatabase } from './openDatabase.ts'
import { connectProver } from './proofs/connectProver.ts'
import { readHookFigures } from './readHookFigures.ts'
import { withLiveErrors } from './withLiveErrors.ts'

/** The API over an open database; it listens nowhere yet. */
export interface OpenApi {
  readonly app: FastifyInstance
  readonly metrics: Metrics
  readonly reader: IndexReader
  /** Ends the API, its endpoints' connections, and the reader. */
  close(): Promise<void>
}

/** Opens the database and the API over it in this process. */
export async function openApi(settings: ApiSettings): Promise<OpenApi> {
  const { server, chains, chainIds, logger, explorer, rpcCounts } = settings
  const database = await openDatabase(settings.database)
  const reader = withLiveErrors(database.openReader(), settings.statuses ?? (() => []))
  const prover = connectProver({ chains, blocksPerMinute: server.proofBlocksPerMinute, logger })
  const signers = connectContractSigners(chains, logger)
  const meter = createRequestMeter()
  const metrics = createMetrics({
    reader,
    meter,
    databaseBytes: () => database.measureBytes(),
    hooks: () => readHookFigures(reader),
    rpcCounts: () => [...(rpcCounts?.() ?? []), ...prover.rpcCounts(), ...signers.rpcCounts()],
  })
  const proveEvent = prover.prove
  const offchain = createOffchainVerifier(chains, signers.ask)
  const app = createApi({ reader, proveEvent, offchain, server, chainIds, logger, explorer, meter, metrics })
  const close = async () => {
    await Promise.all([app.close(), prover.close(), signers.close()])
    await reader.close()
  }
  return { app, metrics, reader, close }
}
