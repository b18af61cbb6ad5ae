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

/** The section of `bench/figures.md` about scale. */
export function formatScale(report: ScaleReport): string {
  const { stores, largeAttestations, smallAttestations, command } = report
  return `${scaleTitle}

Made by \`${command}\` on ${new Date().toISOString().slice(0, 10)}, each store in one run: an index of ${whole(largeAttestations)} attestations against one of
${whole(smallAttestations)}, with a schema for every 200 and an account for every 10 attestations, both written through the write contract. 50
connections ask both in turns, evenly over all records; ratios are taken within each turn, and the median counts. No answer is
kept, and database, server and load share the processors.

${formatTable([
  [
    '',
    ...stores.flatMap(({ kind }) => [
      `${storeNames[kind]}, ${whole(smallAttestations)}`,
      whole(largeAttestations),
      'Ratio',
    ]),
  ],
  storesRow('Durable rows a second while it was filled', stores, ({ fill }) => [
    whole(fill.small.bulk.eventsPerSecond),
    whole(fill.large.bulk.eventsPerSecond),
    '',
  ]),
  storesRow(`An event as a backfill writes it (≤ ${writeTarget})`, stores, ({ fill }) =>
    costCells(fill, ({ backfillSeconds }) => backfillSeconds),
  ),
  storesRow(`An event at the head, 10 a commit (≤ ${writeTarget})`, stores, ({ fill }) =>
    costCells(fill, ({ headSeconds }) => headSeconds),
  ),
  storesRow('Size of the database', stores, ({ fill }) => [
    `${whole(fill.small.bytes / 1e6)} MB`,
    `${whole(fill.large.bytes / 1e6)} MB`,
    '',
  ]),
  storesRow(`Memory of the server without mapped files (≤ ${memoryTargetMb} MB)`, stores, ({ ownBytes }) => [
    '',
    judged(`${whole(ownBytes / 1e6)} MB`, ownBytes / 1e6 <= memoryTargetMb),
    '',
  ]),
])}

${formatTable([
  [
    `Requests a second at ${whole(largeAttestations)}`,
    ...stores.flatMap(({ kind }) => [
      storeNames[kind],
      `Ratio (≥ ${rateTargetMost})`,
      hasLimits(kind) ? `p99 (≤ ${p99TargetMs} ms)` : 'p99',
    ]),
  ],
  ...namesOf(stores, ({ cases }) => cases).map((name) =>
    storesRow(name, stores, (of) => rateCells(name, of)),
  ),
])}

${formatTable([
  [
    `Last page, one request at a time; ratio to the first page (≤ ${lastPageTarget})`,
    ...stores.flatMap(({ kind }) => [storeNames[kind], 'Ratio']),
  ],
  ...namesOf(stores, ({ ends }) => ends).map((name) => storesRow(name, stores, (of) => endCells(name, of))),
])}

The program itself:

${stores.map(describeWorkers).join('\n')}`
}

/** On two processors, the PostgreSQL server and the load leave no time for a second worker. */
function hasLimits(kind: StoreKind): boolean {
  return kind === 'sqlite'
}

function storesRow(
  name: string,
  stores: readonly ScaleFigures[],
  cellsOf: (figures: ScaleFigures) => readonly string[],
): string[] {
  return [name, ...stores.flatMap(cellsOf)]
}

/** The names of the rows of all stores, in the order of the first store that has them. */
function namesOf(
  stores: readonly ScaleFigures[],
  rowsOf: (figures: ScaleFigures) => readonly { readonly name: string }[],
): readonly string[] {
  return [...new Set(stores.flatMap(rowsOf).map(({ name }) => name))]
}

function rateCells(name: string, { kind, cases }: ScaleFigures): readonly string[] {
  const found = cases.find((each) => each.name === name)
  if (found === undefined) return ['', '', '']
  const { largePerSecond, rateRatio, largeP99Ms, rateTarget = rateTargetMost } = found
  return [
    whole(largePerSecond),
    withTarget(rateRatio, rateTarget, rateTargetMost),
    judged(`${largeP99Ms.toFixed(1)} ms`, !hasLimits(kind) || largeP99Ms <= p99TargetMs),
  ]
}

function endCells(name: string, { ends }: ScaleFigures): readonly string[] {
  const found = ends.find((each) => each.name === name)
  if (found === undefined) return ['', '']
  const { firstMs, lastMs, ratioTarget = lastPageTarget } = found
  const ratio = judged((lastMs / firstMs).toFixed(2), lastMs / firstMs <= ratioTarget)
  return [`${lastMs.toFixed(2)} ms`, `${ratio}${ratioTarget === lastPageTarget ? '' : ` (≤ ${ratioTarget})`}`]
}

function describeWorkers({ kind, workers }: ScaleFigures): string {
  const { name, onePerSecond, twoPerSecond, ratio } = workers
  const isMet = !hasLimits(kind) || ratio >= workersTarget
  const target = hasLimits(kind) ? ` (≥ ${workersTarget})` : ''
  return `- ${storeNames[kind]}, ${name}: ${whole(onePerSecond)} requests a second with one worker, ${whole(twoPerSecond)} with two; ratio ${judged(ratio.toFixed(2), isMet)}${target}.`
}

/** The ratio of two rates; with its target, unless that is the usual one. */
function withTarget(ratio: number, target: number | null, usual: number): string {
  if (target === null) return `${ratio.toFixed(2)} (no target)`
  return `${judged(ratio.toFixed(2), ratio >= target)}${target === usual ? '' : ` (≥ ${target})`}`
}

function costCells({ small, large }: ScaleFill, secondsOf: (cost: WriteCost) => number): readonly string[] {
  const microseconds = (seconds: number) => `${(seconds * 1e6).toFixed(0)} µs`
  const ratio = secondsOf(large.cost) / secondsOf(small.cost)
  return [
    microseconds(secondsOf(small.cost)),
    microseconds(secondsOf(large.cost)),
    judged(ratio.toFixed(2), ratio <= writeTarget),
  ]
}
