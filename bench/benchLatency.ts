import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { formatCompositeId, localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { createRandom } from '@attestry/test/simulator/random.ts'
import type { StubReady } from './benchIngest.ts'
import { runtimeSettings, startReadyProcess, type ReadyProcess } from './childProcess.ts'
import { servingUrl } from './servingUrl.ts'
import { sendSteadily, type SteadyResult } from './sendSteadily.ts'

export interface LatencyOptions {
  /** Size of the backfill. */
  readonly attestations: number
  readonly requestsPerSecond: number
  /** Duration of each measurement of the idle API, before and after the backfill; the first only warms up. */
  readonly restSeconds: number
  readonly onProgress: (line: string) => void
}

export interface LatencyFigures {
  readonly requestsPerSecond: number
  readonly backfilling: SteadyResult
  /** Attestations per second of the backfill during the load. */
  readonly attestationsPerSecond: number
  readonly atRest: SteadyResult
  /** p99 during the backfill, divided by p99 at rest. */
  readonly p99Ratio: number
}

/** `together`: `attestry start`; `apart`: `attestry index` and `attestry serve`, a process each. */
export type LatencyProcesses = 'together' | 'apart'

/** Records that must be indexed before the first request; all requests are for these. */
const knownAttestations = 10_000

/**
 * Sends requests to the API at a constant rate while the program backfills at full speed, and again while it follows an
 * unchanging head.
 */
export async function benchLatency(
  options: LatencyOptions,
  processes: LatencyProcesses,
): Promise<LatencyFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-bench-'))
  options.onProgress(`latency, ${processes}: simulating a chain with ${options.attestations} attestations`)
  const stub = await startReadyProcess<StubReady>(new URL('stubServer.ts', import.meta.url), [
    String(options.attestations),
  ])
  const running: ReadyProcess<unknown>[] = []
  try {
    // The endpoint represents another machine, and runs at low priority so as not to compete with the service.
    setPriority(stub.pid, constants.priority.PRIORITY_BELOW_NORMAL)
    const configPath = join(folder, 'attestry.yaml')
    writeFileSync(configPath, JSON.stringify(configFor(stub.ready, join(folder, 'index.db'))))
    const start = async <Ready>(command: string, readReady: (line: unknown) => Ready | null) => {
      const program = new URL('../packages/attestry/src/attestry.js', import.meta.url)
      const args = [command, '--config', configPath]
      const started = await startReadyProcess(program, args, readReady, runtimeSettings)
      running.push(started)
      return started.ready
    }
    if (processes === 'apart') await start('index', (line) => line)
    const url = await start(processes === 'apart' ? 'serve' : 'start', servingUrl)
    return await measure(url, stub.ready, options)
  } finally {
    for (const each of running.reverse()) await each.stop()
    await stub.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(url: string, stub: StubReady, options: LatencyOptions): Promise<LatencyFigures> {
  const { requestsPerSecond, restSeconds, onProgress } = options
  const port = Number(new URL(url).port)
  while ((await countAttestations(url)) < knownAttestations) await delay(20)
  const path = createMix(stub.chainId)
  // Warms the API up during the backfill, so that both phases measure compiled code.
  await sendSteadily({ port, path, requestsPerSecond, goOn: forSeconds(1) })

  onProgress('latency: during the backfill')
  const before = await countAttestations(url)
  const startMs = performance.now()
  const watch = watchReadiness(url)
  const backfilling = await sendSteadily({ port, path, requestsPerSecond, goOn: () => !watch.ready() })
  const backfillSeconds = (performance.now() - startMs) / 1000

  onProgress('latency: at rest')
  await sendSteadily({ port, path, requestsPerSecond, goOn: forSeconds(restSeconds / 3) })
  const atRest = await sendSteadily({ port, path, requestsPerSecond, goOn: forSeconds(restSeconds) })
  return {
    requestsPerSecond,
    backfilling,
    attestationsPerSecond: (stub.attestations - before) / backfillSeconds,
    atRest,
    p99Ratio: backfilling.p99Ms / atRest.p99Ms,
  }
}

/** Half of the requests are single records, a third pages of ten, the rest lists of the front page; few repeat. */
function createMix(chainId: number): (index: number) => string {
  const random = createRandom(11)
  const idBelow = (max: number) =>
    formatCompositeId({ chainId, localId: localIdOfCounter(BigInt(random.integer(1, max))) })
  const lists = ['/scan/latest-attestations', '/scan/top-schemas', '/scan/trending-schemas']
  return () => {
    const kind = random.next()
    if (kind < 0.5) return `/scan/attestations/${idBelow(knownAttestations)}`
    if (kind < 0.65)
      return `/scan/attestations?fields=detail&page=${random.integer(1, knownAttestations / 10)}`
    if (kind < 0.85) return `/scan/attestations?schemaId=${idBelow(10)}&page=${random.integer(1, 50)}`
    return random.pick(lists)
  }
}

export async function countAttestations(url: string): Promise<number> {
  const response = await fetch(`${url}/scan/attestations?size=1`)
  // The shape is that of a page (docs/api.md, "Paging").
  const { data } = (await response.json()) as { data: { total: number } }
  return data.total
}

/** Polls whether the backfill is complete: `/readyz` then answers 200. */
function watchReadiness(url: string): { ready(): boolean } {
  let ready = false
  const look = async () => {
    while (!ready) {
      ready = (await fetch(`${url}/readyz`)).status === 200
      await delay(50)
    }
  }
  void look()
  return { ready: () => ready }
}

function forSeconds(seconds: number): () => boolean {
  const endMs = performance.now() + seconds * 1000
  return () => performance.now() < endMs
}

/** The configuration of a program that indexes the chain of an endpoint into a database. */
export function configFor(stub: StubReady, databasePath: string) {
  return {
    database: `sqlite:${databasePath}`,
    server: { host: '127.0.0.1', port: 0, workers: 1 },
    chains: [
      {
        chainId: stub.chainId,
        rpc: [stub.url],
        contracts: [
          {
            protocol: stub.schemaRegistry === undefined ? 'sign' : 'eas',
            address: stub.contract,
            schemaRegistry: stub.schemaRegistry,
            startBlock: 0,
          },
        ],
      },
    ],
  }
}
