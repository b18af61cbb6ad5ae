import { cpus, totalmem } from 'node:os'
import type { FieldFigures } from './benchFields.ts'
import type { IngestFigures } from './benchIngest.ts'
import { restSeconds, type MemoryFigures } from './benchMemory.ts'
import type { LatencyFigures, LatencyProcesses } from './benchLatency.ts'
import type { CaseFigures, ServingFigures } from './benchServing.ts'
import { formatTable } from './formatTable.ts'
import { judged, percent, verdict, whole } from './formatValues.ts'
import type { SampleOptions } from './sampleIndex.ts'

/** The figures of a run; null for omitted parts. */
export interface BenchFigures {
  readonly sample: SampleOptions
  readonly serving: ServingFigures | null
  readonly ingest: {
    readonly dense: IngestFigures
    readonly sparse: IngestFigures
    /** The dense chain, indexed into PostgreSQL. */
    readonly postgres: IngestFigures
    readonly fields: FieldFigures
    /** Of the whole program; null if the system does not report it. */
    readonly memory: MemoryFigures | null
  } | null
  readonly latency: Readonly<Record<LatencyProcesses, LatencyFigures>> | null
}

const ingestTarget = 10_000
const eventsPerRequestTarget = 20
/** Of the rate of a writer without the index of fields. */
const fieldsTarget = 0.75
const latencyTarget = 3
const memoryTargetMegabytes = 400

/** The figures of a run as Markdown, for the terminal and `bench/figures.md`. */
export function formatReport({ sample, serving, ingest, latency }: BenchFigures, command: string): string {
  const sections = [
    `# Performance

Made by \`${command}\` on ${new Date().toISOString().slice(0, 10)}. Sections that name another command are of
another run.

- Machine: ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB of memory, ${process.platform} ${process.arch}
- Node.js ${process.versions.node}, SQLite ${process.versions['sqlite'] ?? 'of its own'}
- Load generator, servers and simulated endpoints share these processors.`,
  ]
  if (serving !== null) sections.push(servingSection(serving, sample))
  if (ingest !== null) sections.push(ingestSection(ingest))
  if (latency !== null) sections.push(latencySection(latency))
  return `${sections.join('\n\n')}\n`
}

function servingSection({ cases }: ServingFigures, sample: SampleOptions): string {
  return `## Serving

An index of ${whole(sample.attestations)} attestations and ${whole(sample.schemas)} schemas: two of five attestations under one schema, three of ten by one
attester. Each request asks for another record, and no answer is kept, unless the row says *kept*. EAS-compatible rows
ask an index of as many attestations of EAS.

The ratio is the rate divided by that of the limit server: \`node:http\`, the statements that read the rows, and the
prepared bodies; of kept answers without the statements. The row with a rate limit is divided by the same server without
a limit. Each turn asks both; the median of the ratios within a turn counts.

${formatTable([['Request', 'Requests/s', 'Ratio', 'Target', 'CPU a request', 'p99'], ...cases.map(caseRow)])}`
}

function caseRow(figures: CaseFigures): string[] {
  const { name, kind, api, rateRatio, target } = figures
  return [
    `${name}${kind === 'kept' ? ' (kept)' : ''}`,
    whole(api.requestsPerSecond),
    judged(rateRatio.toFixed(2), target === null || rateRatio >= target),
    target === null ? '' : `≥ ${target}`,
    `${api.cpuMicroseconds.toFixed(1)} µs`,
    `${api.p99Ms.toFixed(1)} ms`,
  ]
}

function fieldsSection({ all, none }: FieldFigures): string {
  const ratio = all.eventsPerSecond / none.eventsPerSecond
  return (
    `The writer by itself, with all fields indexed: ${whole(all.eventsPerSecond)} events a second, ${ratio.toFixed(2)} of the rate without them (target ≥ ${fieldsTarget}:\n` +
    `${verdict(ratio >= fieldsTarget)}), and ${whole(all.bytesPerEvent)} bytes an event instead of ${whole(none.bytesPerEvent)}.`
  )
}

function ingestSection({
  dense,
  sparse,
  postgres,
  fields,
  memory,
}: NonNullable<BenchFigures['ingest']>): string {
  const ratio = postgres.attestationsPerSecond / dense.attestationsPerSecond
  const eventsPerRequest = dense.events / dense.requests
  return `## Ingest

Backfills of Sign Protocol from a simulated endpoint in another process, over JSON-RPC, with one contract call for each
record, to durable rows. One thread fetches and decodes while another writes, so that their shares overlap. CPU time is
that of the whole process. Dense: ${whole(dense.events)} events, ${whole(dense.attestations)} of them attestations, in ${whole(dense.blocks)} blocks. Sparse: ${whole(sparse.events)} blocks
of one event each among ${whole(sparse.blocks)}, and an endpoint that takes 5 ms for each request.

${formatTable([
  ['', 'Dense', 'Sparse', 'Target'],
  [
    'Attestations a second',
    whole(dense.attestationsPerSecond),
    whole(sparse.attestationsPerSecond),
    judged(
      `≥ ${whole(ingestTarget)}`,
      dense.attestationsPerSecond >= ingestTarget && sparse.attestationsPerSecond >= ingestTarget,
    ),
  ],
  ['Events a second', whole(dense.eventsPerSecond), whole(sparse.eventsPerSecond), ''],
  [
    'Events for each HTTP request, record reads included',
    eventsPerRequest.toFixed(0),
    (sparse.events / sparse.requests).toFixed(0),
    judged(`≥ ${eventsPerRequestTarget} where dense`, eventsPerRequest >= eventsPerRequestTarget),
  ],
  shareRow('CPU time of the indexer', dense, sparse, cpuTime),
  shareRow('Share of the time: a commit is under way', dense, sparse, ({ storeShare }) =>
    percent(storeShare),
  ),
  shareRow('Share of the fetching thread: decoding', dense, sparse, ({ decodeShare }) =>
    percent(decodeShare),
  ),
  shareRow('JSON-RPC: requests, their JSON, checks; handing over', dense, sparse, ({ rpcShare }) =>
    percent(rpcShare),
  ),
  shareRow('waiting for the endpoint or for the store', dense, sparse, ({ waitingShare }) =>
    percent(waitingShare),
  ),
])}

The dense chain into PostgreSQL on the same machine, every commit durable: ${whole(postgres.attestationsPerSecond)} attestations a second, ${ratio.toFixed(2)} of the rate
into SQLite (target ≥ 1: ${verdict(ratio >= 1)}). The indexer takes ${cpuTime(postgres)} of CPU time, without the server's.

${fieldsSection(fields)}${memory === null ? '' : `\n\n${memorySection(memory)}`}`
}

function memorySection(memory: MemoryFigures): string {
  const { events, blocks, highestMegabytes, afterMegabytes } = memory
  return `Anonymous memory (\`/proc/PID/smaps_rollup\`) of all processes of \`attestry start\` with its default workers. The endpoint
allows any range of blocks; ${whole(events)} events in ${whole(blocks)} blocks, at ${whole(memory.eventsPerSecond)} events a second, start included:

${formatTable([
  ['', 'Anonymous memory', 'Target'],
  [
    'highest during the backfill',
    judged(`${whole(highestMegabytes)} MB`, highestMegabytes < memoryTargetMegabytes),
    `< ${memoryTargetMegabytes} MB`,
  ],
  [`${restSeconds} s after it`, `${whole(afterMegabytes)} MB`, ''],
])}`
}

function shareRow(
  name: string,
  dense: IngestFigures,
  sparse: IngestFigures,
  format: (figures: IngestFigures) => string,
): string[] {
  return [name, format(dense), format(sparse), '']
}

function cpuTime({ cpuSeconds, attestations }: IngestFigures): string {
  return `${((cpuSeconds / attestations) * 1e6).toFixed(0)} µs an attestation`
}

function latencySection({ together, apart }: Readonly<Record<LatencyProcesses, LatencyFigures>>): string {
  return `## Latency during a backfill

The API gets ${together.requestsPerSecond} requests a second for single records, pages and lists, hardly any of them twice, during a backfill and
then at rest. One process is \`attestry start\`; two are \`attestry index\` beside \`attestry serve\`.

${formatTable([
  ['', 'Requests', 'p50', 'p99', 'Longest', 'Attestations/s'],
  ...latencyRows('one process', together),
  ...latencyRows('two processes', apart),
])}

p99 during the backfill, of that at rest: ${together.p99Ratio.toFixed(1)} (target ≤ ${latencyTarget}: ${verdict(together.p99Ratio <= latencyTarget)}), and ${apart.p99Ratio.toFixed(1)} with two processes.`
}

function latencyRows(name: string, figures: LatencyFigures): string[][] {
  const row = (when: string, { requests, p50Ms, p99Ms, maxMs }: LatencyFigures['atRest'], rate: string) => [
    `${name}, ${when}`,
    whole(requests),
    `${p50Ms.toFixed(2)} ms`,
    `${p99Ms.toFixed(2)} ms`,
    `${maxMs.toFixed(1)} ms`,
    rate,
  ]
  return [
    row('during the backfill', figures.backfilling, whole(figures.attestationsPerSecond)),
    row('at rest', figures.atRest, ''),
  ]
}
