import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { RpcUnconfirmedError } from '../errors/rpcErrors.ts'
import { findMajority } from '../model/findMajority.ts'
import { askEndpoints, type Vote } from './askEndpoints.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import type { Endpoint } from './createEndpoint.ts'
import type { EndpointPool } from './createEndpointPool.ts'

/** A question whose answer counts only if two endpoints give it. */
export interface AgreedQuestion<Value> {
  /** The subject of the question in messages, such as `block 5`. */
  readonly about: string
  /**
   * Asks one endpoint.
   * @throws an AttestryError for a malformed answer or an error; the endpoint then has no vote.
   */
  readonly ask: (endpoint: Endpoint, signal: AbortSignal) => Promise<Value>
  /** Answers with the same key agree. `all` are the answers so far. */
  readonly keyOf: (value: Value, all: readonly Value[]) => string
}

/** The answers to a question that agree. */
export interface Agreed<Value> {
  /** At least two; one where the chain has one endpoint. */
  readonly values: readonly Value[]
  /** All answers, also those that differ. */
  readonly all: readonly Value[]
}

/** How often an endpoint is asked that does not answer. */
const attemptsMax = 2

/**
 * The answer of two endpoints, where a chain has two: what one says alone decides nothing. Two endpoints are asked at
 * first; the others are asked if those differ or do not answer. The answer of an only endpoint counts.
 * @throws InconsistentChainError, retryable, if the endpoints differ and no answer has two votes and the majority.
 * @throws RpcUnconfirmedError, retryable, if fewer than two endpoints answer.
 * @throws one of the errors of `errors/rpcErrors.ts` if the only endpoint does not answer.
 */
export async function agreeByTwo<Value>(
  pool: EndpointPool,
  { about, ask, keyOf }: AgreedQuestion<Value>,
  options: Pick<ResolvedOptions, 'clock' | 'agreementTimeoutMs' | 'callBudgetMs'>,
  signal: AbortSignal,
): Promise<Agreed<Value>> {
  if (pool.isAlone) {
    const values = [await pool.persist(ask, signal)]
    return { values, all: values }
  }
  const { clock } = options
  const deadlineMs = clock.nowMs() + options.callBudgetMs
  const votes: Vote<{ readonly value: Value }>[] = []
  const attempts = new Map<Endpoint, number>()
  const vote = async (endpoint: Endpoint, inTime: AbortSignal) => {
    attempts.set(endpoint, (attempts.get(endpoint) ?? 0) + 1)
    return { value: await ask(endpoint, inTime) }
  }
  for (;;) {
    const waiting = pool.trusted().filter((endpoint) => {
      const isAsked = votes.some((each) => each.endpoint === endpoint)
      return !isAsked && endpoint.wrongChainId() === null && (attempts.get(endpoint) ?? 0) < attemptsMax
    })
    if (waiting.length === 0) break
    const nowMs = clock.nowMs()
    const ready = waiting.filter((endpoint) => endpoint.availableAtMs() <= nowMs)
    if (ready.length === 0) {
      const delayMs = Math.min(...waiting.map((endpoint) => endpoint.availableAtMs())) - nowMs
      if (nowMs + delayMs > deadlineMs) break
      await clock.sleep(delayMs, signal)
      continue
    }
    const asked = ready.slice(0, Math.max(1, 2 - votes.length))
    votes.push(...(await askEndpoints(asked, vote, options, signal)))
    const all = votes.map(({ value: { value } }) => value)
    const agreed = findMajority([...Map.groupBy(all, (value) => keyOf(value, all)).values()])
    if (agreed !== undefined && agreed.length >= 2) return { values: agreed, all }
  }
  const hosts = votes.map(({ endpoint: { host } }) => host)
  if (hosts.length > 1) {
    throw new InconsistentChainError(
      `The endpoints disagree about ${about} (${hosts.join(', ')}); an answer counts if two of them give it.`,
      { retryable: true, facts: { hosts } },
    )
  }
  throw new RpcUnconfirmedError(
    `${hosts[0] === undefined ? 'No endpoint' : `Only ${hosts[0]}`} answers about ${about}; an answer counts if two endpoints give it.`,
    { retryable: true, facts: { hosts } },
  )
}
