import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { allFields } from '@attestry/test/harness/fieldIndexing.ts'
import { startReadyProcess, type ReadyProcess } from './childProcess.ts'
import { fillEas } from './fillEas.ts'
import { fillIndex } from './fillIndex.ts'
import { loadAnswered } from './loadRounds.ts'
import { median } from './quantile.ts'
import { createSampleIndex, type SampleOptions } from './sampleIndex.ts'
import { createServingCases, type ServingCase } from './servingCases.ts'

export interface TurnsOptions {
  /** The folder of another checkout with its `node_modules`, whose layout of the database is the same. */
  readonly other: string
  readonly sample: SampleOptions
  /** Turns of each case, of each checkout. */
  readonly turns: number
  /** Only cases whose name contains this. */
  readonly only: string
  readonly onProgress: (line: string) => void
}

export interface TurnsFigures {
  readonly name: string
  /** Processor time of a request, in microseconds: medians over the turns. */
  readonly ours: number
  readonly others: number
  /** The other's time by ours, the median of the ratios of each pair of turns: above 1, this checkout is quicker. */
  readonly ratio: number
  /** Half of the range of the middle half of those ratios. */
  readonly spread: number
}

const connections = 16
const warmUpRequests = 20_000
const requestsOfTurn = 2_000

/**
 * Compares the servers of two checkouts over one index: the same requests by turns, the processor time of the serving
 * process counted. It hardly depends on what else the machine does, unlike rates.
 */
export async function benchTurns(options: TurnsOptions): Promise<readonly TurnsFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-bench-'))
  try {
    const sample = createSampleIndex(options.sample)
    const asked = createServingCases(options.sample, sample).filter(
      ({ name, kind }) => kind !== 'limited' && name.includes(options.only),
    )
    options.onProgress(`turns: filling an index with ${options.sample.attestations} attestations`)
    const path = join(folder, 'index.db')
    migrateSqlite(path)
    const writer = openSqliteWriter(path, { fields: allFields })
    await fillIndex(writer, sample)
    await writer.close()
    const easPath = join(folder, 'eas.db')
    if (asked.some(({ content }) => content === 'eas')) await fillEas(easPath, options.sample.attestations)
    const figures: TurnsFigures[] = []
    for (const servingCase of asked) {
      options.onProgress(`turns: ${servingCase.name}`)
      figures.push(await compare(servingCase, servingCase.content === 'eas' ? easPath : path, options))
    }
    return figures
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compare(
  { name, kind, paths }: ServingCase,
  database: string,
  { other, turns }: TurnsOptions,
): Promise<TurnsFigures> {
  const started: ReadyProcess<{ readonly port: number }>[] = []
  const start = async (file: URL) => {
    // Without kept answers, unless they are what is measured: the paths repeat.
    const args = [`sqlite:${database}`, ...(kind === 'kept' ? [] : ['0'])]
    const server = await startReadyProcess<{ readonly port: number }>(file, args)
    started.push(server)
    let next = 0
    const load = async (requests: number) => {
      const turned = [...paths.slice(next), ...paths.slice(0, next)]
      next = (next + requests) % paths.length
      const before = await server.cpuSeconds()
      await loadAnswered({ port: server.ready.port, paths: turned, connections, requests })
      return (((await server.cpuSeconds()) - before) / requests) * 1e6
    }
    await load(warmUpRequests)
    return () => load(requestsOfTurn)
  }
  try {
    const ours = await start(new URL('apiServer.ts', import.meta.url))
    const others = await start(new URL('bench/apiServer.ts', pathToFileURL(join(other, '/'))))
    const pairs: { readonly ours: number; readonly others: number }[] = []
    for (let turn = 0; turn < turns; turn++) {
      // Whoever comes second finds warmer caches of the machine.
      const isFirst = turn % 2 === 0
      const early = await (isFirst ? ours : others)()
      const late = await (isFirst ? others : ours)()
      pairs.push(isFirst ? { ours: early, others: late } : { ours: late, others: early })
    }
    const ratios = pairs.map((pair) => pair.others / pair.ours).sort((a, b) => a - b)
    const quarter = Math.floor(ratios.length / 4)
    return {
      name,
      ours: median(pairs.map((pair) => pair.ours)),
      others: median(pairs.map((pair) => pair.others)),
      ratio: median(ratios),
      spread: ((ratios.at(-1 - quarter) ?? Number.NaN) - (ratios[quarter] ?? Number.NaN)) / 2,
    }
  } finally {
    for (const server of started) await server.stop()
  }
}
