/** The global key under which `@opentelemetry/api` keeps the SDK registered in this process or thread. */
const registered = Symbol.for('opentelemetry.js.api.1')

/**
 * Makes spans of what this process or thread does, where a SDK of OpenTelemetry was registered before (`node --import`).
 * Without an SDK nothing is loaded and nothing is followed.
 */
export async function startTracing(): Promise<void> {
  if (!(registered in globalThis)) return
  const { followWork } = await import('./followWork.ts')
  followWork()
}
