import { setTimeout as delay } from 'node:timers/promises'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import { rowsMax } from '@attestry/server/interfaces/rest/addListEndpoints.ts'
import { closeLimitMs, type ApiSettings, type RunningApi } from './apiSettings.ts'
import { collectWhileServing } from '@attestry/host/collectEarly.ts'
import { boundPort, describeListenFailure, formatBaseUrl } from '@attestry/host/listenAddress.ts'
import { openApi } from './openApi.ts'
import { listenForFigures, openFigures } from './openFigures.ts'

/**
 * Serves the API in this process.
 * @throws StartError when the address cannot be listened on.
 */
export async function serveHere(settings: ApiSettings): Promise<RunningApi> {
  const { server } = settings
  const { host, port } = server
  collectWhileServing()
  const { app, metrics, reader, close: closeApi } = await openApi(settings)
  const figures = openFigures(server, metrics)
  const closeAll = async () => {
    await figures?.close()
    await closeApi()
  }
  const close = () => Promise.race([closeAll(), delay(closeLimitMs, undefined, { ref: false })])
  try {
    await app.ready()
    await settings.mayListen
    await app.listen({ host, port }).catch((error: unknown) => {
      throw new StartError(describeListenFailure(error, server), { cause: error })
    })
    await listenForFigures(figures, server)
  } catch (error) {
    await close()
    throw error
  }
  // The first list of trending schemas reads the hours of a week: 0.3 s at ten million attestations.
  void reader.listTrendingSchemas(rowsMax).catch(() => undefined)
  return { url: formatBaseUrl({ host, port: boundPort(app.server.address()) }), close }
}
