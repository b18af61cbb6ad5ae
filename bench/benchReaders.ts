import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { withTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { startPostgresServer } from '@attestry/test/harness/postgresServer.ts'
import { treeCpuSeconds } from './anonymousMemory.ts'
import { postgresSettings, type BenchStoreKind } from './benchStore.ts'
import { startReadyProcess, type ReadyProcess } from './childProcess.ts'
import { fillIndex } from './fillIndex.ts'
import type { LoadResult } from './loadGenerator.ts'
import { createLoadRounds } from './loadRounds.ts'
import { openBenchDatabase } from './openBenchDatabase.ts'
import { median } from './quantile.ts'
import { createSampleIndex, type SampleIndex, type SampleOptions } from './sampleIndex.ts'
import { createServingCases } from './servingCases.ts'

/** Requests of one kind to several processes that serve one database. */
export interface ReaderFigures {
  readonly store: BenchStoreKind
  readonly name: string
  readonly processes: number
  readonly requestsPerSecond: number
  /** The rate divided by that of one process, within each turn. */
  readonly ratio: number
  /** Microseconds of processor time of a request. */
  readonly cpuMicroseconds: { readonly serving: number; readonly database: number; readonly load: number }
  /** The share of the machine's processors that the three take together, of 1. */
  readonly busy: number
}

export interface ReadersOptions {
  readonly sample: SampleOptions
  readonly rounds: number
  readonly roundSeconds: number
  readonly onProgress: (line: string) => void
}

const processCounts = [1, 2, 4]
/** Of all processes together. */
const connections = 32
const cases = ['single attestation', 'page of a schema']

type Server = ReadyProcess<{ readonly port: number }>
type Turn = Omit<ReaderFigures, 'store' | 'name' | 'processes' | 'ratio'>

/** Sends the same requests to one, two and four processes that serve the same database, by turns. */
export async function benchReaders(options: ReadersOptions): Promise<readonly ReaderFigures[]> {
  const { sample: sampleOptions } = options
  const sample = createSampleIndex(sampleOptions)
  const folder = mkdtempSync(join(tmpdir(), 'attestry-bench-'))
  const postgres = await startPostgresServer({ durable: true, settings: postgresSettings })
  try {
    const postgresUrl = await postgres.createDatabase('readers')
    const figures: ReaderFigures[] = []
    for (const [store, url] of [
      ['sqlite', `sqlite:${join(folder, 'index.db')}`],
      ['postgres', postgresUrl],
    ] as const) {
      options.onProgress(`readers: filling ${store}`)
      await fill(url, sample)
      const databasePid = store === 'sqlite' ? null : await readServerPid(url)
      for (const { name, paths } of createServingCases(sampleOptions, sample)) {
        if (!cases.includes(name)) continue
        options.onProgress(`readers: ${store}, ${name}`)
        const turns = await measure(url, databasePid, paths, options)
        figures.push(
          ...processCounts.map((processes, index) => ({
            store,
            name,
            processes,
            ...summarize(turns, index),
          })),
        )
      }
    }
    return figures
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function fill(url: string, sample: SampleIndex): Promise<void> {
  const database = await openBenchDatabase(url)
  await database.migrate()
  const writer = database.openWriter()
  await fillIndex(writer, sample)
  await writer.close()
}

async function readServerPid(url: string): Promise<number> {
  const [pid = 0] = await withTestConnection(
    url,
    async (connection) =>
      (await connection.get<[number]>(`SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int`)) ??
      [],
  )
  return pid
}

/** For each turn the figures of each number of processes. */
async function measure(
  url: string,
  databasePid: number | null,
  paths: readonly string[],
  { rounds, roundSeconds }: ReadersOptions,
): Promise<readonly (readonly Turn[])[]> {
  const servers: Server[] = []
  try {
    const groups: {
      readonly pids: readonly number[]
      readonly load: readonly (() => Promise<LoadResult>)[]
    }[] = []
    for (const processes of processCounts) {
      // No answer is kept.
      const started = await Promise.all(
        Array.from({ length: processes }, () =>
          startReadyProcess<{ readonly port: number }>(new URL('apiServer.ts', import.meta.url), [url, '0']),
        ),
      )
      servers.push(...started)
      const load = await Promise.all(
        started.map(({ ready: { port } }) =>
          createLoadRounds({
            port,
            paths,
            connections: connections / processes,
            warmUpRequests: 4_000,
            roundSeconds,
          }),
        ),
      )
      groups.push({ pids: started.map(({ pid }) => pid), load })
    }
    const turns: Turn[][] = []
    for (let round = 0; round < rounds; round++) {
      const turn: Turn[] = []
      for (const { pids, load } of groups) {
        const cpu = () => ({
          serving: pids.reduce((sum, pid) => sum + treeCpuSeconds(pid), 0),
          database: databasePid === null ? 0 : treeCpuSeconds(databasePid),
          load: (process.cpuUsage().user + process.cpuUsage().system) / 1e6,
        })
        const before = cpu()
        const results = await Promise.all(load.map((each) => each()))
        const after = cpu()
        const requests = results.reduce((sum, each) => sum + each.requests, 0)
        const seconds = Math.max(...results.map((each) => each.seconds))
        const spent = (part: keyof typeof after) => ((after[part] - before[part]) / requests) * 1e6
        const cpuMicroseconds = {
          serving: spent('serving'),
          database: spent('database'),
          load: spent('load'),
        }
        const all = cpuMicroseconds.serving + cpuMicroseconds.database + cpuMicroseconds.load
        const requestsPerSecond = requests / seconds
        turn.push({
          requestsPerSecond,
          cpuMicroseconds,
          busy: (all * requestsPerSecond) / 1e6 / cpus().length,
        })
      }
      turns.push(turn)
    }
    return turns
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

/** The medians over all turns of a number of processes. */
function summarize(turns: readonly (readonly Turn[])[], index: number): Turn & { readonly ratio: number } {
  const of = (read: (each: Turn, one: Turn) => number) =>
    median(
      turns.flatMap((turn) => {
        const [each, one] = [turn[index], turn[0]]
        return each === undefined || one === undefined ? [] : [read(each, one)]
      }),
    )
  return {
    requestsPerSecond: of((each) => each.requestsPerSecond),
    ratio: of((each, one) => each.requestsPerSecond / one.requestsPerSecond),
    cpuMicroseconds: {
      serving: of(({ cpuMicroseconds }) => cpuMicroseconds.serving),
      database: of(({ cpuMicroseconds }) => cpuMicroseconds.database),
      load: of(({ cpuMicroseconds }) => cpuMicroseconds.load),
    },
    busy: of(({ busy }) => busy),
  }
}
