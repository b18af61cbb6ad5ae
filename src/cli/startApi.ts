import type { ApiSettings, RunningApi } from './apiSettings.ts'

/**
 * Serves the API: in this process with one worker, else in worker processes.
 * @throws StartError when the address cannot be listened on.
 */
export async function startApi(settings: ApiSettings): Promise<RunningApi> {
  // The server's libraries load slowly, and a process whose workers answer does not need them.
  if (settings.server.workers === 1) {
    const { serveHere } = await import('./serveHere.ts')
    return await serveHere(settings)
  }
  const { startWorkers } = await import('./workers/startWorkers.ts')
  return await startWorkers(settings)
}
