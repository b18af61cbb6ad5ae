import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeAggregate3, encodeAggregate3 } from './abiWords.ts'
import {
  simulatedSelectors,
  type SimulatedBlock,
  type SimulatedChain,
  type SimulatedLog,
} from './simulatedChain.ts'

/** A JSON-RPC endpoint for a simulated chain, on 127.0.0.1. */
export interface SimulatorServer {
  readonly url: string
  /** Requests answered so far, by method; the calls inside a batch count one by one. */
  readonly requests: ReadonlyMap<string, number>
  /** HTTP requests answered so far: a batch is one. */
  httpRequests(): number
  close(): Promise<void>
}

export interface SimulatorServerOptions {
  /** Asked before each HTTP request is answered; what it returns is done instead. */
  readonly fault?: () => SimulatedFault | null
  /** Most blocks that `eth_getLogs` takes at once. */
  readonly logRangeMax?: number
  /** Whether Multicall3 stands at its usual address. */
  readonly multicall?: boolean
  /** Whether logs carry their block's time. */
  readonly blockTimestamps?: boolean
  /** Asked at each `eth_getLogs` for a range that reaches the head: whether the node lacks the newest logs yet. */
  readonly isLogLate?: () => boolean
  /** Milliseconds before each answer. */
  readonly latencyMs?: number
  readonly port?: number
}

export type SimulatedFault =
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Record<string, string> }
  | { readonly kind: 'reset' }
  | { readonly kind: 'garbage' }
  | { readonly kind: 'truncated' }
  | { readonly kind: 'rpcError'; readonly code: number; readonly message: string }

const multicallAddress = '0xca11bde05977b3631167028862be2a173976ca11'
const emptyBloom = `0x${'0'.repeat(512)}`
/** The bloom of a block that may hold anything. */
const fullBloom = `0x${'f'.repeat(512)}`

interface SimulatedLogFilter {
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly blockHash?: string
  readonly topics?: readonly (string | readonly string[])[]
}

interface RpcRequest {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

class RpcFault extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export async function startSimulatorServer(
  chain: SimulatedChain,
  options: SimulatorServerOptions = {},
): Promise<SimulatorServer> {
  const requests = new Map<string, number>()
  let httpRequests = 0

  const server = createServer((request, response) => {
    httpRequests++
    void answer(request, response).catch(() => response.destroy())
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const fault = options.fault?.() ?? null
    if (fault?.kind === 'reset') return void request.socket.destroy()
    if (fault?.kind === 'status') {
      response.writeHead(fault.status, { 'content-type': 'text/html', ...fault.headers })
      return void response.end('<html>no</html>')
    }
    const parsed = JSON.parse(Buffer.concat(chunks).toString()) as RpcRequest | RpcRequest[]
    if (options.latencyMs !== undefined) await new Promise((done) => setTimeout(done, options.latencyMs))
    const body =
      fault?.kind === 'rpcError'
        ? {
            jsonrpc: '2.0',
            id: Array.isArray(parsed) ? null : parsed.id,
            error: { code: fault.code, message: fault.message },
          }
        : Array.isArray(parsed)
          ? parsed.map(respond)
          : respond(parsed)
    let text = JSON.stringify(body)
    if (fault?.kind === 'garbage') text = '{"jsonrpc":"2.0","id":'
    if (fault?.kind === 'truncated') {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      })
      response.write(text.slice(0, text.length >> 1))
      return void response.destroy()
    }
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    response.end(text)
  }

  function respond(request: RpcRequest): unknown {
    requests.set(request.method, (requests.get(request.method) ?? 0) + 1)
    try {
      return { jsonrpc: '2.0', id: request.id, result: call(request.method, request.params) }
    } catch (error) {
      const { code, message } = error instanceof RpcFault ? error : { code: -32603, message: String(error) }
      return { jsonrpc: '2.0', id: request.id, error: { code, message } }
    }
  }

  function call(method: string, params: readonly unknown[]): unknown {
    switch (method) {
      case 'eth_chainId':
        return quantity(chain.chainId)
      case 'eth_blockNumber':
        return quantity(chain.head())
      case 'eth_getBlockByNumber': {
        const block = chain.block(params[0] === 'latest' ? chain.head() : Number(params[0]))
        return block === null ? null : blockJson(block, chain)
      }
      case 'eth_getBlockByHash': {
        const block = chain.blockByHash(String(params[0]))
        return block === null ? null : blockJson(block, chain)
      }
      case 'eth_getCode':
        return options.multicall !== false && String(params[0]).toLowerCase() === multicallAddress
          ? '0x60'
          : '0x'
      case 'eth_getLogs':
        return getLogs(params[0] as SimulatedLogFilter)
      case 'eth_call':
        return ethCall(params[0] as { to: string; data?: string; input?: string }, params[1])
      default:
        throw new RpcFault(-32601, `the method ${method} does not exist`)
    }
  }

  function getLogs(filter: SimulatedLogFilter): unknown[] {
    const { fromBlock, toBlock } = logRange(filter)
    const topics = new Set([filter.topics?.[0] ?? []].flat())
    const logs = chain.logs(fromBlock, toBlock)
    return logs.filter((log) => topics.size === 0 || topics.has(log.topic)).map(logJson)
  }

  function logRange(filter: SimulatedLogFilter): { fromBlock: number; toBlock: number } {
    if (filter.blockHash !== undefined) {
      const block = chain.blockByHash(filter.blockHash)
      if (block === null) throw new RpcFault(-32000, 'unknown block')
      return { fromBlock: block.number, toBlock: block.number }
    }
    const fromBlock = Number(filter.fromBlock)
    const toBlock = Math.min(Number(filter.toBlock), chain.head())
    const max = options.logRangeMax
    if (max !== undefined && toBlock - fromBlock + 1 > max) {
      throw new RpcFault(-32005, `eth_getLogs is limited to a ${max} block range`)
    }
    const isLate = toBlock === chain.head() && options.isLogLate?.() === true
    return { fromBlock, toBlock: isLate ? toBlock - 1 : toBlock }
  }

  function logJson(log: SimulatedLog): unknown {
    const block = chain.block(log.blockNumber)
    return {
      address: chain.contract,
      topics: [log.topic],
      data: `0x${log.data}`,
      blockNumber: quantity(log.blockNumber),
      blockHash: block?.hash,
      ...(options.blockTimestamps === false ? {} : { blockTimestamp: quantity(block?.timestamp ?? 0) }),
      transactionHash: log.transactionHash,
      transactionIndex: '0x0',
      logIndex: quantity(log.logIndex),
      removed: false,
    }
  }

  function ethCall(request: { to: string; data?: string; input?: string }, tag: unknown): string {
    const atBlock = stateBlock(tag)
    const data = (request.data ?? request.input ?? '0x').slice(2)
    if (request.to.toLowerCase() !== multicallAddress || options.multicall === false) {
      return `0x${readContract(request.to, data, atBlock)}`
    }
    const results = decodeAggregate3(data.slice(8)).map((inner) => ({
      success: true,
      data: readContract(`0x${inner.to}`, inner.data, atBlock),
    }))
    return `0x${encodeAggregate3(results)}`
  }

  function readContract(to: string, data: string, atBlock: number): string {
    const selector = data.slice(0, 8)
    const known = selector === simulatedSelectors.getSchema || selector === simulatedSelectors.getAttestation
    if (to.toLowerCase() !== chain.contract || !known) return ''
    return chain.read(selector, BigInt(`0x${data.slice(8)}`), atBlock)
  }

  function stateBlock(tag: unknown): number {
    if (tag === 'latest' || tag === undefined) return chain.head()
    if (typeof tag === 'string') return Number(tag)
    const hash = (tag as { blockHash: string }).blockHash
    const block = chain.blockByHash(hash)
    if (block === null) throw new RpcFault(-32000, 'header not found')
    return block.number
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    httpRequests: () => httpRequests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function blockJson(block: SimulatedBlock, chain: SimulatedChain): unknown {
  return {
    number: quantity(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: quantity(block.timestamp),
    logsBloom: chain.logs(block.number, block.number).length > 0 ? fullBloom : emptyBloom,
  }
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`
}
