/** The global key under which `@opentelemetry/api` keeps the SDK registered in this process or thread. */
const registered = Symbol.for('opentelemetry.js.api.1')

/**
 * Creates spans for the work of this process or thread, if an OpenTelemetry SDK is already registered (`node --import`).
 * Without an SDK, nothing is loaded or traced.
 */
export async function startTracing(): Promise<void> {
  if (!(registered in globalThis)) return
  const { followWork } = await import('./followWork.ts')
  followWork()
}
