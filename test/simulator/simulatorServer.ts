import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRandom, mixSeeds } from './random.ts'
import type { SimulatedChain } from './simulatedChain.ts'
import {
  createSimulatedEndpoint,
  plainCharacter,
  type EndpointCharacter,
  type SimulatedReply,
} from './simulatedEndpoint.ts'

/** A JSON-RPC endpoint for a simulated chain over HTTP, on 127.0.0.1. */
export interface SimulatorServer {
  readonly url: string
  /** Requests answered so far, by method; the calls inside a batch count one by one. */
  readonly requests: ReadonlyMap<string, number>
  /** HTTP requests answered so far: a batch is one. */
  httpRequests(): number
  close(): Promise<void>
}

export interface SimulatorServerOptions {
  /** Differences from an honest endpoint without limits. A function is called for every request. */
  readonly character?: Partial<EndpointCharacter> | (() => Partial<EndpointCharacter>)
  /** Milliseconds before each answer. */
  readonly latencyMs?: number
  /** Most blocks that `eth_getLogs` takes at once. */
  readonly logRangeMax?: number
  /** Told of each HTTP request before it is answered. */
  readonly onRequest?: () => void
  /** Returns a reply to a body that replaces the endpoint's answer; null keeps that answer. */
  readonly instead?: (
    body: string,
    answer: () => SimulatedReply,
  ) => SimulatedReply | null | Promise<SimulatedReply | null>
  readonly port?: number
}

export async function startSimulatorServer(
  chain: SimulatedChain,
  options: SimulatorServerOptions = {},
): Promise<SimulatorServer> {
  const { latencyMs = 0, logRangeMax } = options
  const endpoint = createSimulatedEndpoint(
    chain,
    () => ({
      ...plainCharacter,
      chainId: chain.chainId,
      logRange: logRangeMax === undefined ? null : { max: logRangeMax, refusal: 5 },
      latencyMs: { min: latencyMs, max: latencyMs },
      ...(typeof options.character === 'function' ? options.character() : options.character),
    }),
    createRandom(mixSeeds(chain.seed, 0x5e)),
  )

  const server = createServer((request, response) => {
    options.onRequest?.()
    void answer(request, response).catch(() => response.destroy())
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const delayMs = endpoint.latencyMs()
    if (delayMs > 0) await new Promise((done) => setTimeout(done, delayMs))
    const body = Buffer.concat(chunks).toString()
    const reply = (await options.instead?.(body, () => endpoint.reply(body))) ?? endpoint.reply(body)
    switch (reply.kind) {
      case 'hang':
        return
      case 'reset':
      case 'refused':
        request.socket.destroy()
        return
      case 'truncated':
        response.writeHead(200, {
          'content-type': 'application/json',
          'content-length': reply.body.length + 100,
        })
        response.write(reply.body, () => request.socket.destroy())
        return
      case 'answer':
        response.writeHead(reply.status, {
          ...reply.headers,
          'content-length': Buffer.byteLength(reply.body),
        })
        response.end(reply.body)
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests: endpoint.requests,
    httpRequests: endpoint.httpRequests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
