import { startReadyProcess, type ReadyProcess } from '../childProcess.ts'
import type { LoadResult } from '../loadGenerator.ts'
import { createLoadRounds, loadAnswered } from '../loadRounds.ts'
import { median } from '../quantile.ts'
import { fillScale, scaleSample, type ScaleFill } from './fillScale.ts'
import {
  createListingEnds,
  createScaleCases,
  createWorkersCase,
  totalPaths,
  type ScaleSize,
} from './scaleCases.ts'
import { measureWorkers, type WorkerFigures } from './measureWorkers.ts'
import type { ScaleDatabase, ScaleStore, StoreKind } from './scaleStores.ts'

export interface ScaleOptions {
  readonly largeAttestations: number
  readonly smallAttestations: number
  /** Rounds per case, alternating with the other database. */
  readonly rounds: number
  /** Approximate duration of a round. */
  readonly roundSeconds: number
  /** Only cases and listings whose name contains this. */
  readonly only: string
  readonly onProgress: (line: string) => void
}

export interface ScaleFigures {
  readonly kind: StoreKind
  readonly fill: ScaleFill
  readonly cases: readonly ScaleCaseFigures[]
  readonly ends: readonly ListingEndsFigures[]
  readonly workers: WorkerFigures
  /** Anonymous memory of the process that serves the large index, after all requests. */
  readonly ownBytes: number
}

/** Medians over the rounds; ratios are taken within each round before. */
export interface ScaleCaseFigures {
  readonly name: string
  readonly largePerSecond: number
  readonly smallPerSecond: number
  /** Requests a second of the large index, of those of the small one. */
  readonly rateRatio: number
  readonly largeP99Ms: number
  /** As of the case. */
  readonly rateTarget: number | null | undefined
}

/** Median latencies of one request at a time, on the large index. */
export interface ListingEndsFigures {
  readonly name: string
  readonly firstMs: number
  readonly lastMs: number
  readonly ratioTarget: number | undefined
}

/** Concurrent requests, one per connection. */
const connections = 50
/** Warm-up requests, for JIT compilation and caches. */
const warmUpRequests = 5_000
const endsRounds = 5
const endsRequests = 400

type Server = ReadyProcess<{ readonly port: number }>

/** Fills a large and a small index in a store, and sends both the same kinds of requests, alternating. */
export async function benchScale(store: ScaleStore, options: ScaleOptions): Promise<ScaleFigures> {
  const { onProgress } = options
  const large = await store.prepare(options.largeAttestations)
  const small = await store.prepare(options.smallAttestations)
  onProgress(`${store.kind}: filling`)
  const fill = await fillScale(large, small, onProgress)
  const largeServer = await serve(large)
  const smallServer = await serve(small)
  try {
    const largeSize = await readSize(large, largeServer)
    const largeCases = createScaleCases(largeSize)
    const smallCases = createScaleCases(await readSize(small, smallServer))
    const cases: ScaleCaseFigures[] = []
    for (const [index, { name, paths, rateTarget }] of largeCases.entries()) {
      if (!name.includes(options.only)) continue
      onProgress(`${store.kind}: ${name}`)
      const largeRound = await createRound(largeServer, paths, options)
      const smallRound = await createRound(smallServer, smallCases[index]?.paths ?? [], options)
      const pairs: { large: LoadResult; small: LoadResult }[] = []
      for (let round = 0; round < options.rounds; round++) {
        pairs.push({ large: await largeRound(), small: await smallRound() })
      }
      cases.push({
        name,
        largePerSecond: median(pairs.map((pair) => pair.large.requestsPerSecond)),
        smallPerSecond: median(pairs.map((pair) => pair.small.requestsPerSecond)),
        rateRatio: median(pairs.map((pair) => pair.large.requestsPerSecond / pair.small.requestsPerSecond)),
        largeP99Ms: median(pairs.map((pair) => pair.large.p99Ms)),
        rateTarget,
      })
    }
    const ends: ListingEndsFigures[] = []
    for (const { name, first, last, ratioTarget } of createListingEnds(largeSize)) {
      const firstMs: number[] = []
      const lastMs: number[] = []
      await measureLatency(largeServer, [first, last])
      for (let round = 0; round < endsRounds; round++) {
        firstMs.push(await measureLatency(largeServer, [first]))
        lastMs.push(await measureLatency(largeServer, [last]))
      }
      ends.push({ name, firstMs: median(firstMs), lastMs: median(lastMs), ratioTarget })
    }
    const ownBytes = Number(await largeServer.ask('ownBytes'))
    onProgress(`${store.kind}: several processes`)
    const workers = await measureWorkers(large.url, {
      ...createWorkersCase(largeSize),
      connections,
      warmUpRequests,
      rounds: options.rounds,
      roundSeconds: options.roundSeconds,
    })
    return { kind: store.kind, fill, cases, ends, workers, ownBytes }
  } finally {
    await Promise.all([largeServer.stop(), smallServer.stop()])
  }
}

/** The answer cache is off: the benchmark measures the store. */
function serve({ url }: ScaleDatabase): Promise<Server> {
  return startReadyProcess(new URL('../apiServer.ts', import.meta.url), [url, '0'])
}

async function readSize({ attestations }: ScaleDatabase, server: Server): Promise<ScaleSize> {
  const sample = scaleSample(attestations)
  const { largestSchema, busiestAttester, frequentValue } = totalPaths(sample)
  return {
    attestations,
    schemas: sample.eventCount - attestations,
    sample,
    ofLargestSchema: await readTotal(server, largestSchema),
    ofBusiestAttester: await readTotal(server, busiestAttester),
    ofFrequentValue: await readTotal(server, frequentValue),
  }
}

async function readTotal(server: Server, path: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${server.ready.port}${path}`)
  const { data } = (await response.json()) as { readonly data: { readonly total: number } }
  return data.total
}

function createRound(
  server: Server,
  paths: readonly string[],
  { roundSeconds }: ScaleOptions,
): Promise<() => Promise<LoadResult>> {
  const { port } = server.ready
  return createLoadRounds({ port, paths, connections, warmUpRequests, roundSeconds })
}

/** The median latency of sequential requests. */
async function measureLatency(server: Server, paths: readonly string[]): Promise<number> {
  const { port } = server.ready
  return (await loadAnswered({ port, paths, connections: 1, requests: endsRequests })).p50Ms
}
