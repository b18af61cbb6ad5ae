import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endpointRequestsDefault } from '@attestry/host/config/configSchema.ts'
import { anonymousMegabytes } from './anonymousMemory.ts'
import { backfillOnce, type StubReady } from './benchIngest.ts'
import { configFor, countAttestations } from './benchLatency.ts'
import { openBenchStore } from './benchStore.ts'
import { runtimeSettings, startReadyProcess, type ReadyProcess } from './childProcess.ts'
import { median } from './quantile.ts'
import { servingUrl } from './servingUrl.ts'

/** Milliseconds that the slow endpoint takes for each request, a batch being one. */
export const slowMs = 200

const limits = {
  none: { concurrencyPerEndpoint: 256 },
  default: {
    concurrencyPerEndpoint: endpointRequestsDefault.inFlight,
    callsPerSecond: endpointRequestsDefault.perSecond,
  },
}

/** A backfill from an endpoint of a latency within limits of requests. */
export interface WaitCase {
  readonly latencyMs: number
  readonly limit: keyof typeof limits
}

/** `none` at once is what the others are held against. */
export const waitCases: readonly WaitCase[] = [
  { latencyMs: 0, limit: 'none' },
  { latencyMs: slowMs, limit: 'none' },
  { latencyMs: 0, limit: 'default' },
  { latencyMs: slowMs, limit: 'default' },
]

/** The figures of a case: medians of all turns. */
export interface WaitFigures extends WaitCase {
  readonly eventsPerSecond: number
  /** The rate divided by that of the first case in the same turn: the least, the median and the highest. */
  readonly ratios: readonly [least: number, median: number, highest: number]
  readonly requests: number
  readonly calls: number
  /** The most events a second that so many requests in flight could bring if none was ever missing. */
  readonly allowedPerSecond: number
}

export interface WaitsFigures {
  readonly events: number
  readonly cases: readonly WaitFigures[]
  /** Of `attestry start` over the slow endpoint with the default limits. */
  readonly program: {
    readonly firstRecordMs: number
    readonly highestMegabytes: number
  }
}

interface Counts {
  readonly requests: number
  readonly calls: number
}

/**
 * Backfills a chain of EAS on which each event takes a contract call of its own (no Multicall3, batches allowed), from
 * an endpoint that answers at once and after `slowMs`, by turns.
 */
export async function benchWaits(
  attestations: number,
  turns: number,
  onProgress: (line: string) => void,
): Promise<WaitsFigures> {
  onProgress('waits: making all answers of the endpoint')
  const stub = await startReadyProcess<StubReady>(new URL('waitEndpoint.ts', import.meta.url), [
    String(attestations),
  ])
  try {
    const runs: (Counts & { readonly rate: number })[][] = []
    for (let turn = 1; turn <= turns; turn++) {
      const rates = []
      for (const each of waitCases) {
        rates.push(await runCase(stub, each))
        const { latencyMs, limit } = each
        onProgress(
          `waits: turn ${turn}, ${latencyMs} ms, limits: ${limit}: ${Math.round(rates.at(-1)?.rate ?? 0)} a second`,
        )
      }
      runs.push(rates)
    }
    const { events } = stub.ready
    return {
      events,
      cases: waitCases.map((each, index) => {
        const of = <Value>(read: (run: Counts & { readonly rate: number }, first: number) => Value) =>
          runs.flatMap((turn) => {
            const [run, first] = [turn[index], turn[0]]
            return run === undefined || first === undefined ? [] : [read(run, first.rate)]
          })
        const ratios = of(({ rate }, first) => rate / first)
        const requests = median(of((run) => run.requests))
        const perSecond = limits[each.limit].concurrencyPerEndpoint / (each.latencyMs / 1000)
        return {
          ...each,
          eventsPerSecond: median(of(({ rate }) => rate)),
          ratios: [Math.min(...ratios), median(ratios), Math.max(...ratios)],
          requests,
          calls: median(of((run) => run.calls)),
          allowedPerSecond: (events / requests) * perSecond,
        }
      }),
      program: await startProgram(stub.ready),
    }
  } finally {
    await stub.stop()
  }
}

async function runCase(stub: ReadyProcess<StubReady>, { latencyMs, limit }: WaitCase) {
  const store = await openBenchStore('sqlite')
  try {
    const countsOf = async () => (await stub.ask('counts')) as Counts
    const before = await countsOf()
    const { eventsPerSecond } = await backfillOnce(slowed(stub.ready, latencyMs), store.writer, limits[limit])
    const after = await countsOf()
    return {
      rate: eventsPerSecond,
      requests: after.requests - before.requests,
      calls: after.calls - before.calls,
    }
  } finally {
    await store.remove()
  }
}

/** From the start of the program to the first attestation that it answers, and its highest memory until the head. */
async function startProgram(stub: StubReady): Promise<WaitsFigures['program']> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-bench-'))
  const configPath = join(folder, 'attestry.yaml')
  const config = configFor(slowed(stub, slowMs), join(folder, 'index.db'))
  // The explorer is built at the first start of a working copy.
  const server = { ...config.server, explorer: false }
  writeFileSync(configPath, JSON.stringify({ ...config, server }))
  const startMs = performance.now()
  const program = await startReadyProcess<string>(
    new URL('../packages/attestry/src/attestry.js', import.meta.url),
    ['start', '--config', configPath],
    servingUrl,
    runtimeSettings,
  )
  try {
    while ((await countAttestations(program.ready)) === 0) await delay(20)
    const firstRecordMs = performance.now() - startMs
    let highestMegabytes = 0
    while ((await fetch(`${program.ready}/readyz`)).status !== 200) {
      highestMegabytes = Math.max(highestMegabytes, anonymousMegabytes(program.pid))
      await delay(100)
    }
    return { firstRecordMs, highestMegabytes }
  } finally {
    await program.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function slowed(stub: StubReady, latencyMs: number): StubReady {
  return { ...stub, url: `${stub.url}/${latencyMs}` }
}
