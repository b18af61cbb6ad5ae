import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { easAdapter } from '@attestry/core/protocols/eas/easAdapter.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { Deployment, FetchedLog } from '@attestry/core/protocols/protocolAdapter.ts'
import { createRandom } from '@attestry/test/simulator/random.ts'
import { createSimulatedEndpoint, plainCharacter } from '@attestry/test/simulator/simulatedEndpoint.ts'
import type { StubReady } from './benchIngest.ts'
import { answerQuestions } from './childProcess.ts'
import { mineEasChain } from './easChain.ts'

/**
 * The JSON-RPC endpoint of `benchWaits`, in a process of its own: a simulated chain of EAS without Multicall3, with a
 * hundred attestations, five revocations and a schema in ten blocks. All answers are made before the first request, so
 * that an answer costs a look-up. The path of the URL is the latency of each HTTP request in milliseconds (`/200`); a
 * batch is one request. The argument is the number of attestations. The question `counts` is answered with the HTTP
 * requests and the calls so far.
 */
const attestations = Number(process.argv[2] ?? 50_000)
const chain = mineEasChain(attestations, attestations)
const character = { ...plainCharacter, chainId: chain.chainId, hasMulticall: false }
const simulated = createSimulatedEndpoint(chain, () => character, createRandom(1))
// The simulator's addresses are checked ones, in lower case.
const deployment = {
  protocol: 'eas',
  chainId: chain.chainId,
  address: chain.contracts.eas,
  schemaRegistry: chain.contracts.schemaRegistry,
  startBlock: 0,
} as Deployment

interface Call {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** The JSON text of a result by the block of a header, and of the call data of a read. */
const blocks: string[] = []
const reads = new Map<string, string>()
/** The logs of each block as JSON texts, joined by commas. */
const logs: string[] = []

for (let number = 0; number <= chain.head(); number++) {
  const quantity = `0x${number.toString(16)}`
  blocks.push(JSON.stringify(ask('eth_getBlockByNumber', [quantity, false])))
  const filter = { fromBlock: quantity, toBlock: quantity, address: easAdapter.contractsOf(deployment) }
  const found = ask('eth_getLogs', [filter]) as readonly FetchedLog[]
  logs.push(found.map((log) => JSON.stringify(log)).join(','))
  for (const log of found) {
    const read = easAdapter.planRead(deployment, { ...log, position: eventPosition(number, 0) })
    if (read !== null) reads.set(read.data, JSON.stringify(ask('eth_call', [read, 'latest'])))
  }
}
const others = new Map<string, string>()
let requests = 0
let calls = 0

function ask(method: string, params: readonly unknown[]): unknown {
  const reply = simulated.reply(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  if (reply.kind !== 'answer') throw new Error(`${method} was not answered`)
  return (JSON.parse(reply.body) as { readonly result: unknown }).result
}

function resultOf({ method, params }: Call): string {
  const [first] = params as readonly [unknown]
  if (method === 'eth_call') {
    const result = reads.get((first as { readonly data: string }).data)
    if (result !== undefined) return result
  } else if (method === 'eth_getBlockByNumber') {
    const result = first === 'latest' ? blocks.at(-1) : blocks[Number(first)]
    return result ?? 'null'
  } else if (method === 'eth_getLogs') {
    const { fromBlock, toBlock } = first as { readonly fromBlock?: string; readonly toBlock?: string }
    if (fromBlock !== undefined) {
      const found = logs.slice(Number(fromBlock), Number(toBlock) + 1).filter((text) => text !== '')
      return `[${found.join(',')}]`
    }
  }
  // The few calls that no block or event calls for: the chain id, the code of contracts.
  const key = JSON.stringify([method, params])
  const result = others.get(key) ?? JSON.stringify(ask(method, params))
  others.set(key, result)
  return result
}

function answer(body: string): string {
  const parsed = JSON.parse(body) as Call | readonly Call[]
  const asked = [parsed].flat() as readonly Call[]
  requests++
  calls += asked.length
  const answers = asked.map((call) => `{"jsonrpc":"2.0","id":${call.id},"result":${resultOf(call)}}`)
  return Array.isArray(parsed) ? `[${answers.join(',')}]` : (answers[0] ?? '')
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => void chunks.push(chunk))
  request.on('end', () => {
    const latencyMs = Number(request.url?.slice(1))
    const send = () => {
      const body = Buffer.from(answer(Buffer.concat(chunks).toString()))
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
      response.end(body)
    }
    if (latencyMs === 0) send()
    else setTimeout(send, latencyMs)
  })
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
answerQuestions({ counts: () => ({ requests, calls }) })
const counted = chain.countsAt(chain.view(), chain.head())
process.stdout.write(
  `${JSON.stringify({
    url: `http://127.0.0.1:${port}`,
    contract: chain.contracts.eas,
    schemaRegistry: chain.contracts.schemaRegistry,
    chainId: chain.chainId,
    head: chain.head(),
    attestations: chain.count('easAttestation'),
    schemas: chain.count('easSchema'),
    events: Object.values(counted).reduce((sum, count) => sum + count, 0),
  } satisfies StubReady & { readonly schemaRegistry: string })}\n`,
)
