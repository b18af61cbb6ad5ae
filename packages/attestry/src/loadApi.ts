import type { ApiSettings, RunningApi } from './apiSettings.ts'

/**
 * Serves the API: in this process with one worker, else in worker processes.
 * @throws StartError when the address cannot be listened on.
 */
export type StartApi = (settings: ApiSettings) => Promise<RunningApi>

/** Loads what serves the API. The server's libraries load slowly: the indexer can start meanwhile. */
export async function loadApi({ workers }: Pick<ApiSettings['server'], 'workers'>): Promise<StartApi> {
  if (workers === 1) return (await import('./serveHere.ts')).serveHere
  // A process whose workers answer does not need the libraries.
  return (await import('./workers/startWorkers.ts')).startWorkers
}
