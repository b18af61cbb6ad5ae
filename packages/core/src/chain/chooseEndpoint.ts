import type { Endpoint } from './createEndpoint.ts'

/** The properties that decide the choice among endpoints. */
export type RankedEndpoint = Pick<Endpoint, 'availableAtMs' | 'failures' | 'isSaturated'>

/**
 * The best endpoint for a call, by, in this order:
 * 1. how soon it may be asked; endpoints that may be asked within `patienceMs` count as equal,
 * 2. how often it failed this call (`misses`),
 * 3. how often it failed since its last success,
 * 4. whether it has room for another request,
 * 5. the order of the configuration.
 * @throws TypeError if there is no endpoint.
 */
export function chooseEndpoint<Ranked extends RankedEndpoint>(
  endpoints: readonly Ranked[],
  misses: ReadonlyMap<Ranked, number>,
  nowMs: number,
  patienceMs = 0,
): Ranked {
  const penalties = (endpoint: Ranked) => [
    Math.max(0, endpoint.availableAtMs() - nowMs - patienceMs),
    misses.get(endpoint) ?? 0,
    endpoint.failures(),
    Number(endpoint.isSaturated()),
  ]
  const [best] = endpoints.toSorted((a, b) => compareLexically(penalties(a), penalties(b)))
  if (best === undefined) throw new TypeError('A chain needs at least one endpoint.')
  return best
}

function compareLexically(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
