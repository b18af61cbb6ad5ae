import { isJsonObject } from '../model/jsonObject.ts'
import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { RpcMalformedError } from '../errors/rpcErrors.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import { indexOfId, parseJson, type EncodedCalls } from './matchAnswers.ts'
import type { EndpointAddress } from './parseEndpointUrl.ts'
import { parseRetryAfter } from '../model/parseRetryAfter.ts'
import type { RpcReply } from './rpcTransport.ts'
import { codeOf, timeoutReason, tooLarge } from './runExchange.ts'

export type WebSocketOptions = Pick<ResolvedOptions, 'requestTimeoutMs' | 'maxResponseBytes' | 'clock'>

/** One WebSocket connection, from its opening to its loss. */
export interface WebSocketConnection {
  /** Whether the endpoint has accepted the connection, or how it refused. Rejects when there was no answer of HTTP. */
  readonly opened: Promise<
    { readonly kind: 'accepted' } | { readonly kind: 'refused'; readonly reply: RpcReply }
  >
  /** Sends calls; their answer is found by their ids. */
  ask(calls: EncodedCalls, signal: AbortSignal, bytesMax: number): Promise<RpcReply>
  /** Closes the connection as soon as the requests under way have ended. */
  retire(): void
  /** Ends the connection at once; requests under way reject. */
  terminate(): void
}

export interface ConnectionEvents {
  onNotification(params: unknown): void
  onClosed(): void
  /** Whether the connection stays open without requests. */
  isKept(): boolean
}

/** A request whose answer has not come. */
interface Pending extends EncodedCalls {
  readonly bytesMax: number
  /** Messages that had come before the request. */
  readonly receivedBefore: number
  readonly resolve: (reply: RpcReply) => void
  readonly reject: (error: unknown) => void
}

/** An idle connection is closed after this time. */
const idleMs = 30_000

/** A message that is not JSON, or too large, ends the connection: nothing tells which request it answers. */
export function openWebSocket(
  Socket: typeof WebSocket,
  address: EndpointAddress,
  options: WebSocketOptions,
  events: ConnectionEvents,
): WebSocketConnection {
  const { host } = address
  const socket = new Socket(address.origin + address.path, {
    headers: {
      'user-agent': 'attestry',
      ...(address.authorization === null ? {} : { authorization: address.authorization }),
    },
    handshakeTimeout: options.requestTimeoutMs,
    maxPayload: options.maxResponseBytes,
    perMessageDeflate: false,
  })
  const opened: PromiseWithResolvers<Awaited<WebSocketConnection['opened']>> = Promise.withResolvers()
  // The caller that asked for the connection may have given up meanwhile.
  opened.promise.catch(() => undefined)
  const pending = new Set<Pending>()
  let failure: Error | null = null
  let received = 0
  let isRetired = false
  let idleTimer: NodeJS.Timeout | undefined

  socket.on('open', () => opened.resolve({ kind: 'accepted' }))
  socket.on('unexpected-response', (_request: unknown, response: IncomingMessage) => {
    const retryAfterMs = parseRetryAfter(response.headers['retry-after'], options.clock.nowMs())
    const reply = { status: response.statusCode ?? 0, retryAfterMs, body: undefined }
    opened.resolve({ kind: 'refused', reply })
    socket.terminate()
  })
  socket.on('error', (error) => {
    const isTooLarge = codeOf(error) === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'
    failure ??= isTooLarge ? tooLarge(host, options.maxResponseBytes) : error
  })
  socket.on('close', () => {
    clearTimeout(idleTimer)
    const error = failure ?? new Error('The endpoint closed the connection.')
    opened.reject(error)
    for (const { reject } of pending) reject(error)
    events.onClosed()
  })
  // The default `binaryType` gives every message as a Buffer.
  socket.on('message', (data) => receive(data as Buffer))

  function receive(data: Buffer): void {
    received++
    const body = parseJson(data.toString())
    if (isJsonObject(body) && body['method'] === 'eth_subscription')
      return events.onNotification(body['params'])
    if (typeof body !== 'object' || body === null) return fail()
    const request = findRequest(body)
    // The answer to a request that was given up.
    if (request === undefined) return
    if (data.length > request.bytesMax) request.reject(tooLarge(host, request.bytesMax))
    else request.resolve({ status: 200, retryAfterMs: null, body })
  }

  function fail(): void {
    failure ??= new RpcMalformedError(`${host} sent something that is not JSON-RPC over its connection.`, {
      retryable: true,
      facts: { host },
    })
    socket.terminate()
  }

  /** The request that a message answers. An error without an id answers the oldest batch, or the oldest request. */
  function findRequest(body: object): Pending | undefined {
    const items: readonly unknown[] = Array.isArray(body) ? body : [body]
    const requests = [...pending]
    for (const item of items) {
      if (!isJsonObject(item)) continue
      const found = requests.find(({ count, firstId }) => indexOfId(item['id'], count, firstId) !== null)
      if (found !== undefined) return found
    }
    const hasNoId = items.every((item) => isJsonObject(item) && item['id'] == null)
    return hasNoId ? (requests.find(({ count }) => count > 1) ?? requests[0]) : undefined
  }

  function rest(): void {
    if (pending.size > 0) return
    if (isRetired) return socket.close()
    clearTimeout(idleTimer)
    idleTimer = setTimeout(() => {
      if (pending.size === 0 && !events.isKept()) socket.close()
    }, idleMs).unref()
  }

  return {
    opened: opened.promise,
    async ask(calls, signal, bytesMax) {
      const answer = Promise.withResolvers<RpcReply>()
      const { resolve, reject } = answer
      const request: Pending = { ...calls, bytesMax, receivedBefore: received, resolve, reject }
      const onAbort = () => {
        // A connection over which nothing came since the request is dead, though nobody has closed it.
        if (signal.reason === timeoutReason && received === request.receivedBefore) socket.terminate()
        reject(signal.reason)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      pending.add(request)
      clearTimeout(idleTimer)
      socket.send(calls.text, (error) => {
        if (error != null) reject(error)
      })
      try {
        return await answer.promise
      } finally {
        pending.delete(request)
        signal.removeEventListener('abort', onAbort)
        rest()
      }
    },
    retire() {
      isRetired = true
      rest()
    },
    terminate: () => socket.terminate(),
  }
}
