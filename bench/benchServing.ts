import { projections } from '@attestry/test/harness/projections.ts'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { allFields } from '@attestry/test/harness/fieldIndexing.ts'
import { startReadyProcess, type ReadyProcess } from './childProcess.ts'
import { fillEas } from './fillEas.ts'
import { fillIndex, type FillFigures } from './fillIndex.ts'
import { createLoadRounds } from './loadRounds.ts'
import { median } from './quantile.ts'
import { recordAnswers } from './recordAnswers.ts'
import { createSampleIndex, type SampleIndex, type SampleOptions } from './sampleIndex.ts'
import { createServingCases, type ServingCase } from './servingCases.ts'

export interface ServingOptions {
  readonly sample: SampleOptions
  /** Interleaved rounds of each case, of each server. */
  readonly rounds: number
  /** Approximate duration of a round. */
  readonly roundSeconds: number
  /** Only cases whose name contains this. */
  readonly only: string
  readonly onProgress: (line: string) => void
}

export interface ServingFigures {
  readonly fill: FillFigures
  readonly cases: readonly CaseFigures[]
}

/** Medians over the rounds. Ratios are taken within each round before. */
export interface CaseFigures {
  readonly name: string
  readonly kind: ServingCase['kind']
  readonly target: number | null
  readonly api: ServerFigures
  /**
   * Requests a second of the API, divided by those of the bare server. If each request is new, that server also runs
   * the statements that the answer needs. If the API has a rate limit, the other server is the API without one.
   */
  readonly rateRatio: number
}

export interface ServerFigures {
  readonly requestsPerSecond: number
  readonly cpuMicroseconds: number
  readonly p99Ms: number
}

/** A server that says its port when it listens. */
export interface PortReady {
  readonly port: number
}

type Server = ReadyProcess<PortReady>

/** Concurrent requests, one per connection. */
const connections = 16

/** Warm-up requests; before JIT compilation a request costs twice as much. */
const warmUpRequests = 20_000

/** A limit of requests that the load does not reach. */
const unreachedLimit = 1e9

/** Compares the API over a filled index with the least that a server must do for the same answers. */
export async function benchServing(options: ServingOptions): Promise<ServingFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-bench-'))
  try {
    const sample = createSampleIndex(options.sample)
    const asked = createServingCases(options.sample, sample).filter(({ name }) => name.includes(options.only))
    const { fill, databases } = await fillDatabases(folder, sample, asked, options)
    const cases: CaseFigures[] = []
    for (const servingCase of asked) {
      options.onProgress(`serving: ${servingCase.name}`)
      cases.push(await benchCase(servingCase, databases[servingCase.content], folder, options))
    }
    return { fill, cases }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Makes the databases that the cases ask, in a folder. */
export async function fillDatabases(
  folder: string,
  sample: SampleIndex,
  asked: readonly ServingCase[],
  options: Pick<ServingOptions, 'sample' | 'onProgress'>,
): Promise<{ readonly fill: FillFigures; readonly databases: Record<ServingCase['content'], string> }> {
  const databases = { sample: join(folder, 'index.db'), eas: join(folder, 'eas.db') }
  options.onProgress(`filling an index with ${options.sample.attestations} attestations`)
  migrateSqlite(databases.sample, { projections })
  const writer = openSqliteWriter(databases.sample, { fields: allFields, projections })
  const fill = await fillIndex(writer, sample)
  await writer.close()
  if (asked.some(({ content }) => content === 'eas')) {
    await fillEas(databases.eas, options.sample.attestations)
  }
  return { fill, databases }
}

async function benchCase(
  { name, kind, target, paths }: ServingCase,
  databasePath: string,
  folder: string,
  { rounds, roundSeconds }: ServingOptions,
): Promise<CaseFigures> {
  const answersPath = join(folder, 'answers')
  const answers = await recordAnswers(databasePath, paths)
  writeFileSync(answersPath, serialize(answers))
  // When each request is to be new, the answer cache is off, since the paths repeat.
  const isKept = kind === 'kept'
  const started: Server[] = []
  const start = async (file: URL, args: readonly string[]) => {
    const server = await startReadyProcess<PortReady>(file, args)
    started.push(server)
    return await createRound(server, paths, roundSeconds)
  }
  try {
    const startApi = (...limit: readonly string[]) =>
      start(new URL('apiServer.ts', import.meta.url), [
        `sqlite:${databasePath}`,
        ...(isKept ? [] : ['0', ...limit]),
      ])
    const startBare = () =>
      start(new URL('bareServer.ts', import.meta.url), [answersPath, ...(isKept ? [] : [databasePath])])
    const isLimited = kind === 'limited'
    const api = await startApi(...(isLimited ? [String(unreachedLimit)] : []))
    const baseline = await (isLimited ? startApi() : startBare())
    const turns: { api: ServerFigures; baseline: ServerFigures }[] = []
    for (let round = 0; round < rounds; round++) turns.push({ api: await api(), baseline: await baseline() })
    return {
      name,
      kind,
      target,
      api: medianFigures(turns.map((turn) => turn.api)),
      rateRatio: median(turns.map((turn) => turn.api.requestsPerSecond / turn.baseline.requestsPerSecond)),
    }
  } finally {
    for (const server of started) await server.stop()
  }
}

/** Returns a function that runs a round of load and reports its cost to the server. */
export async function createRound(
  server: Server,
  paths: readonly string[],
  roundSeconds: number,
): Promise<() => Promise<ServerFigures>> {
  const { port } = server.ready
  const load = await createLoadRounds({ port, paths, connections, warmUpRequests, roundSeconds })
  return async () => {
    const cpuBefore = await server.cpuSeconds()
    const { requests, requestsPerSecond, p99Ms } = await load()
    const cpuSeconds = (await server.cpuSeconds()) - cpuBefore
    return { requestsPerSecond, cpuMicroseconds: (cpuSeconds / requests) * 1e6, p99Ms }
  }
}

function medianFigures(rounds: readonly ServerFigures[]): ServerFigures {
  return {
    requestsPerSecond: median(rounds.map((round) => round.requestsPerSecond)),
    cpuMicroseconds: median(rounds.map((round) => round.cpuMicroseconds)),
    p99Ms: median(rounds.map((round) => round.p99Ms)),
  }
}
