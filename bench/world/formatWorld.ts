import { formatTable } from '../formatTable.ts'
import { judged, whole } from '../formatValues.ts'
import { worldTitle } from '../keepSection.ts'
import type { Pair, WorldFigures } from './benchWorld.ts'

const costRatioMax = 2
const lastPageRatioMax = 1.5
const startSecondsMax = 2
const besideRatioMax = 3

const storeNames: Readonly<Record<WorldFigures['kind'], string>> = {
  sqlite: 'SQLite',
  postgres: 'PostgreSQL',
}

export interface WorldReport {
  readonly stores: readonly WorldFigures[]
  /** The part of the world in the large index. */
  readonly share: number
  readonly command: string
  /** The load average of the machine before and after. */
  readonly loads: readonly [number, number]
}

/** The section of `bench/figures.md` about the world. */
export function formatWorld({ stores, share, command, loads }: WorldReport): string {
  const [before, after] = loads.map((load) => load.toFixed(0))
  return `${worldTitle}

Made by \`${command}\` on ${new Date().toISOString().slice(0, 10)}, at a load average of ${before} to ${after}. 25 chains with the skew of
\`bench/world/shape.ts\`; the large index has ${share} of its records. Times include waiting for other programs; processor
time and ratios do so less. No answer is kept.

${stores.map((figures) => formatStore(figures)).join('\n\n')}`
}

function formatStore(figures: WorldFigures): string {
  const { kind, attestations, requests, ends, singles, live } = figures
  const name = storeNames[kind]
  const sizes = [whole(attestations.small), whole(attestations.large)]
  const tables = [
    formatTable([[name, ...sizes, 'Ratio'], ...formatWhole(figures)]),
    requests.length > 0 &&
      formatTable([
        [`${name}: processor time of a request`, ...sizes, `Ratio (≤ ${costRatioMax})`, 'p50, p99'],
        ...requests.map(({ name: request, small, large }) => [
          request,
          microseconds(small.cpuMicroseconds),
          microseconds(large.cpuMicroseconds),
          ratio(small.cpuMicroseconds, large.cpuMicroseconds, costRatioMax),
          `${large.p50Ms.toFixed(1)}, ${large.p99Ms.toFixed(1)} ms`,
        ]),
      ]),
    ends.length > 0 &&
      formatTable([
        [`${name}: pages of`, 'First', 'Last', `Ratio (≤ ${lastPageRatioMax})`],
        ...ends.map(({ name: listing, first, last }) => [
          listing,
          microseconds(first.cpuMicroseconds),
          microseconds(last.cpuMicroseconds),
          ratio(first.cpuMicroseconds, last.cpuMicroseconds, lastPageRatioMax),
        ]),
      ]),
    singles.length > 0 &&
      formatTable([
        [`${name}: one at a time`, ...sizes, 'Processor time', 'Aim', 'Answer'],
        ...singles.map(({ name: request, aimMs, small, large }) => [
          request,
          milliseconds(small.ms),
          // A refusal says how to ask, whatever it took.
          judged(milliseconds(large.ms), large.refusal !== null || aimMs === undefined || large.ms <= aimMs),
          milliseconds(large.cpuMs),
          aimMs === undefined ? '' : `≤ ${milliseconds(aimMs)}`,
          large.refusal === null ? `${whole(large.bytes / 1000)} kB` : 'refused',
        ]),
      ]),
    live !== null &&
      formatTable([
        [
          `${name}: p99 of a steady load`,
          'At rest',
          'Beside new records',
          `Ratio (≤ ${besideRatioMax})`,
          'CPU a request',
          'Events/s',
        ],
        ...(['small', 'large'] as const).map((size, place) => [
          sizes[place] ?? '',
          milliseconds(live[size].atRest.p99Ms),
          milliseconds(live[size].beside.p99Ms),
          ratio(live[size].atRest.p99Ms, live[size].beside.p99Ms, besideRatioMax),
          `${whole(live[size].atRest.cpuMicroseconds)} and ${whole(live[size].beside.cpuMicroseconds)} µs`,
          whole(live[size].eventsPerSecond),
        ]),
      ]),
  ]
  return tables.filter((table) => typeof table === 'string').join('\n\n')
}

/** The rows about the index as a whole: how it was filled, commands, and writes. */
function formatWhole({ fill, serverBytes, commands, writes }: WorldFigures): string[][] {
  const both = <Value>(
    { small, large }: Pair<Value>,
    numberOf: (value: Value) => number,
    unit: (n: number) => string,
  ) => [unit(numberOf(small)), unit(numberOf(large)), (numberOf(large) / numberOf(small)).toFixed(2)]
  return [
    [
      'Events a second in the store while it was filled',
      ...both(fill, (each) => each.events / each.storeSeconds, whole),
    ],
    [
      'Processor time of an event',
      ...both(fill, (each) => (each.cpuSeconds / each.events) * 1e6, microseconds),
    ],
    [
      'Disk for an event',
      ...both(
        fill,
        (each) => each.bytes / each.events,
        (bytes) => `${whole(bytes)} B`,
      ),
    ],
    ['Memory of the server after the requests', ...both(serverBytes, (bytes) => bytes / 1e6, megabytes)],
    ...commands.map(({ name, small, large }) => [
      `${name}: time, memory`,
      `${small.seconds.toFixed(1)} s, ${megabytes(small.megabytes)}`,
      judged(
        `${large.seconds.toFixed(1)} s, ${megabytes(large.megabytes)}`,
        !name.includes('first answer') || large.seconds <= startSecondsMax,
      ),
      (large.cpuSeconds / small.cpuSeconds).toFixed(2),
    ]),
    ...writes.map(({ name, small, large }) => [
      `${name}: processor time`,
      ...both({ small, large }, ({ cpuSeconds }) => cpuSeconds * 1e6, microseconds),
    ]),
  ]
}

function ratio(small: number, large: number, most: number): string {
  return judged((large / small).toFixed(2), large / small <= most)
}

function microseconds(value: number): string {
  return value < 10_000 ? `${whole(value)} µs` : milliseconds(value / 1000)
}

function milliseconds(value: number): string {
  return value < 10_000
    ? `${value < 10 ? value.toFixed(1) : whole(value)} ms`
    : `${(value / 1000).toFixed(1)} s`
}

function megabytes(value: number): string {
  return `${whole(value)} MB`
}
