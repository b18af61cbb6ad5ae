import { formatTable } from '../formatTable.ts'
import { judged, whole } from '../formatValues.ts'
import { scaleTitle } from '../keepSection.ts'
import type { ScaleFigures } from './benchScale.ts'
import type { ScaleFill } from './fillScale.ts'
import type { StoreKind, WriteCost } from './scaleStores.ts'

const rateTargetMost = 0.8
const lastPageTarget = 1.5
const writeTarget = 1.3
const workersTarget = 1.6
const p99TargetMs = 25
const memoryTargetMb = 300

const storeNames: Readonly<Record<StoreKind, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

export interface ScaleReport {
  readonly stores: readonly ScaleFigures[]
  readonly largeAttestations: number
  readonly smallAttestations: number
  readonly command: string
}

/** The section of `docs/performance.md` about scale. */
export function formatScale(report: ScaleReport): string {
  const { stores, largeAttestations, smallAttestations, command } = report
  const sections = stores.map((figures) => formatStore(figures, report))
  return `${scaleTitle}

Made by \`${command}\` on ${new Date().toISOString().slice(0, 10)}, each store in one run: an index of ${whole(largeAttestations)} attestations against one of
${whole(smallAttestations)}, with a schema for every 200 and an account for every 10 attestations, both written through the write contract. 50
connections ask both in turns, evenly over all records; ratios are taken within each turn, and the median counts. No answer is
kept, and database, server and load share the processors.

${sections.join('\n\n')}`
}

function formatStore(figures: ScaleFigures, report: ScaleReport): string {
  const { kind, fill, cases, ends, workers, ownBytes } = figures
  // On two processors, the PostgreSQL server and the load leave no time for a second worker.
  const hasLimits = kind === 'sqlite'
  const megabytes = ownBytes / 1e6
  return `### ${storeNames[kind]}

${formatTable([
  ['', whole(report.smallAttestations), whole(report.largeAttestations), 'Ratio', 'Target'],
  [
    'Durable rows a second while it was filled',
    whole(fill.small.bulk.eventsPerSecond),
    whole(fill.large.bulk.eventsPerSecond),
    '',
    '',
  ],
  costRow('An event at that size, as a backfill writes it', fill, ({ backfillSeconds }) => backfillSeconds),
  costRow('An event at that size, at the head, 10 a commit', fill, ({ headSeconds }) => headSeconds),
  [
    'Size of the database',
    `${whole(fill.small.bytes / 1e6)} MB`,
    `${whole(fill.large.bytes / 1e6)} MB`,
    '',
    '',
  ],
  [
    'Memory of the serving process, without mapped files',
    '',
    judged(`${whole(megabytes)} MB`, megabytes <= memoryTargetMb),
    '',
    `≤ ${memoryTargetMb} MB`,
  ],
])}

${formatTable([
  [
    'Requests a second',
    whole(report.smallAttestations),
    whole(report.largeAttestations),
    `Ratio (≥ ${rateTargetMost})`,
    hasLimits ? `p99 (≤ ${p99TargetMs} ms)` : 'p99',
  ],
  ...cases.map(
    ({ name, smallPerSecond, largePerSecond, rateRatio, largeP99Ms, rateTarget = rateTargetMost }) => [
      name,
      whole(smallPerSecond),
      whole(largePerSecond),
      withTarget(rateRatio, rateTarget, rateTargetMost),
      judged(`${largeP99Ms.toFixed(1)} ms`, !hasLimits || largeP99Ms <= p99TargetMs),
    ],
  ),
])}

${formatTable([
  ['Listing, one request at a time', 'First page', 'Last page', `Ratio (≤ ${lastPageTarget})`],
  ...ends.map(({ name, firstMs, lastMs, ratioTarget = lastPageTarget }) => [
    name,
    `${firstMs.toFixed(2)} ms`,
    `${lastMs.toFixed(2)} ms`,
    `${judged((lastMs / firstMs).toFixed(2), lastMs / firstMs <= ratioTarget)}${ratioTarget === lastPageTarget ? '' : ` (≤ ${ratioTarget})`}`,
  ]),
])}

The program itself, ${workers.name}: ${whole(workers.onePerSecond)} requests a second with one worker, ${whole(workers.twoPerSecond)} with two; ratio ${judged(workers.ratio.toFixed(2), !hasLimits || workers.ratio >= workersTarget)}${hasLimits ? ` (≥ ${workersTarget})` : ''}.`
}

/** The ratio of two rates; with its target, unless that is the usual one. */
function withTarget(ratio: number, target: number | null, usual: number): string {
  if (target === null) return `${ratio.toFixed(2)} (no target)`
  return `${judged(ratio.toFixed(2), ratio >= target)}${target === usual ? '' : ` (≥ ${target})`}`
}

function costRow(
  name: string,
  { small, large }: ScaleFill,
  secondsOf: (cost: WriteCost) => number,
): string[] {
  const microseconds = (seconds: number) => `${(seconds * 1e6).toFixed(0)} µs`
  const ratio = secondsOf(large.cost) / secondsOf(small.cost)
  return [
    name,
    microseconds(secondsOf(small.cost)),
    microseconds(secondsOf(large.cost)),
    judged(ratio.toFixed(2), ratio <= writeTarget),
    `≤ ${writeTarget}`,
  ]
}
