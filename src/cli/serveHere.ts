import { createMetrics } from '../api/metrics/createMetrics.ts'
import { createMetricsServer } from '../api/metrics/createMetricsServer.ts'
import { createRequestMeter } from '../api/metrics/requestMeter.ts'
import { StartError } from '../errors/configErrors.ts'
import { collectWhileServing } from './collectEarly.ts'
import { createApi } from './createApi.ts'
import { boundPort, describeListenFailure, describeMetricsFailure, formatBaseUrl } from './listenAddress.ts'
import { openDatabase } from './openDatabase.ts'
import { readHookFigures } from './readHookFigures.ts'
import { connectContractSigners } from './offchain/connectContractSigners.ts'
import { createOffchainVerifier } from './offchain/createOffchainVerifier.ts'
import { connectProver } from './proofs/connectProver.ts'
import type { ApiSettings, RunningApi } from './apiSettings.ts'

/**
 * Serves the API in this process.
 * @throws StartError when the address cannot be listened on.
 */
export async function serveHere(settings: ApiSettings): Promise<RunningApi> {
  const { server, chains, chainIds, logger, explorer, rpcCounts } = settings
  const { host, port, metricsPort } = server
  collectWhileServing(settings.database.kind)
  const database = await openDatabase(settings.database)
  const reader = database.openReader()
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
  const figures = metricsPort === undefined ? null : createMetricsServer(metrics)
  const close = async () => {
    await Promise.all([app.close(), figures?.close(), prover.close(), signers.close()])
    await reader.close()
  }
  try {
    await app.listen({ host, port })
  } catch (error) {
    await close()
    throw new StartError(describeListenFailure(error, server), { cause: error })
  }
  try {
    await figures?.listen(host, metricsPort ?? 0)
  } catch (error) {
    await close()
    throw new StartError(describeMetricsFailure(error, { host, port: metricsPort ?? 0 }), { cause: error })
  }
  return { url: formatBaseUrl({ host, port: boundPort(app.server.address()) }), reader, close }
}
