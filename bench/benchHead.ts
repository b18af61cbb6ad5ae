import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { sendTransaction } from '@attestry/demo/devChain.ts'
import { startLocalChain, type LocalChain } from '@attestry/test/harness/localChain.ts'
import { startReadyProcess, type ReadyProcess } from './childProcess.ts'
import { quantile } from './quantile.ts'
import { servingUrl } from './servingUrl.ts'

export interface HeadOptions {
  readonly blockSeconds: number
  /** Blocks of each measurement. */
  readonly blocks: number
  readonly onProgress: (line: string) => void
}

interface HeadCase {
  readonly source: 'subscription' | 'polling'
  readonly workers: number
}

/** Milliseconds from the announcement of a block to the answer about a record of the block. */
export interface Delays {
  readonly p50Ms: number
  readonly p99Ms: number
}

export interface HeadFigures extends HeadCase {
  /** Of requests with `wait`. */
  readonly waiting: Delays
  /** Of requests that are repeated every ten milliseconds. */
  readonly repeated: Delays
  /** Of the chain itself, which is asked for the block, its logs and a record, one after the other. */
  readonly chainAlone: Delays
  /** Requests to the endpoint for a block without records. */
  readonly requestsPerBlock: number
}

export interface WaitingFigures {
  readonly requests: number
  /** Shares of one processor that the program takes, without waiting requests and with them. */
  readonly restShare: number
  readonly waitingShare: number
  /** Bytes of resident memory for each waiting request. */
  readonly bytes: number
  /** Of a request beside the others, which wait for something else. */
  readonly delays: Delays
}

const cases: readonly HeadCase[] = [
  { source: 'polling', workers: 1 },
  { source: 'polling', workers: 2 },
  { source: 'subscription', workers: 1 },
  { source: 'subscription', workers: 2 },
]
const recordsPerBlock = 6
/** Blocks from which the rhythm of the chain is learned. */
const blocksBefore = 12
const repeatMs = 10
/** Just below the most that one process lets wait. */
const waitersMax = 9_900

/** How soon a record is answered after its block, on a local chain that mines by the clock. */
export async function benchHead(
  options: HeadOptions,
): Promise<{ readonly cases: readonly HeadFigures[]; readonly waiting: WaitingFigures }> {
  const chain = await startLocalChain({ genesisTimeS: Math.floor(Date.now() / 1000) - 3_600 })
  const { schemaId } = await chain.register({
    registrant: chain.account(0).address,
    data: '{"name":"Bench","data":[]}',
  })
  await chain.client.setIntervalMining({ interval: options.blockSeconds })
  const blocks = await watchBlocks(chain)
  const world: World = { chain, schemaId, blocks, options }
  try {
    const figures: HeadFigures[] = []
    for (const each of cases) {
      options.onProgress(`head: ${each.source}, ${each.workers} workers`)
      figures.push(await withService(world, each, (service) => measureCase(world, service, each)))
    }
    options.onProgress(`head: ${waitersMax} waiting requests`)
    const waiting = await withService(world, { source: 'subscription', workers: 1 }, (service) =>
      measureWaiting(world, service),
    )
    return { cases: figures, waiting }
  } finally {
    blocks.close()
    await chain.stop()
  }
}

interface World {
  readonly chain: LocalChain
  readonly schemaId: bigint
  readonly blocks: Blocks
  readonly options: HeadOptions
}

interface Blocks {
  /** The time, of `performance.now`, at which the chain announced its next block. */
  next(): Promise<number>
  close(): void
}

async function watchBlocks(chain: LocalChain): Promise<Blocks> {
  const socket = new WebSocket(chain.url.replace('http', 'ws'))
  let announced = Promise.withResolvers<number>()
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
  socket.on('message', (data: Buffer) => {
    if (!data.includes('eth_subscription')) return
    announced.resolve(performance.now())
    announced = Promise.withResolvers()
  })
  return { next: () => announced.promise, close: () => socket.close() }
}

async function withService<Result>(
  { chain }: World,
  { source, workers }: HeadCase,
  work: (service: ReadyProcess<string>) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-bench-'))
  const configPath = join(folder, 'attestry.yaml')
  const config = {
    database: `sqlite:${join(folder, 'index.db')}`,
    server: { host: '127.0.0.1', port: 0, workers, explorer: false },
    chains: [
      {
        chainId: chain.chainId,
        rpc: source === 'subscription' ? [chain.url.replace('http', 'ws')] : [chain.url],
        contracts: [{ protocol: 'sign', address: chain.address, startBlock: chain.startBlock }],
      },
    ],
  }
  writeFileSync(configPath, JSON.stringify(config))
  const service = await startReadyProcess<string>(
    new URL('serviceProcess.ts', import.meta.url),
    ['start', '--config', configPath],
    servingUrl,
  )
  try {
    while ((await fetch(`${service.ready}/readyz`)).status !== 200) await delay(100)
    return await work(service)
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureCase(
  world: World,
  service: ReadyProcess<string>,
  each: HeadCase,
): Promise<HeadFigures> {
  const { blocks, options } = world
  await measureDelays(world, service.ready, blocksBefore)
  const delays = await measureDelays(world, service.ready, options.blocks)
  const before = await countRequests(service.ready)
  for (let block = 0; block < options.blocks; block++) await blocks.next()
  const requests = (await countRequests(service.ready)) - before
  return { ...each, ...delays, requestsPerBlock: requests / options.blocks }
}

/** Sends transactions after each block, and waits for the records of the next one. */
async function measureDelays(
  { chain, schemaId, blocks }: World,
  url: string,
  count: number,
): Promise<Pick<HeadFigures, 'waiting' | 'repeated' | 'chainAlone'>> {
  const delays: { waiting: number[]; repeated: number[]; chain: number[] } = {
    waiting: [],
    repeated: [],
    chain: [],
  }
  await blocks.next()
  for (let block = 0; block < count; block++) {
    const mined = blocks.next()
    const asked = mined.then(async (minedMs) => delays.chain.push((await askChain(chain)) - minedMs))
    await Promise.all(
      Array.from({ length: recordsPerBlock }, async (_, index) => {
        const transaction = await chain.build.attest({ schemaId, attester: chain.account(index).address })
        const path = `${url}/scan/transactions/${await sendTransaction(chain.client, transaction)}`
        const kind = index % 2 === 0 ? 'waiting' : 'repeated'
        const answeredMs = await (kind === 'waiting' ? waitFor(path) : askFor(path))
        delays[kind].push(answeredMs - (await mined))
      }),
    )
    await asked
  }
  const { waiting, repeated, chain: chainAlone } = delays
  return {
    waiting: summarise(waiting),
    repeated: summarise(repeated),
    chainAlone: summarise(chainAlone),
  }
}

async function askChain({ client, address }: LocalChain): Promise<number> {
  const { number } = await client.getBlock({ includeTransactions: false })
  await client.getLogs({ address, fromBlock: number, toBlock: number })
  await client.getStorageAt({ address, slot: '0x0' })
  return performance.now()
}

async function waitFor(path: string): Promise<number> {
  const response = await fetch(`${path}?wait=60`)
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`a record was answered with ${response.status}`)
  return performance.now()
}

async function askFor(path: string): Promise<number> {
  for (;;) {
    const response = await fetch(path)
    await response.arrayBuffer()
    if (response.status === 200) return performance.now()
    await delay(repeatMs)
  }
}

async function countRequests(url: string): Promise<number> {
  // The counts of the indexing thread arrive once a second.
  await delay(1_100)
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line.startsWith('attestry_rpc_requests_total{'))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}

async function measureWaiting(world: World, service: ReadyProcess<string>): Promise<WaitingFigures> {
  const { blocks, options } = world
  const share = async () => {
    const [cpu, startMs] = [await service.cpuSeconds(), performance.now()]
    for (let block = 0; block < 5; block++) await blocks.next()
    return ((await service.cpuSeconds()) - cpu) / ((performance.now() - startMs) / 1000)
  }
  await measureDelays(world, service.ready, 3)
  const restShare = await share()
  const restBytes = await residentBytes(service.ready)
  const sockets = await openWaiters(Number(new URL(service.ready).port), waitersMax)
  try {
    await blocks.next()
    const waitingShare = await share()
    const bytes = ((await residentBytes(service.ready)) - restBytes) / waitersMax
    const { waiting } = await measureDelays(world, service.ready, Math.min(options.blocks, 10))
    return { requests: waitersMax, restShare, waitingShare, bytes, delays: waiting }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

/** Requests that wait for a transaction that never comes. */
async function openWaiters(port: number, count: number): Promise<readonly Socket[]> {
  const sockets: Socket[] = []
  for (let index = 0; index < count; index++) {
    const hash = index.toString(16).padStart(64, 'f')
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    sockets.push(socket)
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.write(`GET /scan/transactions/0x${hash}?wait=60 HTTP/1.1\r\nhost: bench\r\n\r\n`)
  }
  return sockets
}

async function residentBytes(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1])
}

function summarise(delays: readonly number[]): Delays {
  const ascending = Float64Array.from(delays).sort()
  return { p50Ms: quantile(ascending, 0.5), p99Ms: quantile(ascending, 0.99) }
}
