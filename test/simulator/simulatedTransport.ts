import { parseJson } from '../../src/chain/matchAnswers.ts'
import { parseRetryAfter } from '../../src/chain/parseRetryAfter.ts'
import type { RpcTransport } from '../../src/chain/rpcTransport.ts'
import { RpcUnreachableError } from '../../src/errors/rpcErrors.ts'
import type { Clock } from '../../src/model/clock.ts'
import type { SimulatedEndpoint } from './simulatedEndpoint.ts'

/**
 * Reaches a simulated endpoint without a socket, in the time of `clock`: what HTTP would make of each reply, it makes too, so
 * that a run depends on nothing but its seed.
 */
export function createSimulatedTransport(
  endpoint: SimulatedEndpoint,
  host: string,
  clock: Clock,
  requestTimeoutMs: number,
): RpcTransport {
  function unreachable(reason: 'timeout' | 'refused' | 'broken'): RpcUnreachableError {
    return new RpcUnreachableError(`${host} cannot be reached (${reason}).`, {
      retryable: true,
      facts: { host, reason },
    })
  }
  return {
    async post({ text }, signal) {
      await clock.sleep(endpoint.latencyMs(), signal)
      const reply = endpoint.reply(text)
      switch (reply.kind) {
        case 'hang':
          await clock.sleep(requestTimeoutMs, signal)
          throw unreachable('timeout')
        case 'reset':
        case 'truncated':
          throw unreachable('broken')
        case 'refused':
          throw unreachable('refused')
        case 'answer': {
          const { status, headers, body } = reply
          const retryAfterMs = parseRetryAfter(headers['retry-after'], clock.nowMs())
          return { status, retryAfterMs, body: parseJson(body) }
        }
      }
    },
    listen: null,
    destroy: () => Promise.resolve(),
  }
}
