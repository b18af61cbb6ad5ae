import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A node's numbering of logs; `changing`: another one in each answer. */
export type ProxiedNumbering = (typeof ways)[number] | 'changing'
const ways = ['block', 'transaction', 'below0', 'reliability'] as const

/** A JSON-RPC endpoint that passes on the answers of another one, with logs numbered in another way. */
export interface RenumberingProxy {
  readonly url: string
  close(): Promise<void>
}

interface RpcLog {
  readonly blockNumber: string
  readonly transactionHash: string
  readonly logIndex: string
}

export async function startRenumberingProxy(
  target: string,
  numbering: ProxiedNumbering,
): Promise<RenumberingProxy> {
  let answers = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      void passOn(Buffer.concat(chunks).toString()).then(
        ({ status, body }) => {
          response.writeHead(status, { 'content-type': 'application/json' })
          response.end(body)
        },
        () => response.destroy(),
      )
    })
  })

  async function passOn(asked: string) {
    const answer = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: asked,
    })
    const text = await answer.text()
    if (!asked.includes('eth_getLogs')) return { status: answer.status, body: text }
    const body: unknown = JSON.parse(text)
    for (const each of [body].flat()) {
      const { result } = each as { result?: unknown }
      if (Array.isArray(result)) Object.assign(each as object, { result: renumber(result as RpcLog[]) })
    }
    return { status: answer.status, body: JSON.stringify(body) }
  }

  function renumber(logs: readonly RpcLog[]): readonly RpcLog[] {
    const way = numbering === 'changing' ? (ways[answers++ % ways.length] ?? 'block') : numbering
    const first = new Map<string, number>()
    for (const { transactionHash, logIndex } of logs) {
      if (!first.has(transactionHash)) first.set(transactionHash, Number(logIndex))
    }
    const shift = { block: 0, below0: -4, reliability: 0xffffffe2 }
    const numberOf = ({ transactionHash, logIndex }: RpcLog) =>
      way === 'transaction'
        ? Number(logIndex) - (first.get(transactionHash) ?? 0)
        : (Number(logIndex) + shift[way]) >>> 0
    return logs.map((log) => ({ ...log, logIndex: `0x${numberOf(log).toString(16)}` }))
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
