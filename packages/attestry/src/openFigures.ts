import { asClause, describeError } from '@attestry/core/errors/baseError.ts'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import { createFindKey } from '@attestry/server/pipeline/access/apiKeys.ts'
import { createAccess } from '@attestry/server/pipeline/access/createAccess.ts'
import type { Metrics } from '@attestry/server/pipeline/metrics/createMetrics.ts'
import {
  createMetricsServer,
  type MetricsServer,
} from '@attestry/server/pipeline/metrics/createMetricsServer.ts'
import { isLoopback, type ServerConfig } from '@attestry/host/config/resolveServer.ts'

/**
 * The server of `metricsPort`, which does not listen yet; null without such a port. Beyond this machine the rules of the
 * main port hold there too.
 */
export function openFigures(
  {
    metricsHost,
    metricsPort,
    access,
    keys,
  }: Pick<ServerConfig, 'metricsHost' | 'metricsPort' | 'access' | 'keys'>,
  metrics: Metrics,
): MetricsServer | null {
  if (metricsPort === undefined) return null
  const rules = isLoopback(metricsHost) ? null : createAccess(access, createFindKey(keys), '')
  return createMetricsServer(metrics, rules)
}

/** @throws StartError if the port cannot be listened on. */
export async function listenForFigures(
  figures: MetricsServer | null,
  { metricsHost: host, metricsPort: port = 0 }: ServerConfig,
): Promise<void> {
  await figures?.listen(host, port).catch((error: unknown) => {
    throw new StartError(
      `The figures of /metrics cannot be served on port ${port} of ${host} (${asClause(describeError(error))}); choose another server.metricsPort`,
      { cause: error },
    )
  })
}
