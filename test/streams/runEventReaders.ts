import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import { currentTimeMs } from '@attestry/core/model/time.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { createSampleIndex, sampleChainId } from '@attestry/bench/sampleIndex.ts'
import { spawnAttestry } from '../harness/spawnAttestry.ts'
import { projections } from '../harness/projections.ts'

export interface EventReadersOptions {
  /** The stream that the readers open: `/scan/events`, or a subscription of GraphQL. */
  readonly form: keyof typeof paths
  /** Readers that read without pause. */
  readonly quickReaders: number
  /** Readers that stop reading once they are connected. */
  readonly slowReaders: number
  readonly events: number
  /** 0 means as fast as the store commits. */
  readonly eventsPerSecond: number
}

export interface EventReadersResult {
  /** The result of each fast reader: `events in order`, or its first fault. */
  readonly told: readonly string[]
  /** Open event streams at the end. */
  readonly openStreams: number
  /** Resident memory of the server process over time, in MiB; empty if /proc is absent. */
  readonly residentMib: readonly number[]
  /** The same before the first reader, and once all have gone. */
  readonly beforeMib: number
  readonly afterMib: number
}

const paths = {
  events: '/scan/events',
  subscriptions: `/graphql?query=${encodeURIComponent(
    'subscription { changes { id type attestation { attestationId schema { name } } schema { name } } }',
  )}`,
} as const

const sampleIntervalMs = 250
const settleLimitMs = 60_000

/**
 * Starts the program over an index in a process of its own. This process writes to the index and reads the event stream
 * by many connections.
 */
export async function runEventReaders(options: EventReadersOptions): Promise<EventReadersResult> {
  const { form, quickReaders, slowReaders, events } = options
  const folder = mkdtempSync(join(tmpdir(), 'attestry-streams-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path, { projections })
  writeFileSync(join(folder, 'attestry.yaml'), config)
  const writer = openSqliteWriter(path, { projections })
  const program = spawnAttestry(['serve', '--port', '0'], { cwd: folder })
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
  const residentMib: number[] = []
  const sampling = setInterval(
    () => residentMib.push(...readResidentMib(program.child.pid)),
    sampleIntervalMs,
  )
  try {
    const { url } = JSON.parse(await program.waitForLine(/"serving"/)) as { readonly url: string }
    const [beforeMib = 0] = readResidentMib(program.child.pid)
    const open = () => openReader(`${url}${paths[form]}`, agent)
    const readers = await Promise.all(Array.from({ length: quickReaders }, open))
    const slow = await Promise.all(Array.from({ length: slowReaders }, open))
    for (const reader of slow) reader.stop()
    residentMib.length = 0
    await writeEvents(writer, options)
    await waitUntil(() => readers.every((reader) => reader.isDone(events)))
    await waitUntil(async () => (await readOpenStreams(url)) <= quickReaders)
    const told = readers.map((reader) => reader.summary())
    const openStreams = await readOpenStreams(url)
    const during = [...residentMib]
    agent.destroy()
    await waitUntil(async () => (await readOpenStreams(url)) === 0)
    const [afterMib = 0] = readResidentMib(program.child.pid)
    return { told, openStreams, residentMib: during, beforeMib, afterMib }
  } finally {
    clearInterval(sampling)
    agent.destroy()
    await writer.close()
    program.child.kill('SIGKILL')
    await program.waitForExit().catch(() => undefined)
    rmSync(folder, { recursive: true, force: true })
  }
}

const config = `database: sqlite:index.db
server: { workers: 1 }
chains:
  - chainId: ${sampleChainId}
    rpc: ["http://127.0.0.1:1"]
    contracts: [{ protocol: sign, address: "0x${'1'.repeat(40)}", startBlock: 0 }]
`

/** One batch per block, as the indexer follows a head. */
async function writeEvents(
  writer: IndexWriter,
  { events: count, eventsPerSecond }: EventReadersOptions,
): Promise<void> {
  await writer.openChain({ chainId: sampleChainId, name: 'Sample', contracts: [] })
  const startMs = performance.now()
  let fromBlock = 0
  let written = 0
  for (const [block, events] of blocksOf(count)) {
    await writer.applyBlocks(sampleChainId, {
      fromBlock,
      checkpoint: { blockNumber: block, timestamp: 1_700_000_000 + block },
      events,
      recentBlocks: [],
      forgetBlocksBelow: block,
      storedAt: currentTimeMs(),
    })
    fromBlock = block + 1
    written += events.length
    const dueMs = eventsPerSecond === 0 ? 0 : startMs + (written / eventsPerSecond) * 1_000
    await delay(Math.max(0, dueMs - performance.now()))
  }
}

function* blocksOf(count: number): Generator<[block: number, events: readonly DomainEvent[]]> {
  const schemas = Math.ceil(count / 20)
  const sample = createSampleIndex({ seed: 1, attestations: count - schemas, schemas })
  for (const { events } of sample.batches()) {
    yield* Map.groupBy(events, ({ position }) => positionBlock(position))
  }
}

interface Reader {
  isDone(events: number): boolean
  summary(): string
  stop(): void
}

async function openReader(url: string, agent: Agent): Promise<Reader> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent, headers: { accept: 'text/event-stream' } }, resolve).on('error', reject)
  })
  let rest = ''
  let count = 0
  let last = { sequence: 0, offset: -1 }
  let fault: string | null = null
  let isOpen = false
  response.setEncoding('utf8').on('data', (piece: string) => {
    isOpen = true
    const frames = (rest + piece).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) {
      const id = /^id: ([0-9]+)-([0-9]+)$/m.exec(frame)
      if (!frame.startsWith('event: ')) continue
      const place = { sequence: Number(id?.[1]), offset: Number(id?.[2]) }
      const isLater =
        place.sequence > last.sequence || (place.sequence === last.sequence && place.offset > last.offset)
      if (!isLater) fault ??= `${frame.slice(0, 60)} after ${last.sequence}-${last.offset}`
      last = place
      count += 1
    }
  })
  response.on('error', (error) => {
    fault ??= String(error)
  })
  response.on('end', () => {
    fault ??= 'ended'
  })
  await waitUntil(() => isOpen)
  return {
    isDone: (events) => fault !== null || count >= events,
    summary: () => fault ?? `${count} in order`,
    stop: () => response.pause(),
  }
}

async function readOpenStreams(url: string): Promise<number> {
  const figures = await (await fetch(`${url}/metrics`)).text()
  return Number(/^attestry_event_streams ([0-9]+)$/m.exec(figures)?.[1])
}

function readResidentMib(pid: number | undefined): number[] {
  const path = `/proc/${pid}/status`
  if (!existsSync(path)) return []
  const kib = /^VmRSS:\s+([0-9]+) kB$/m.exec(readFileSync(path, 'utf8'))?.[1]
  return kib === undefined ? [] : [Number(kib) / 1024]
}

async function waitUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const untilMs = performance.now() + settleLimitMs
  while (!(await isSo())) {
    if (performance.now() > untilMs) throw new Error(`not so after ${settleLimitMs} ms: ${String(isSo)}`)
    await delay(20)
  }
}
