import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { anonymousMegabytes } from '../anonymousMemory.ts'
import { runtimeSettings, startReadyProcess, type ReadyProcess } from '../childProcess.ts'
import { createLoadRounds } from '../loadRounds.ts'
import { openBenchDatabase } from '../openBenchDatabase.ts'
import { median } from '../quantile.ts'
import { eventsPerBatch } from '../sampleIndex.ts'
import { sendSteadily, type SteadyResult } from '../sendSteadily.ts'
import { servingUrl } from '../servingUrl.ts'
import type { WorldChain } from './createWorldChain.ts'
import { applyNext, createWorld, fillWorld, nameOf, openWorld, type Applied } from './fillWorld.ts'
import { runCommand, type CommandFigures } from './runCommand.ts'
import {
  casesOfListings,
  createWorldRequests,
  lastPage,
  type SingleRequest,
  type WorldCase,
} from './worldCases.ts'
import type { FillFigures, WorldDatabase, WorldStore } from './worldStores.ts'

export interface WorldOptions {
  /** The part of the world in the large index. */
  readonly share: number
  /** The part of the world in the small one. */
  readonly smallShare: number
  /** Rounds of each case, by turns with the other index. */
  readonly rounds: number
  /** Approximate duration of a round. */
  readonly roundSeconds: number
  /** Only figures whose name contains one of these. */
  readonly only: readonly string[]
  /** A folder for what the commands write. */
  readonly folder: string
  readonly onProgress: (line: string) => void
}

/** A figure of both indexes. */
export interface Pair<Value> {
  readonly small: Value
  readonly large: Value
}

export interface WorldFigures {
  readonly kind: WorldStore['kind']
  readonly attestations: Pair<number>
  readonly fill: Pair<FillFigures>
  /** Medians over the rounds. */
  readonly requests: readonly (Pair<RequestFigures> & { readonly name: string })[]
  /** The first and the last page of listings of the large index. */
  readonly ends: readonly {
    readonly name: string
    readonly first: RequestFigures
    readonly last: RequestFigures
  }[]
  readonly singles: readonly (Pair<SingleFigures> & Pick<SingleRequest, 'name' | 'aimMs'>)[]
  /** Anonymous memory of the processes that served, after these requests. */
  readonly serverBytes: Pair<number>
  readonly commands: readonly (Pair<CommandFigures> & { readonly name: string })[]
  /** Medians over turns of an event's cost. */
  readonly writes: readonly (Pair<WriteFigures> & { readonly name: string })[]
  readonly live: Pair<LiveFigures> | null
}

export interface RequestFigures {
  /** Processor time of a request, that of a database server included. */
  readonly cpuMicroseconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export interface SingleFigures {
  readonly ms: number
  readonly cpuMs: number
  readonly bytes: number
  /** The sentence of a refusal; null for an answer. */
  readonly refusal: string | null
}

export interface WriteFigures {
  readonly seconds: number
  readonly cpuSeconds: number
}

export interface LiveFigures {
  readonly eventsPerSecond: number
  readonly atRest: LoadFigures
  readonly beside: LoadFigures
}

export interface LoadFigures extends SteadyResult {
  /** Processor time of a request in the process that serves. */
  readonly cpuMicroseconds: number
}

/** Concurrent requests, one per connection: as many as keep one process busy. */
const connections = 8
/** Warm-up requests, for JIT compilation and caches. */
const warmUpRequests = 400
const writeTurns = 3
/** Blocks that a reorganisation reverts, the deepest that chains usually have. */
const revertedBlocks = 64
/** A steady load beside new records. */
const requestsPerSecond = 100
const restSeconds = 10

/** One of the two indexes with its world. */
interface Index {
  readonly share: number
  readonly world: readonly WorldChain[]
  readonly requests: ReturnType<typeof createWorldRequests>
  readonly database: WorldDatabase
  readonly fill: FillFigures
}

type Server = ReadyProcess<{ readonly port: number }>

/** Fills a large and a small index in a store, and asks both the same things by turns. */
export async function benchWorld(store: WorldStore, options: WorldOptions): Promise<WorldFigures> {
  const small = await openIndex(store, 'small', options.smallShare, options)
  const large = await openIndex(store, 'large', options.share, options)
  const both: Pair<Index> = { small, large }
  const served = await measureServed(store, both, options)
  return {
    kind: store.kind,
    attestations: await mapPair(both, ({ world }) =>
      Promise.resolve(world.reduce((sum, { attestations }) => sum + attestations, 0)),
    ),
    fill: { small: small.fill, large: large.fill },
    ...served,
    commands: await measureCommands(both, options),
    writes: await measureWrites(store, both, options),
    live: isAsked(options, 'new records') ? await mapPair(both, (each) => measureLive(each, options)) : null,
  }
}

function isAsked({ only }: WorldOptions, name: string): boolean {
  return only.some((text) => name.includes(text))
}

async function openIndex(
  store: WorldStore,
  size: string,
  share: number,
  { onProgress }: WorldOptions,
): Promise<Index> {
  const world = createWorld(share)
  const database = await store.prepare(`world_${share}`.replace('.', '_'))
  onProgress(`${store.kind}: filling the ${size} index`)
  const fill = await fillWorld(store, database, world, onProgress)
  return { share, world, requests: createWorldRequests(world, share), database, fill }
}

async function mapPair<From, To>(
  { small, large }: Pair<From>,
  map: (each: From) => Promise<To>,
): Promise<Pair<To>> {
  return { small: await map(small), large: await map(large) }
}

async function measureServed(
  store: WorldStore,
  both: Pair<Index>,
  options: WorldOptions,
): Promise<Pick<WorldFigures, 'requests' | 'ends' | 'singles' | 'serverBytes'>> {
  const { onProgress } = options
  const servers = await mapPair(both, ({ database }) => serve(database))
  try {
    const say = (name: string, figures: string) => onProgress(`${store.kind}: ${name}: ${figures}`)
    const round = (server: Server, paths: readonly string[]) => createRound(store, server, paths, options)
    const rowsOf = await mapPair(both, async ({ requests }) => {
      const server = requests === both.large.requests ? servers.large : servers.small
      const totals = requests.listings.map(
        async ({ name, pages }) => [name, await readTotal(server, `${pages}1`)] as const,
      )
      return new Map(await Promise.all(totals))
    })
    const casesOf = ({ requests }: Index, rows: ReadonlyMap<string, number>): readonly WorldCase[] => [
      ...requests.cases,
      ...casesOfListings(requests, rows),
    ]
    const smallCases = casesOf(both.small, rowsOf.small)
    const requests: WorldFigures['requests'][number][] = []
    for (const [index, each] of casesOf(both.large, rowsOf.large).entries()) {
      if (!isAsked(options, each.name)) continue
      const [small, large] = await byTurns(options.rounds, [
        await round(servers.small, smallCases[index]?.paths ?? []),
        await round(servers.large, each.paths),
      ])
      requests.push({ name: each.name, small, large })
      say(each.name, `${small.cpuMicroseconds.toFixed(0)} and ${large.cpuMicroseconds.toFixed(0)} µs`)
    }
    const ends: WorldFigures['ends'][number][] = []
    for (const { name, pages } of both.large.requests.listings) {
      if (!isAsked(options, `last page of ${name}`)) continue
      const [first, last] = await byTurns(options.rounds, [
        await round(servers.large, [`${pages}1`]),
        await round(servers.large, [`${pages}${lastPage(rowsOf.large.get(name) ?? 0)}`]),
      ])
      ends.push({ name, first, last })
      say(
        `last page of ${name}`,
        `${first.cpuMicroseconds.toFixed(0)} and ${last.cpuMicroseconds.toFixed(0)} µs`,
      )
    }
    const singles: WorldFigures['singles'][number][] = []
    for (const [index, single] of both.large.requests.singles.entries()) {
      const { name, aimMs } = single
      if (!isAsked(options, name)) continue
      const smallSingle = both.small.requests.singles[index] ?? single
      const small = await askSingle(store, servers.small, smallSingle, options)
      const large = await askSingle(store, servers.large, single, options)
      singles.push({ name, aimMs, small, large })
      say(name, `${small.ms.toFixed(0)} and ${large.ms.toFixed(0)} ms ${large.refusal ?? ''}`)
    }
    const serverBytes = await mapPair(servers, async (server) => Number(await server.ask('ownBytes')))
    return { requests, ends, singles, serverBytes }
  } finally {
    await Promise.all([servers.small.stop(), servers.large.stop()])
  }
}

/** Without kept answers, since most figures are those of the store, and without refusals beside other programs. */
function serve({ url }: WorldDatabase): Promise<Server> {
  return startReadyProcess(new URL('../apiServer.ts', import.meta.url), [url, '0', '', 'Infinity'])
}

async function readTotal({ ready }: Server, path: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${ready.port}${path}`)
  const { data, message } = (await response.json()) as {
    readonly data: { readonly total: number } | null
    readonly message: string
  }
  if (data === null) throw new Error(`${path}: ${message}`)
  return data.total
}

type Round = () => Promise<RequestFigures>

async function createRound(
  store: WorldStore,
  server: Server,
  paths: readonly string[],
  { roundSeconds }: WorldOptions,
): Promise<Round> {
  const { port } = server.ready
  const load = await createLoadRounds({ port, paths, connections, warmUpRequests, roundSeconds })
  const cpu = async () => (await server.cpuSeconds()) + store.serverCpuSeconds()
  return async () => {
    const before = await cpu()
    const { requests, p50Ms, p99Ms } = await load()
    return { cpuMicroseconds: (((await cpu()) - before) / requests) * 1e6, p50Ms, p99Ms }
  }
}

/** The medians of two rounds that take turns. */
async function byTurns(
  rounds: number,
  [one, other]: readonly [Round, Round],
): Promise<readonly [RequestFigures, RequestFigures]> {
  const pairs: (readonly [RequestFigures, RequestFigures])[] = []
  for (let turn = 0; turn < rounds; turn++) pairs.push([await one(), await other()])
  const medianOf = (of: 0 | 1): RequestFigures => ({
    cpuMicroseconds: median(pairs.map((pair) => pair[of].cpuMicroseconds)),
    p50Ms: median(pairs.map((pair) => pair[of].p50Ms)),
    p99Ms: median(pairs.map((pair) => pair[of].p99Ms)),
  })
  return [medianOf(0), medianOf(1)]
}

const noAnswer = { bytes: 0, refusal: null }

async function askSingle(
  store: WorldStore,
  server: Server,
  { path, body }: SingleRequest,
  { rounds }: WorldOptions,
): Promise<SingleFigures> {
  const cpu = async () => (await server.cpuSeconds()) + store.serverCpuSeconds()
  const asked: SingleFigures[] = []
  // The first one warms up.
  for (let round = 0; round <= rounds; round++) {
    const before = await cpu()
    const startMs = performance.now()
    const response = await fetch(`http://127.0.0.1:${server.ready.port}${path}`, {
      headers: { 'accept-encoding': 'identity', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    let bytes = 0
    let text = ''
    for await (const chunk of response.body ?? []) {
      bytes += (chunk as Uint8Array).length
      if (!response.ok) text += Buffer.from(chunk as Uint8Array).toString()
    }
    asked.push({
      ms: performance.now() - startMs,
      cpuMs: ((await cpu()) - before) * 1000,
      bytes,
      refusal: response.ok ? null : (JSON.parse(text) as { readonly message: string }).message,
    })
  }
  // One refusal counts even if other rounds were answered.
  const { bytes, refusal } = asked.find((each) => each.refusal !== null) ?? asked[0] ?? noAnswer
  const warm = asked.slice(1)
  return {
    ms: median(warm.map(({ ms }) => ms)),
    cpuMs: median(warm.map(({ cpuMs }) => cpuMs)),
    bytes,
    refusal,
  }
}

/** The commands of the program, by a configuration whose endpoints are never reached. */
async function measureCommands(both: Pair<Index>, options: WorldOptions): Promise<WorldFigures['commands']> {
  const { folder, onProgress } = options
  const target = join(folder, 'written')
  mkdirSync(target, { recursive: true })
  const commands: readonly {
    readonly name: string
    run(configPath: string, to: string): Promise<CommandFigures>
  }[] = [
    { name: 'start to the first answer', run: (config) => startProgram('start', config) },
    { name: 'serve to the first answer', run: (config) => startProgram('serve', config) },
    { name: 'verify --offline', run: (config) => runCommand(['verify', '--offline', '--config', config]) },
    { name: 'publish', run: (config, to) => runCommand(['publish', '--config', config, '--to', to]) },
    {
      name: 'lake --once',
      run: (config, to) => runCommand(['lake', '--once', '--config', config, '--to', to]),
    },
  ]
  const figures: WorldFigures['commands'][number][] = []
  try {
    for (const { name, run } of commands) {
      if (!isAsked(options, name)) continue
      const measured = await mapPair(both, async (index) => {
        const config = join(target, `${index.share}.yaml`)
        writeFileSync(config, JSON.stringify(configOf(index)))
        const to = join(target, `${name.split(' ', 1)[0] ?? ''}-${index.share}`)
        mkdirSync(to, { recursive: true })
        return await run(config, to)
      })
      figures.push({ name, ...measured })
      onProgress(`${name}: ${measured.small.seconds.toFixed(1)} and ${measured.large.seconds.toFixed(1)} s`)
    }
  } finally {
    rmSync(target, { recursive: true, force: true })
  }
  return figures
}

/** Starts the program and asks it until it answers with the total of all attestations. */
async function startProgram(command: 'start' | 'serve', configPath: string): Promise<CommandFigures> {
  const program = new URL('../serviceProcess.ts', import.meta.url)
  const startMs = performance.now()
  const args = [command, '--config', configPath]
  const server = await startReadyProcess(program, args, servingUrl, runtimeSettings)
  try {
    while ((await fetch(`${server.ready}/scan/attestations?size=1`)).status !== 200) await delay(10)
    const seconds = (performance.now() - startMs) / 1000
    return { seconds, cpuSeconds: await server.cpuSeconds(), megabytes: anonymousMegabytes(server.pid) }
  } finally {
    await server.stop()
  }
}

function configOf({ world, database }: Index) {
  return {
    database: database.url,
    server: { host: '127.0.0.1', port: 0, workers: 1, explorer: false },
    chains: world.map((chain) => ({
      chainId: chain.chainId,
      name: nameOf(chain),
      rpc: ['http://127.0.0.1:9'],
      // A small share has chains of few blocks, which are final.
      finality: 1,
      contracts: chain.contracts.map(({ schemaRegistry, ...contract }) =>
        schemaRegistry === null ? contract : { ...contract, schemaRegistry },
      ),
    })),
  }
}

/** Writes to both indexes by turns, and reverts the newest blocks of the largest chain. */
async function measureWrites(
  store: WorldStore,
  both: Pair<Index>,
  options: WorldOptions,
): Promise<WorldFigures['writes']> {
  const names = [
    'an event of a backfill',
    'an event at the head, ten a commit',
    `a reorganisation of ${revertedBlocks} blocks`,
  ]
  if (!names.some((name) => isAsked(options, name))) return []
  options.onProgress(`${store.kind}: writing`)
  const writers = await mapPair(both, async ({ database, world }) => {
    const writer = (await openBenchDatabase(database.url)).openWriter()
    const [chain] = await openWorld(writer, world)
    if (chain === undefined) throw new Error('the world has no chain')
    return { writer, chain }
  })
  const measure = async (run: (each: typeof writers.small) => Promise<Applied>) => {
    const turns: Pair<WriteFigures>[] = []
    for (let turn = 0; turn < writeTurns; turn++) {
      turns.push(
        await mapPair(writers, async (each) => {
          const before = store.serverCpuSeconds()
          const { events, seconds, cpuSeconds } = await run(each)
          const allCpuSeconds = cpuSeconds + store.serverCpuSeconds() - before
          return { seconds: seconds / events, cpuSeconds: allCpuSeconds / events }
        }),
      )
    }
    const medianOf = (size: 'small' | 'large') => ({
      seconds: median(turns.map((turn) => turn[size].seconds)),
      cpuSeconds: median(turns.map((turn) => turn[size].cpuSeconds)),
    })
    return { small: medianOf('small'), large: medianOf('large') }
  }
  const apply = async (each: typeof writers.small, batches: number, events: number, isBackfill: boolean) => {
    const applied: Applied[] = []
    for (let left = batches; left > 0; left--) {
      applied.push(await applyNext(each.writer, each.chain, { events, moreFollows: isBackfill && left > 1 }))
    }
    const sum = (of: (one: Applied) => number) => applied.reduce((total, one) => total + of(one), 0)
    return {
      events: sum(({ events: made }) => made),
      seconds: sum(({ seconds }) => seconds),
      cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    }
  }
  const figures = [
    { name: names[0] ?? '', ...(await measure((each) => apply(each, 2, eventsPerBatch, true))) },
    { name: names[1] ?? '', ...(await measure((each) => apply(each, 50, 10, false))) },
    { name: names[2] ?? '', ...(await measure(({ writer, chain }) => revert(writer, chain))) },
  ]
  await Promise.all([writers.small.writer.close(), writers.large.writer.close()])
  return figures
}

/** Reverts the newest blocks of a chain and writes them again, which counts as one event. */
async function revert(
  writer: IndexWriter,
  opened: { readonly chain: WorldChain; next: number },
): Promise<Applied> {
  const cpu = process.cpuUsage()
  const startMs = performance.now()
  const { next } = opened
  opened.next = next - revertedBlocks
  await writer.revertBlocks(opened.chain.chainId, opened.next - 1, unixMilliseconds(Date.now()))
  await applyNext(writer, opened, { events: Infinity, toBlock: next - 1, moreFollows: false })
  const { user, system } = process.cpuUsage(cpu)
  return { events: 1, seconds: (performance.now() - startMs) / 1000, cpuSeconds: (user + system) / 1e6 }
}

/** Asks everything at a constant rate, at rest and while new records of all chains are written. */
async function measureLive(index: Index, { onProgress }: WorldOptions): Promise<LiveFigures> {
  onProgress('new records')
  const { requests, share, database } = index
  const paths = requests.cases.flatMap(({ paths: of }) => of.slice(0, 100))
  const server = await serve(database)
  let next = 0
  const path = () => paths[(next++ * 7_919) % paths.length] ?? '/'
  const send = async (goOn: () => boolean): Promise<LoadFigures> => {
    const before = await server.cpuSeconds()
    const result = await sendSteadily({ port: server.ready.port, path, requestsPerSecond, goOn })
    return { ...result, cpuMicroseconds: (((await server.cpuSeconds()) - before) / result.requests) * 1e6 }
  }
  const forSeconds = (seconds: number) => {
    const endMs = performance.now() + seconds * 1000
    return () => performance.now() < endMs
  }
  try {
    await send(forSeconds(restSeconds))
    const atRest = await send(forSeconds(restSeconds))
    const records = Math.ceil(1_000_000 * share)
    const startMs = performance.now()
    const args = [database.url, String(share), String(records)]
    const writer = await startReadyProcess(new URL('liveWriter.ts', import.meta.url), args)
    try {
      let isDone = false
      void (async () => {
        while (!isDone) {
          isDone = (await writer.ask('done')) === true
          await delay(200)
        }
      })()
      const beside = await send(() => !isDone)
      const written = Number(await writer.ask('written'))
      return { eventsPerSecond: (written / (performance.now() - startMs)) * 1000, atRest, beside }
    } finally {
      await writer.stop()
    }
  } finally {
    await server.stop()
  }
}
