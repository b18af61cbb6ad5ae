import { cpus, loadavg } from 'node:os'
import { formatTable } from '../formatTable.ts'
import { percent, whole } from '../formatValues.ts'
import { peersTitle } from '../keepSection.ts'
import type { ContenderFigures, Outcome, Rate } from './benchPeers.ts'
import { questions } from './contenders.ts'

interface Measured {
  readonly name: string
  readonly outcome: Outcome
}

/** The contender whose figures are the unit of the ratios: it has the database of the peers. */
const unit = 'Attestry, PostgreSQL'

/** The figures as a section of `bench/figures.md`. */
export function formatPeers(
  figures: readonly ContenderFigures[],
  attestations: number,
  command: string,
): string {
  const measured = figures.flatMap(({ name, version, outcome }) =>
    typeof outcome === 'string' ? [] : [{ name: version === null ? name : `${name} (${version})`, outcome }],
  )
  const failed = figures.flatMap(({ name, version, outcome }) =>
    typeof outcome === 'string' ? [`- ${name} ${version ?? ''} could not be measured: ${outcome}`] : [],
  )
  const own = measured.find(({ name }) => name === unit)?.outcome ?? null
  const parts = [
    peersTitle,
    introduction(attestations, command),
    ...(measured.length === 0 ? [] : [formatIndexing(measured, own)]),
    ...(measured.some(({ outcome }) => outcome.rates.length > 0) ? [formatRates(measured)] : []),
    [...failed, ...setUps].join('\n'),
  ]
  return parts.join('\n\n')
}

function introduction(attestations: number, command: string): string {
  const load = (loadavg()[1] ?? 0).toFixed(0)
  const processors = cpus()
  return `Made by \`${command}\` on ${new Date().toISOString().slice(0, 10)}, all in one run, on ${processors.length} processors
(${processors[0]?.model ?? 'unknown'}) at a load average of ${load}. If the load is far above the number of processors, other programs took part, and times
(CPU times less so) are longer. A simulated chain of EAS with ${whole(attestations)} attestations, ten in a block, is indexed over
JSON-RPC, with one \`getAttestation\` for each, and the revocations. Indexer, endpoint, database and load share the
processors.`
}

function formatIndexing(measured: readonly Measured[], own: Outcome | null): string {
  const row = (label: string, cell: (outcome: Outcome) => string) => [
    label,
    ...measured.map(({ outcome }) => cell(outcome)),
  ]
  const ratio = (label: string, value: (outcome: Outcome) => number) =>
    own === null ? [] : [row(label, (outcome) => (value(own) / value(outcome)).toPrecision(2))]
  const events = ({ eventsPerSecond, backfillSeconds }: Outcome) => eventsPerSecond * backfillSeconds
  const cpuOf = ({ cpuSeconds, databaseCpuSeconds }: Outcome) => cpuSeconds + databaseCpuSeconds
  const perEvent = (outcome: Outcome, seconds: number) => `${whole((seconds * 1e6) / events(outcome))} µs`
  return formatTable([
    ['', ...measured.map(({ name }) => name)],
    row(
      'Backfill, from the start of the program',
      ({ backfillSeconds }) => `${backfillSeconds.toFixed(1)} s`,
    ),
    row('Events a second', ({ eventsPerSecond }) => whole(eventsPerSecond)),
    ...ratio(`Rate of ${unit}, divided by this rate`, ({ eventsPerSecond }) => eventsPerSecond),
    row('CPU time an event: program', (outcome) => perEvent(outcome, outcome.cpuSeconds)),
    row('CPU time an event: PostgreSQL', (outcome) => perEvent(outcome, outcome.databaseCpuSeconds)),
    ...ratio(`CPU time of ${unit}, divided by this`, cpuOf),
    row('Highest anonymous memory of the program', ({ megabytes }) => `${whole(megabytes)} MB`),
    row('From a block to its record, p50', ({ visibleMs }) => `${whole(visibleMs)} ms`),
    row('Attestations answered before `kill -9`', ({ crash }) => percent(crash.shareBefore)),
    row('From the next start until all are there', ({ crash }) => `${crash.seconds.toFixed(1)} s`),
  ])
}

/** A row for each question, a column for each interface: requests a second, and CPU time for each. */
function formatRates(measured: readonly Measured[]): string {
  const columns = measured.flatMap(({ name, outcome }) =>
    [...new Set(outcome.rates.map(({ interfaceName }) => interfaceName))].map((interfaceName) => ({
      title: `${name}: ${interfaceName}`,
      rates: outcome.rates.filter((rate) => rate.interfaceName === interfaceName),
    })),
  )
  const cell = ({ requestsPerSecond, cpuMs }: Rate) => `${whole(requestsPerSecond)} (${cpuMs.toFixed(2)} ms)`
  return `Requests a second, and in brackets the CPU time of program and database for each:

${formatTable([
  ['Question', ...columns.map(({ title }) => title)],
  ...questions.map((question) => [
    question,
    ...columns.map(({ rates }) =>
      rates
        .filter((rate) => rate.question === question)
        .map(cell)
        .join(),
    ),
  ]),
])}`
}

/** The set-up behind the figures. The programs of the peers are in `bench/peers/programs`. */
const setUps = [
  `- All: durable commits, one server process, a new block asked for every 100 ms, PostgreSQL with the settings of
  [grow.md](../docs/grow.md). A run is complete when all attestations and revocations are answered. Attestry also indexes schemas
  and the fields of payloads, and keeps answers: the newest ten are the same until the next block.`,
  `- Ponder: \`ponder start\`, reads with \`cache: 'immutable'\`, indexes for both sorted lists. The endpoint is named fifty
  times, since Ponder begins with 20 requests a second for each. npm lacked a package that 0.17.7 needs, and 1.0.0
  depends on the packages of 0.9.28.`,
  `- Envio: \`envio start\` over RPC, reads by the Effect API with preloading, Multicall3 and batches of JSON-RPC. Its API
  needs Docker: no requests are measured (\`ENVIO_HASURA=false\`), and "answered" means present in its tables.`,
]
