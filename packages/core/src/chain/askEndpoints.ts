import { AttestryError } from '../errors/baseError.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import type { Endpoint } from './createEndpoint.ts'

/** The answer of an endpoint. */
export interface Vote<Value> {
  readonly endpoint: Endpoint
  readonly value: Value
}

/**
 * Asks several endpoints the same at once. Those that fail, have nothing to say (null) or do not answer in time say
 * nothing for or against.
 */
export async function askEndpoints<Value>(
  endpoints: readonly Endpoint[],
  ask: (endpoint: Endpoint, signal: AbortSignal) => Promise<Value | null>,
  { clock, agreementTimeoutMs }: Pick<ResolvedOptions, 'clock' | 'agreementTimeoutMs'>,
  signal: AbortSignal,
): Promise<readonly Vote<Value>[]> {
  const late = new AbortController()
  const inTime = AbortSignal.any([signal, late.signal])
  const alarm = new AbortController()
  const timer = clock.sleep(agreementTimeoutMs, AbortSignal.any([signal, alarm.signal])).then(
    () => late.abort(new Error('too late to vote')),
    () => undefined,
  )
  const votes = await Promise.all(
    endpoints.map(async (endpoint): Promise<readonly Vote<Value>[]> => {
      try {
        const value = await ask(endpoint, inTime)
        return value === null ? [] : [{ endpoint, value }]
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (error instanceof AttestryError || late.signal.aborted) return []
        throw error
      }
    }),
  ).finally(() => alarm.abort())
  await timer
  return votes.flat()
}
