import { isJsonObject } from '../model/jsonObject.ts'
import { AttestryError } from '../errors/baseError.ts'
import { RpcMalformedError } from '../errors/rpcErrors.ts'
import type { BlockRef } from '../model/chainState.ts'
import { parseHash } from '../model/hex.ts'
import { blockNumberMax } from '../model/position.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import type { Endpoint } from './createEndpoint.ts'
import type { RpcCall } from './matchAnswers.ts'
import { parseQuantity } from './parseQuantity.ts'
import type { NotificationListener, RpcTransport } from './rpcTransport.ts'

/** A block that an endpoint announced. It is only a hint to look. */
export type ToldHead = Pick<BlockRef, 'number' | 'hash'>

/** A subscription to the new heads of one endpoint, opened again whenever it ends. */
export interface HeadSubscription {
  /** Ends the present subscription, for a reason whose subject is the endpoint. Another one follows after a pause. */
  renew(reason: string): void
  /** Lets the next pause be the shortest again. */
  noteSuccess(): void
}

export interface HeadListener {
  onOpened(): void
  onTold(head: ToldHead): void
  /** Called with what ended a subscription, or kept it from being opened. */
  onEnded(reason: string): void
}

/** The pause before another subscription; doubles up to the maximum with each one that brought nothing. */
const pauseMs = 1_000
const pauseMaxMs = 300_000

const subscribeCall: RpcCall = { method: 'eth_subscribe', params: ['newHeads'] }

/** Runs until `signal` aborts. */
export function subscribeToHeads(
  endpoint: Pick<Endpoint, 'host' | 'exchangeOne' | 'explain' | 'availableAtMs'>,
  listen: NonNullable<RpcTransport['listen']>,
  listener: HeadListener,
  { clock, random }: Pick<ResolvedOptions, 'clock' | 'random'>,
  signal: AbortSignal,
): HeadSubscription {
  const { host } = endpoint
  let attempts = 0
  let end: (reason: string) => void = () => undefined

  /** One subscription, from its opening to what ended it. */
  async function subscribe(): Promise<string> {
    const ended = Promise.withResolvers<string>()
    end = ended.resolve
    const messages: NotificationListener = {
      onNotification: (params) => {
        const head = readToldHead(params)
        if (head === null) ended.resolve(`${host} sent something that is not the head of a block`)
        else listener.onTold(head)
      },
      onClosed: () => ended.resolve(`${host} closed the connection`),
    }
    const connection = listen(messages)
    const onAbort = () => ended.resolve('stopped')
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      const answer = await endpoint.exchangeOne(subscribeCall, signal)
      if (answer.kind === 'error') throw endpoint.explain(subscribeCall, answer.error, 1).error
      if (typeof answer.value !== 'string' && typeof answer.value !== 'number') throw noSubscription(host)
      listener.onOpened()
      return await ended.promise
    } catch (error) {
      if (error instanceof AttestryError) return error.message
      if (signal.aborted) return 'stopped'
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
      connection.close()
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const unavailableMs = endpoint.availableAtMs() - clock.nowMs()
      if (unavailableMs > 0) {
        // A success of a request ends the time before it is over.
        await clock.sleep(Math.min(unavailableMs, pauseMaxMs), signal)
        continue
      }
      const reason = await subscribe()
      if (signal.aborted) return
      listener.onEnded(reason)
      const ceilingMs = Math.min(pauseMaxMs, pauseMs * 2 ** Math.min(attempts++, 20))
      await clock.sleep(ceilingMs * (0.5 + random() / 2), signal)
    }
  }

  // Without subscriptions polling goes on.
  run().catch(() => undefined)
  return {
    renew: (reason) => end(reason),
    noteSuccess: () => {
      attempts = 0
    },
  }
}

function readToldHead(params: unknown): ToldHead | null {
  const header = isJsonObject(params) ? params['result'] : null
  if (!isJsonObject(header)) return null
  const number = parseQuantity(header['number'], blockNumberMax)
  const hash = typeof header['hash'] === 'string' ? parseHash(header['hash']) : null
  return number === null || hash === null ? null : { number, hash }
}

function noSubscription(host: string): RpcMalformedError {
  return new RpcMalformedError(`${host} answered eth_subscribe with something that is no subscription.`, {
    retryable: true,
    facts: { host },
  })
}
