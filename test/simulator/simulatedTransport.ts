import { parseJson } from '@attestry/core/chain/matchAnswers.ts'
import type {
  ListeningConnection,
  NotificationListener,
  RpcTransport,
} from '@attestry/core/chain/rpcTransport.ts'
import { RpcUnreachableError } from '@attestry/core/errors/rpcErrors.ts'
import type { Clock } from '@attestry/core/model/clock.ts'
import { parseRetryAfter } from '@attestry/core/model/parseRetryAfter.ts'
import type { SimulatedEndpoint } from './simulatedEndpoint.ts'

/** Interval at which a subscription looks for a new head. */
const tellIntervalMs = 200

/**
 * Reaches a simulated endpoint without a socket, in the time of `clock`: what HTTP would make of each reply, it makes
 * too, so that a run depends on nothing but its seed.
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

  /** Looks for a new head every so often, as long as anyone listens. */
  async function tellHeads(listener: NotificationListener, signal: AbortSignal): Promise<void> {
    let before = ''
    for (;;) {
      await clock.sleep(tellIntervalMs, signal)
      const told = endpoint.tell()
      if (told.kind === 'lost') listener.onClosed()
      if (told.kind !== 'result') return
      const text = JSON.stringify(told.result)
      if (text === before) continue
      before = text
      listener.onNotification({ subscription: '0x1', result: told.result })
    }
  }

  function listen(listener: NotificationListener): ListeningConnection {
    const stop = new AbortController()
    tellHeads(listener, stop.signal).catch(() => undefined)
    return { close: () => stop.abort() }
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
    listen: endpoint.tellsHeads() ? listen : null,
    destroy: () => Promise.resolve(),
  }
}
