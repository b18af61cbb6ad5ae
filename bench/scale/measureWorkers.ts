import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startReadyProcess, type ReadyProcess } from '../childProcess.ts'
import { generateLoad } from '../loadGenerator.ts'
import { median } from '../quantile.ts'
import { servingUrl } from '../servingUrl.ts'
import { sampleChainId, sampleContract } from '../sampleIndex.ts'

/** Requests a second of the program itself with one worker and with two, medians over the rounds. */
export interface WorkerFigures {
  readonly onePerSecond: number
  readonly twoPerSecond: number
  /** Taken within each round. */
  readonly ratio: number
}

export interface WorkerOptions {
  readonly paths: readonly string[]
  readonly connections: number
  readonly rounds: number
  readonly roundSeconds: number
}

/** Serves an index by `attestry serve` with one worker and with two, and asks both for the same in turns. */
export async function measureWorkers(url: string, options: WorkerOptions): Promise<WorkerFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-workers-'))
  const servers: ReadyProcess<string>[] = []
  try {
    for (const workers of [1, 2]) {
      const configPath = join(folder, `${workers}.yaml`)
      writeFileSync(configPath, JSON.stringify(configFor(url, workers)))
      const program = new URL('../serviceProcess.ts', import.meta.url)
      servers.push(await startReadyProcess(program, ['serve', '--config', configPath], servingUrl))
    }
    const rounds = servers.map((server) => createRound(server, options))
    for (const round of rounds) await round()
    const pairs: { one: number; two: number }[] = []
    for (let index = 0; index < options.rounds; index++) {
      pairs.push({ one: (await rounds[0]?.()) ?? 0, two: (await rounds[1]?.()) ?? 0 })
    }
    return {
      onePerSecond: median(pairs.map(({ one }) => one)),
      twoPerSecond: median(pairs.map(({ two }) => two)),
      ratio: median(pairs.map(({ one, two }) => two / one)),
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A function that asks for about as long as a round takes, and answers how many requests a second were answered. */
function createRound(
  server: ReadyProcess<string>,
  { paths, connections, roundSeconds }: WorkerOptions,
): () => Promise<number> {
  const port = Number(new URL(server.ready).port)
  let next = 0
  let requests = connections * 40
  return async () => {
    const from = next % paths.length
    next += requests
    const turned = [...paths.slice(from), ...paths.slice(0, from)]
    const result = await generateLoad({ port, paths: turned, connections, requests })
    if (result.failures > 0) throw new Error(`${result.failures} answers to ${paths[0]} were not 200`)
    requests = Math.max(connections * 10, Math.ceil(result.requestsPerSecond * roundSeconds))
    return result.requestsPerSecond
  }
}

function configFor(database: string, workers: number) {
  const { protocol, address, startBlock } = sampleContract
  return {
    database,
    server: { host: '127.0.0.1', port: 0, workers, explorer: false },
    // Nobody asks the endpoint: nothing is indexed.
    chains: [
      { chainId: sampleChainId, rpc: ['http://127.0.0.1:9'], contracts: [{ protocol, address, startBlock }] },
    ],
  }
}
