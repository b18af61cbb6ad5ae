import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'

/** A JSON-RPC call as received. */
export interface ReceivedCall {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

/** Answers one call: a result or an error by `rpcError`, or a promise of one. */
export type CallHandler = (call: ReceivedCall) => unknown

/** A failure of an HTTP request. */
export type Fault =
  /** The socket is destroyed before, or in the middle of, the answer. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'truncate' }
  /** No answer until the client gives up. */
  | { readonly kind: 'hang' }
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly body: string | Buffer
      readonly headers?: Record<string, string>
    }

/** An answer of HTTP to a handshake. */
interface Refusal {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface ReceivedRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly isBatch: boolean
  readonly calls: readonly ReceivedCall[]
}

/** A JSON-RPC server on 127.0.0.1, over HTTP and WebSocket, whose answers the test decides. */
export interface ScriptedRpcServer {
  readonly host: string
  readonly url: string
  readonly webSocketUrl: string
  /** The open connections over WebSocket. */
  readonly sockets: ReadonlySet<WebSocket>
  /** Sends a notification of `eth_subscribe` to all sockets. */
  notify(result: unknown): void
  /** Every request so far. */
  readonly requests: readonly ReceivedRequest[]
  /** The calls of a method so far, in order. */
  callsOf(method: string): readonly ReceivedCall[]
  /** Replaces the handler of a method. */
  on(method: string, handler: CallHandler): void
  /** Decides on each request before its calls are answered; null means no fault. */
  intercept(decide: (request: ReceivedRequest) => Fault | null): void
  /** Changes the bodies of answers, in the order of the calls. */
  transform(change: (answers: unknown[], request: ReceivedRequest) => unknown): void
  /** Decides on each handshake of WebSocket; null means that it is accepted. */
  refuseUpgrades(decide: () => Refusal | null): void
  openConnections(): number
  close(): Promise<void>
}

const errorMark = Symbol('rpcError')

interface MarkedError {
  readonly [errorMark]: true
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** The JSON-RPC error with which a handler answers. */
export function rpcError(code: number, message: string, data?: unknown): MarkedError {
  return { [errorMark]: true, error: { code, message, ...(data === undefined ? {} : { data }) } }
}

/** Starts a server that knows `eth_chainId` and what `handlers` answer. */
export async function startScriptedRpcServer(
  chainId: number,
  handlers: Readonly<Record<string, CallHandler>> = {},
): Promise<ScriptedRpcServer> {
  const known = new Map<string, CallHandler>(Object.entries(handlers))
  if (!known.has('eth_chainId')) known.set('eth_chainId', () => `0x${chainId.toString(16)}`)
  const requests: ReceivedRequest[] = []
  let decide: (request: ReceivedRequest) => Fault | null = () => null
  let change: (answers: unknown[], request: ReceivedRequest) => unknown = (answers, request) =>
    request.isBatch ? answers : answers[0]
  let connections = 0
  let refuseUpgrade: () => Refusal | null = () => null

  async function answerCall(call: ReceivedCall): Promise<unknown> {
    const handler = known.get(call.method)
    const value =
      handler === undefined ? rpcError(-32601, `${call.method} is not scripted`) : await handler(call)
    return isMarkedError(value)
      ? { jsonrpc: '2.0', id: call.id, error: value.error }
      : { jsonrpc: '2.0', id: call.id, result: value }
  }

  async function respond(incoming: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = []
    const stream: AsyncIterable<Buffer> = incoming
    for await (const chunk of stream) chunks.push(chunk)
    const request = readRequest(incoming, Buffer.concat(chunks).toString())
    requests.push(request)
    const fault = decide(request)
    if (fault?.kind === 'hang') return
    if (fault?.kind === 'reset') {
      incoming.socket.destroy()
      return
    }
    if (fault?.kind === 'answer') {
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers })
      response.end(fault.body)
      return
    }
    const body = JSON.stringify(change(await Promise.all(request.calls.map(answerCall)), request))
    if (fault?.kind === 'truncate') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(body.length) })
      response.write(body.slice(0, Math.floor(body.length / 2)), () => incoming.socket.destroy())
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(body)
  }

  async function respondOver(socket: WebSocket, incoming: IncomingMessage, text: string): Promise<void> {
    const request = readRequest(incoming, text)
    requests.push(request)
    const fault = decide(request)
    if (fault?.kind === 'hang') return
    if (fault !== null && fault.kind !== 'answer') return socket.terminate()
    const answers = await Promise.all(request.calls.map(answerCall))
    socket.send(fault?.body ?? JSON.stringify(change(answers, request)))
  }

  const server = createServer((incoming, response) => {
    respond(incoming, response).catch((error: unknown) => {
      // A mistake in a handler must not look like a scripted fault.
      response.writeHead(599, { 'content-type': 'text/plain' })
      response.end(`script failed: ${String(error)}`)
    })
  })
  const socketServer = new WebSocketServer({ noServer: true })
  server.on('upgrade', (incoming, stream, head) => {
    const fault = refuseUpgrade()
    if (fault !== null) {
      const lines = Object.entries(fault.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`)
      stream.end(`HTTP/1.1 ${fault.status} Refused\r\ncontent-length: 0\r\n${lines.join('')}\r\n`)
      return
    }
    socketServer.handleUpgrade(incoming, stream, head, (socket) => {
      socket.on('message', (data: Buffer) => void respondOver(socket, incoming, data.toString()))
    })
  })
  server.on('connection', (socket) => {
    connections++
    socket.on('close', () => connections--)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    webSocketUrl: `ws://127.0.0.1:${port}`,
    sockets: socketServer.clients,
    notify: (result) => {
      const params = { subscription: '0x1', result }
      const text = JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params })
      for (const socket of socketServer.clients) socket.send(text)
    },
    refuseUpgrades: (next) => {
      refuseUpgrade = next
    },
    requests,
    callsOf: (method) =>
      requests.flatMap((request) => request.calls.filter((call) => call.method === method)),
    on: (method, handler) => void known.set(method, handler),
    intercept: (next) => {
      decide = next
    },
    transform: (next) => {
      change = next
    },
    openConnections: () => connections,
    close: () =>
      new Promise((resolve) => {
        for (const socket of socketServer.clients) socket.terminate()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function readRequest(incoming: IncomingMessage, body: string): ReceivedRequest {
  const parsed: unknown = JSON.parse(body)
  const items: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  return {
    path: incoming.url ?? '',
    headers: incoming.headers,
    isBatch: Array.isArray(parsed),
    calls: items.map(readCall),
  }
}

function readCall(item: unknown): ReceivedCall {
  if (typeof item !== 'object' || item === null || !('method' in item) || !('id' in item)) {
    throw new TypeError('the client sent something that is no call')
  }
  const params: unknown = 'params' in item ? item.params : []
  return { id: item.id, method: String(item.method), params: Array.isArray(params) ? params : [] }
}

function isMarkedError(value: unknown): value is MarkedError {
  return typeof value === 'object' && value !== null && errorMark in value
}
