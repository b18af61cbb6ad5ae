import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startReadyProcess, type ReadyProcess } from '../childProcess.ts'
import { createLoadRounds, type RoundOptions } from '../loadRounds.ts'
import { median } from '../quantile.ts'
import { servingUrl } from '../servingUrl.ts'
import type { ScaleCase } from './scaleCases.ts'
import { sampleChainId, sampleContract } from '../sampleIndex.ts'

/** Requests a second of the program itself with one worker and with two, medians over the rounds. */
export interface WorkerFigures {
  /** The requested paths. */
  readonly name: string
  readonly onePerSecond: number
  readonly twoPerSecond: number
  /** The ratio within each round. */
  readonly ratio: number
}

export interface WorkerOptions extends Omit<RoundOptions, 'port'>, ScaleCase {
  readonly rounds: number
}

/** Serves an index by `attestry serve` with one and with two workers, and sends both the same requests, alternating. */
export async function measureWorkers(
  url: string,
  { name, ...options }: WorkerOptions,
): Promise<WorkerFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-workers-'))
  const servers: ReadyProcess<string>[] = []
  const serve = async (workers: number) => {
    const configPath = join(folder, `${workers}.yaml`)
    writeFileSync(configPath, JSON.stringify(configFor(url, workers)))
    const program = new URL('../serviceProcess.ts', import.meta.url)
    const server = await startReadyProcess(program, ['serve', '--config', configPath], servingUrl)
    servers.push(server)
    return await createLoadRounds({ ...options, port: Number(new URL(server.ready).port) })
  }
  try {
    const askOne = await serve(1)
    const askTwo = await serve(2)
    const pairs: { one: number; two: number }[] = []
    for (let index = 0; index < options.rounds; index++) {
      pairs.push({ one: (await askOne()).requestsPerSecond, two: (await askTwo()).requestsPerSecond })
    }
    return {
      name,
      onePerSecond: median(pairs.map(({ one }) => one)),
      twoPerSecond: median(pairs.map(({ two }) => two)),
      ratio: median(pairs.map(({ one, two }) => two / one)),
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
}

function configFor(database: string, workers: number) {
  const { protocol, address, startBlock } = sampleContract
  return {
    database,
    server: { host: '127.0.0.1', port: 0, workers, explorer: false },
    // The endpoint is never called, since `serve` does not index.
    chains: [
      { chainId: sampleChainId, rpc: ['http://127.0.0.1:9'], contracts: [{ protocol, address, startBlock }] },
    ],
  }
}
