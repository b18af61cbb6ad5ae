import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createRound, fillDatabases, type PortReady, type ServingOptions } from './benchServing.ts'
import { startReadyProcess, type ReadyProcess } from './childProcess.ts'
import { median } from './quantile.ts'
import { createSampleIndex } from './sampleIndex.ts'
import { createServingCases, type ServingCase } from './servingCases.ts'

export interface TurnsOptions extends Pick<ServingOptions, 'sample' | 'only' | 'onProgress'> {
  /** The folder of another checkout with its `node_modules`. */
  readonly other: string
  /** Turns of each case, of each checkout. */
  readonly turns: number
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

/** Some two thousand requests. */
const turnSeconds = 0.15

/**
 * Compares the servers of two checkouts: the same requests by turns, the processor time of the serving process counted.
 * Each checkout fills an index of its own layout with the same records. On an idle machine it detects differences of three
 * percent. Beside other work it detects nothing.
 */
export async function benchTurns(options: TurnsOptions): Promise<readonly TurnsFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-bench-'))
  try {
    const sample = createSampleIndex(options.sample)
    const asked = createServingCases(options.sample, sample).filter(
      ({ name, kind }) => kind !== 'limited' && name.includes(options.only),
    )
    const filling = (await import(urlIn(options.other, 'bench/benchServing.ts').href)) as {
      readonly fillDatabases: typeof fillDatabases
    }
    const otherFolder = join(folder, 'other')
    mkdirSync(otherFolder)
    const ours = await fillDatabases(folder, sample, asked, options)
    const others = await filling.fillDatabases(otherFolder, sample, asked, options)
    const figures: TurnsFigures[] = []
    for (const servingCase of asked) {
      const { name, content } = servingCase
      options.onProgress(`turns: ${name}`)
      figures.push(await compare(servingCase, ours.databases[content], others.databases[content], options))
    }
    return figures
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compare(
  { name, kind, paths }: ServingCase,
  ourDatabase: string,
  otherDatabase: string,
  { other, turns }: TurnsOptions,
): Promise<TurnsFigures> {
  const started: ReadyProcess<PortReady>[] = []
  const start = async (file: URL, database: string) => {
    // Without kept answers, unless they are what is measured: the paths repeat.
    const args = [`sqlite:${database}`, ...(kind === 'kept' ? [] : ['0'])]
    const server = await startReadyProcess<PortReady>(file, args)
    started.push(server)
    const round = await createRound(server, paths, turnSeconds)
    return async () => (await round()).cpuMicroseconds
  }
  try {
    const ours = await start(new URL('apiServer.ts', import.meta.url), ourDatabase)
    const others = await start(urlIn(other, 'bench/apiServer.ts'), otherDatabase)
    const pairs: { readonly ours: number; readonly others: number }[] = []
    for (let turn = 0; turn < turns; turn++) {
      // The second of a pair finds warmer caches of the machine.
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

/** The URL of a file of another checkout. */
function urlIn(checkout: string, file: string): URL {
  return new URL(file, pathToFileURL(join(checkout, '/')))
}
