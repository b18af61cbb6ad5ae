import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'
import {
  findFreePort,
  startPostgresServer,
  type PostgresServer,
} from '@attestry/test/harness/postgresServer.ts'
import { anonymousMegabytes, treeCpuSeconds } from '../anonymousMemory.ts'
import { postgresSettings } from '../benchStore.ts'
import { startReadyProcess, type ReadyProcess } from '../childProcess.ts'
import { createLoadRounds } from '../loadRounds.ts'
import { median } from '../quantile.ts'
import { questions, select, type Contender, type Place, type Question } from './contenders.ts'
import type { EndpointReady } from './easEndpoint.ts'
import { generateEnvio, installedVersion, installPeers } from './installPeers.ts'
import { limitMs, startContender, untilComplete, watchState } from './watchContender.ts'

export interface PeersOptions {
  readonly contenders: readonly Contender[]
  readonly attestations: number
  /** The folder in which the peers are installed. */
  readonly peers: string
  /** A folder of this run. */
  readonly folder: string
  readonly rounds: number
  readonly roundSeconds: number
  readonly onProgress: (line: string) => void
}

export interface ContenderFigures {
  readonly name: string
  /** Of the peer's package; null for this repository. */
  readonly version: string | null
  /** Why there are no figures, or the figures. */
  readonly outcome: string | Outcome
}

export interface Outcome {
  /** From the start of the program until everything is answered. */
  readonly backfillSeconds: number
  readonly eventsPerSecond: number
  /** Seconds of processor time during the backfill, of the program and of the PostgreSQL server. */
  readonly cpuSeconds: number
  readonly databaseCpuSeconds: number
  /** The highest anonymous memory of the program during the backfill, without the PostgreSQL server's. */
  readonly megabytes: number
  /** From the endpoint's new block to the answer about a record of the block, the median. */
  readonly visibleMs: number
  readonly rates: readonly Rate[]
  readonly crash: CrashFigures
}

export interface Rate {
  readonly interfaceName: string
  readonly question: Question
  readonly requestsPerSecond: number
  /** Processor time of program and database for each request. */
  readonly cpuMs: number
}

export interface CrashFigures {
  /** The share of the attestations, of 1, that was answered just before `kill -9`. */
  readonly shareBefore: number
  /** From the second start until everything is answered. */
  readonly seconds: number
}

const connections = 20
const warmUpRequests = 200
const minedBlocks = 30
const askedEveryMs = 10

/** Measures the contenders one after another against one endpoint, each with empty databases of its own. */
export async function benchPeers(options: PeersOptions): Promise<readonly ContenderFigures[]> {
  const { peers, attestations, onProgress } = options
  onProgress(`installing the peers in ${peers}`)
  installPeers(peers)
  const figures: ContenderFigures[] = []
  for (const contender of options.contenders) {
    const version = contender.peer === null ? null : installedVersion(peers, contender.peer)
    const server = await startPostgresServer({ durable: true, settings: postgresSettings })
    // A chain of its own for each, as the measurements add blocks.
    const endpoint = await startReadyProcess<EndpointReady>(new URL('easEndpoint.ts', import.meta.url), [
      String(attestations),
    ])
    try {
      if (contender.peer === 'envio') generateEnvio(peers, endpoint.ready)
      const outcome = await measure(options, contender, endpoint, server)
      figures.push({ name: contender.name, version, outcome })
    } catch (error) {
      if (!(error instanceof Error)) throw error
      onProgress(`${contender.name}: ${inspect(error)}`)
      figures.push({ name: contender.name, version, outcome: error.message })
    } finally {
      await endpoint.stop()
      await server.stop()
    }
  }
  return figures
}

async function measure(
  options: PeersOptions,
  contender: Contender,
  endpoint: ReadyProcess<EndpointReady>,
  server: PostgresServer,
): Promise<Outcome> {
  const { onProgress } = options
  const run = async <Result>(name: string, work: (place: Place) => Promise<Result>) => {
    onProgress(`${contender.name}: ${name}`)
    const folder = join(options.folder, `${contender.name} ${name}`.replaceAll(/\W+/g, '-'))
    mkdirSync(folder)
    const databaseUrl = await server.createDatabase(name)
    return work({
      endpoint: endpoint.ready,
      folder,
      peers: options.peers,
      databaseUrl,
      port: await findFreePort(),
    })
  }
  const [row] = await select<{ pid: number }>(
    server.urlOf('postgres'),
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int pid`,
  )
  const serverPid = row?.pid ?? 0
  // The crash comes first: `measureVisible` adds blocks beyond those that the endpoint has told of.
  const crash = await run('crash', (place) => measureCrash(contender, place))
  return run('backfill', async (place) => {
    const databaseCpu = treeCpuSeconds(serverPid)
    const startMs = performance.now()
    const group = startContender(contender, place)
    try {
      let megabytes = 0
      await untilComplete(contender, place, group, () => {
        megabytes = Math.max(megabytes, anonymousMegabytes(group.pid))
      })
      const backfillSeconds = (performance.now() - startMs) / 1000
      const { attestations, revocations } = place.endpoint
      const backfill = {
        backfillSeconds,
        eventsPerSecond: (attestations + revocations) / backfillSeconds,
        cpuSeconds: treeCpuSeconds(group.pid),
        databaseCpuSeconds: treeCpuSeconds(serverPid) - databaseCpu,
        megabytes,
      }
      onProgress(`${contender.name}: ${Math.round(backfill.eventsPerSecond)} events a second`)
      const rates = await measureRates(
        options,
        contender,
        place,
        () => treeCpuSeconds(group.pid) + treeCpuSeconds(serverPid),
      )
      return { ...backfill, rates, visibleMs: await measureVisible(contender, place, endpoint), crash }
    } finally {
      await group.kill()
    }
  })
}

async function measureCrash(contender: Contender, place: Place): Promise<CrashFigures> {
  const half = place.endpoint.attestations / 2
  let shareBefore = 0
  const first = startContender(contender, place)
  try {
    await watchState(contender, place, first, (state) => {
      shareBefore = (state?.attestations ?? 0) / place.endpoint.attestations
      return (state?.attestations ?? 0) >= half
    })
  } finally {
    await first.kill()
  }
  const startMs = performance.now()
  const second = startContender(contender, place)
  try {
    await untilComplete(contender, place, second)
    return { shareBefore, seconds: (performance.now() - startMs) / 1000 }
  } finally {
    await second.kill()
  }
}

async function measureRates(
  { rounds, roundSeconds }: PeersOptions,
  contender: Contender,
  place: Place,
  cpuSeconds: () => number,
): Promise<readonly Rate[]> {
  const rates: Rate[] = []
  for (const [interfaceName, requestsOf] of Object.entries(contender.interfaces)) {
    const requests = requestsOf(place)
    for (const question of questions) {
      const paths = requests[question]
      const round = await createLoadRounds({
        port: place.port,
        paths,
        connections,
        warmUpRequests,
        roundSeconds,
      })
      // Compiles what the few requests before did not, if a server answers thousands a second.
      await round()
      const turns = []
      for (let turn = 0; turn < rounds; turn++) {
        const before = cpuSeconds()
        const { requestsPerSecond, requests: answered } = await round()
        turns.push({ requestsPerSecond, cpuMs: ((cpuSeconds() - before) * 1000) / answered })
      }
      rates.push({
        interfaceName,
        question,
        requestsPerSecond: median(turns.map((turn) => turn.requestsPerSecond)),
        cpuMs: median(turns.map((turn) => turn.cpuMs)),
      })
    }
  }
  return rates
}

async function measureVisible(
  contender: Contender,
  place: Place,
  endpoint: ReadyProcess<EndpointReady>,
): Promise<number> {
  const delaysMs: number[] = []
  for (let block = 0; block < minedBlocks; block++) {
    // Blocks come at another moment of the polling each time.
    await delay(300 + ((block * 37) % 100))
    const uid = String(await endpoint.ask('mine'))
    const minedMs = performance.now()
    while (!(await contender.hasRecord(place, uid))) {
      if (performance.now() > minedMs + limitMs) throw new Error(`a new record was not indexed`)
      await delay(askedEveryMs)
    }
    delaysMs.push(performance.now() - minedMs)
  }
  return median(delaysMs)
}
