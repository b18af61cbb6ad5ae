import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Registry,
  type LabelValues,
} from 'prom-client'
import { secondsBehind } from '@attestry/core/model/chainState.ts'
import { currentTimeMs } from '@attestry/core/model/time.ts'
import type { RpcCount } from '@attestry/host/createRequestCounter.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { ChainOverview } from '@attestry/core/index/storedRecords.ts'
import { durationHistogram, type MetricSnapshot } from './durationHistogram.ts'
import type { RequestMeter } from './requestMeter.ts'

export interface MetricsOptions {
  readonly reader: PastReader
  readonly meter: RequestMeter
  /** The version of the program. */
  readonly version: string
  /** Bytes of the database on disk; null if unknown. */
  readonly databaseBytes: () => number | null
  /** Requests to the endpoints of chains since the start; empty if another process indexes. */
  readonly rpcCounts: () => readonly RpcCount[]
  /** Further figures of the whole service. */
  readonly figures?: () => Promise<readonly Figure[]>
  /** The metrics of other processes of the same service; `/metrics` adds them up. */
  readonly otherProcesses?: () => Promise<readonly ProcessSnapshot[]>
}

/** The metrics of one process at one time, in a form that can be sent to another process. */
export type ProcessSnapshot = readonly MetricSnapshot[]

/** A metric of the whole service with its present values. */
export interface Figure {
  readonly kind: 'counter' | 'gauge'
  /** Begins with `attestry_`; that of a counter ends with `_total`. */
  readonly name: string
  readonly help: string
  readonly samples: readonly Sample[]
}

/** The metrics of the service for Prometheus. */
export interface Metrics {
  readonly contentType: string
  /** The current metrics in the text format. Metrics of the index are left out while the index cannot be read. */
  text(): Promise<string>
}

export const metricsContentType = Registry.PROMETHEUS_CONTENT_TYPE

/** At most one instance in a serving process: metrics of the process itself come from its own observers. */
export function createMetrics(options: MetricsOptions): Metrics {
  const { reader, meter, otherProcesses } = options
  const own = createProcessRegistry(meter)
  const index = new Registry()
  addSourceFigures(index, options)
  const updateChains = addChainFigures(index)
  return {
    contentType: metricsContentType,
    text: async () => {
      const [chains, others] = await Promise.all([
        reader.listChains().catch(() => []),
        otherProcesses?.() ?? Promise.resolve([]),
      ])
      updateChains(chains)
      const processes =
        others.length === 0
          ? `${await own.metrics()}\n${await AggregatorRegistry.aggregate([[durationHistogram(meter)]]).metrics()}`
          : await AggregatorRegistry.aggregate([await takeSnapshot(own, meter), ...others]).metrics()
      const further = await formatFigures((await options.figures?.()) ?? [])
      return `${processes}\n${await index.metrics()}${further}`
    },
  }
}

/** The metrics of a process for the process that serves `/metrics`. At most one in a process. */
export function createProcessFigures(meter: RequestMeter): { snapshot(): Promise<ProcessSnapshot> } {
  const own = createProcessRegistry(meter)
  return { snapshot: () => takeSnapshot(own, meter) }
}

async function takeSnapshot(registry: Registry, meter: RequestMeter): Promise<ProcessSnapshot> {
  return [...(await registry.getMetricsAsJSON()), durationHistogram(meter)]
}

/**
 * Adds the counters of a process that has ended to `earlier` ones, so that sums over all processes never fall. Gauges
 * end with their process.
 */
export function retireSnapshots(earlier: ProcessSnapshot, last: ProcessSnapshot): Promise<ProcessSnapshot> {
  const counted = last.filter(({ type }) => countedTypes.has(String(type)))
  return AggregatorRegistry.aggregate([earlier, counted]).getMetricsAsJSON()
}

/** The library's names of metric types in snapshots. */
const countedTypes = new Set(['counter', 'histogram'])

function createProcessRegistry(meter: RequestMeter): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 })
  addRequestFigures(registry, meter)
  return registry
}

function addRequestFigures(registry: Registry, meter: RequestMeter): void {
  counter(registry, 'attestry_http_requests_total', 'Answered requests by route and status.', () =>
    meter
      .figures()
      .flatMap(({ route, statuses }) =>
        statuses.map(({ statusCode, count }) => ({ labels: { route, status: statusCode }, value: count })),
      ),
  )
  gauge(registry, 'attestry_http_requests_in_flight', 'Requests that are being worked on.', () => [
    { labels: {}, value: meter.inFlight },
  ])
  counter(registry, 'attestry_http_requests_shed_total', 'Requests refused under overload.', () => [
    { labels: {}, value: meter.shedCount },
  ])
  gauge(registry, 'attestry_event_streams', 'Open streams of events.', () => [
    { labels: {}, value: meter.openStreams },
  ])
  gauge(registry, 'attestry_waiting_requests', 'Requests that wait for a record.', () => [
    { labels: {}, value: meter.waiting },
  ])
}

function addSourceFigures(registry: Registry, { version, databaseBytes, rpcCounts }: MetricsOptions): void {
  gauge(registry, 'attestry_build_info', 'Always 1; the labels tell what runs.', () => [
    { labels: { version, node: process.versions.node }, value: 1 },
  ])
  gauge(registry, 'attestry_database_bytes', 'Size of the database on disk, with its log.', () => {
    const value = databaseBytes()
    return value === null ? [] : [{ labels: {}, value }]
  })
  counter(registry, 'attestry_rpc_requests_total', 'HTTP requests to endpoints of chains.', () => {
    const totals = Map.groupBy(rpcCounts(), ({ chainId, host }) => `${chainId} ${host}`)
    return [...totals.values()].map((counts) => ({
      labels: { chain_id: counts[0]?.chainId ?? 0, host: counts[0]?.host ?? '' },
      value: counts.reduce((sum, { count }) => sum + count, 0),
    }))
  })
  counter(
    registry,
    'attestry_rpc_errors_total',
    'Those of them that failed, by the code of docs/errors.md.',
    () =>
      rpcCounts().flatMap(({ chainId, host, errorCode, count }) =>
        errorCode === null ? [] : [{ labels: { chain_id: chainId, host, code: errorCode }, value: count }],
      ),
  )
}

/** Returns the function that updates the metrics of the chains, which has to wait for the store. */
function addChainFigures(registry: Registry): (chains: readonly ChainOverview[]) => void {
  let known: readonly ChainOverview[] = []
  const ofChains = (name: string, help: string, valueOf: (chain: ChainOverview) => number | null) =>
    gauge(registry, `attestry_chain_${name}`, help, () =>
      known.flatMap((chain) => {
        const value = valueOf(chain)
        const labels = { chain_id: chain.status.chainId, name: chain.status.name }
        return value === null ? [] : [{ labels, value }]
      }),
    )
  ofChains('head_block', 'The newest block that an endpoint reported.', ({ status }) => status.headBlock)
  ofChains('indexed_block', 'The newest block that is indexed.', ({ status }) => status.indexedBlock)
  ofChains('lag_seconds', 'For how long the chain may have gone on without the index.', ({ status }) =>
    secondsBehind(status, currentTimeMs()),
  )
  ofChains('reached_head', '1 once the head was reached since the indexer started.', ({ status }) =>
    Number(status.reachedHead),
  )
  ofChains('head_subscribed', "1 while an endpoint's subscription tells of new heads.", ({ status }) =>
    Number(status.headSource === 'subscription'),
  )
  ofChains('events_per_second', 'Events indexed a second of late.', ({ status }) => status.eventsPerSecond)
  ofChains('defective', '1 while records are known to be missing or wrong.', ({ defect }) =>
    Number(defect !== null),
  )
  gauge(
    registry,
    'attestry_chain_completeness',
    '1, labelled with how it is known that the index has all logs of the contract.',
    () =>
      known.flatMap(({ status: { chainId, name }, history }) =>
        history.map(({ protocol, address, completeness }) => ({
          labels: { chain_id: chainId, name, protocol, contract: address, completeness },
          value: 1,
        })),
      ),
  )
  ofChains('failing', '1 while the indexer has an error to tell of.', ({ status }) =>
    Number(status.lastError !== null),
  )
  ofChains(
    'fields_pending',
    'Attestations whose decoded fields are still to be indexed.',
    ({ fieldsPending }) => fieldsPending,
  )
  counter(
    registry,
    'attestry_chain_mended_blocks_total',
    'Final blocks that had lacked logs, or had had wrong ones, and were read again.',
    () =>
      known.map(({ status: { chainId, name, blocksMended } }) => ({
        labels: { chain_id: chainId, name },
        value: blocksMended,
      })),
  )
  gauge(registry, 'attestry_records', 'Records of the index by chain and kind.', () =>
    known.flatMap((chain) => {
      const { schemaCount, attestationCount, revocationCount, undecodableCount } = chain
      const counts = { schema: schemaCount, attestation: attestationCount, revocation: revocationCount }
      const { chainId } = chain.status
      return Object.entries({ ...counts, undecodable: undecodableCount }).map(([kind, value]) => ({
        labels: { chain_id: chainId, kind },
        value,
      }))
    }),
  )
  return (chains) => {
    known = chains
  }
}

/** The text of figures, with the line end before it. */
async function formatFigures(figures: readonly Figure[]): Promise<string> {
  if (figures.length === 0) return ''
  const registry = new Registry()
  for (const { kind, name, help, samples } of figures) {
    const add = kind === 'counter' ? counter : gauge
    const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)))
    // The library shows 0 for a metric without labels that has no sample.
    add(registry, name, help, () => samples, samples.length === 0 ? labelNames : [...labels])
  }
  return `\n${await registry.metrics()}`
}

interface Sample {
  readonly labels: LabelValues<string>
  readonly value: number
}

type AddMetric = (
  registry: Registry,
  name: string,
  help: string,
  samples: () => readonly Sample[],
  labels?: readonly string[],
) => void

const gauge = metricsOf(Gauge)
const counter = metricsOf(Counter)

function metricsOf(Metric: typeof Gauge | typeof Counter): AddMetric {
  return (registry, name, help, samples, labels = labelNames) => {
    new Metric({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
      collect() {
        this.reset()
        for (const { labels, value } of samples()) this.inc(labels, value)
      },
    })
  }
}

/** All labels of all metrics; the library needs the names beforehand, and leaves out labels without a value. */
const labelNames = [
  'route',
  'status',
  'chain_id',
  'name',
  'host',
  'code',
  'kind',
  'version',
  'node',
  'protocol',
  'contract',
  'completeness',
]
