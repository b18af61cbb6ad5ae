import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateSqlite } from '../src/store/sqlite/migrateSqlite.ts'
import { openSqliteWriter } from '../src/store/sqlite/openSqliteWriter.ts'
import { allFields } from '../test/harness/fieldIndexing.ts'
import { startReadyProcess, type ReadyProcess } from './childProcess.ts'
import { fillIndex, type FillFigures } from './fillIndex.ts'
import { splitRequest } from './httpConnection.ts'
import { createLoadRounds } from './loadRounds.ts'
import { median } from './quantile.ts'
import { createSampleIndex, type SampleOptions } from './sampleIndex.ts'
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
  readonly bodyBytes: number
  readonly api: ServerFigures
  readonly bare: ServerFigures
  /** Requests a second of the API, of those of the bare server. */
  readonly rateRatio: number
  /** CPU time per request of the bare server, divided by that of the API: the ratio without the cost of the load. */
  readonly cpuRatio: number
}

export interface ServerFigures {
  readonly requestsPerSecond: number
  readonly cpuMicroseconds: number
  readonly p99Ms: number
}

interface PortReady {
  readonly port: number
}

type Server = ReadyProcess<PortReady>

/** Concurrent requests, one per connection. */
const connections = 16

/** Warm-up requests; before JIT compilation a request costs twice as much. */
const warmUpRequests = 20_000

/** Compares the API over a filled index with a bare server that sends the same bodies. */
export async function benchServing(options: ServingOptions): Promise<ServingFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-bench-'))
  try {
    const path = join(folder, 'index.db')
    const sample = createSampleIndex(options.sample)
    options.onProgress(`filling an index with ${options.sample.attestations} attestations`)
    migrateSqlite(path)
    const writer = openSqliteWriter(path, { fields: allFields })
    const fill = await fillIndex(writer, sample)
    await writer.close()
    const cases: CaseFigures[] = []
    for (const servingCase of createServingCases(options.sample, sample)) {
      if (!servingCase.name.includes(options.only)) continue
      options.onProgress(`serving: ${servingCase.name}`)
      cases.push(await benchCase(servingCase, path, folder, options))
    }
    return { fill, cases }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function benchCase(
  { name, kind, target, paths }: ServingCase,
  databasePath: string,
  folder: string,
  { rounds, roundSeconds }: ServingOptions,
): Promise<CaseFigures> {
  // When each request is to be new, the answer cache is off, since the paths repeat.
  const keptBytes = kind === 'fresh' ? ['0'] : []
  const api = await startReadyProcess<PortReady>(new URL('apiServer.ts', import.meta.url), [
    `sqlite:${databasePath}`,
    ...keptBytes,
  ])
  try {
    const answersPath = join(folder, 'answers.jsonl')
    const bodyBytes = await writeAnswers(api.ready.port, paths, answersPath)
    const bare = await startReadyProcess<PortReady>(new URL('bareServer.ts', import.meta.url), [answersPath])
    try {
      const apiRound = await createRound(api, paths, roundSeconds)
      const bareRound = await createRound(bare, paths, roundSeconds)
      const pairs: { api: ServerFigures; bare: ServerFigures }[] = []
      for (let round = 0; round < rounds; round++) {
        pairs.push({ api: await apiRound(), bare: await bareRound() })
      }
      return {
        name,
        kind,
        target,
        bodyBytes,
        api: medianFigures(pairs.map((pair) => pair.api)),
        bare: medianFigures(pairs.map((pair) => pair.bare)),
        rateRatio: median(pairs.map((pair) => pair.api.requestsPerSecond / pair.bare.requestsPerSecond)),
        cpuRatio: median(pairs.map((pair) => pair.bare.cpuMicroseconds / pair.api.cpuMicroseconds)),
      }
    } finally {
      await bare.stop()
    }
  } finally {
    await api.stop()
  }
}

/** Returns a function that runs a round of load and reports its cost to the server. */
async function createRound(
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

/** Requests all paths once and writes the bodies for the bare server; returns their mean size. */
async function writeAnswers(port: number, paths: readonly string[], file: string): Promise<number> {
  const lines = new Array<string>(paths.length)
  let bytes = 0
  let next = 0
  const ask = async () => {
    for (let index = next++; index < paths.length; index = next++) {
      const { path, body: sent } = splitRequest(paths[index] ?? '')
      const headers = { 'content-type': 'application/json' }
      const post = sent === null ? {} : { method: 'POST', headers, body: sent }
      const response = await fetch(`http://127.0.0.1:${port}${path}`, post)
      const body = await response.text()
      if (response.status !== 200) throw new Error(`${paths[index]} was answered with ${body}`)
      bytes += Buffer.byteLength(body)
      lines[index] = JSON.stringify([paths[index], body])
    }
  }
  await Promise.all(Array.from({ length: connections }, ask))
  writeFileSync(file, lines.join('\n'))
  return bytes / paths.length
}

function medianFigures(rounds: readonly ServerFigures[]): ServerFigures {
  return {
    requestsPerSecond: median(rounds.map((round) => round.requestsPerSecond)),
    cpuMicroseconds: median(rounds.map((round) => round.cpuMicroseconds)),
    p99Ms: median(rounds.map((round) => round.p99Ms)),
  }
}
