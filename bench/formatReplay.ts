import { cpus, loadavg } from 'node:os'
import type { ReplayFigures } from './benchReplay.ts'
import { formatTable } from './formatTable.ts'
import { judged, whole } from './formatValues.ts'
import { replayTitle } from './keepSection.ts'

const ratioTarget = 3
const names = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

/** The figures as a section of `bench/figures.md`. */
export function formatReplay(figures: readonly ReplayFigures[]): string {
  const row = (name: string, valueOf: (each: ReplayFigures) => string) => [name, ...figures.map(valueOf)]
  const ratioOf = ({ replayPerSecond, backfillPerSecond }: ReplayFigures) =>
    replayPerSecond / backfillPerSecond
  return `${replayTitle}

Made by \`npm run bench -- replay --write\` on ${new Date().toISOString().slice(0, 10)}: a dense chain of Sign Protocol is backfilled from a simulated
endpoint in another process, published into a folder, and replayed into an empty database, one after the other. The replay is
end to end: chunks are read and checked, rows and indexes made, ${figures[0]?.sampled ?? 0} spans of blocks asked of the endpoint. The load average
of the machine was ${(loadavg()[1] ?? 0).toFixed(0)} on ${cpus().length} processors.

${formatTable([
  ['', ...figures.map(({ kind }) => names[kind])],
  row('Events', ({ events }) => whole(events)),
  row('Backfill, events a second', ({ backfillPerSecond }) => whole(backfillPerSecond)),
  row('Replay, events a second', ({ replayPerSecond }) => whole(replayPerSecond)),
  row(`Replay divided by backfill (≥ ${ratioTarget})`, (each) =>
    judged(ratioOf(each).toFixed(1), ratioOf(each) >= ratioTarget),
  ),
  row('CPU time of the program an event, backfill', ({ backfillCpuUs }) => `${whole(backfillCpuUs)} µs`),
  row('CPU time of the program an event, replay', ({ replayCpuUs }) => `${whole(replayCpuUs)} µs`),
  row('Publishing, events a second', ({ publishPerSecond }) => whole(publishPerSecond)),
  row('Bytes of a chunk an event', ({ bytesPerEvent }) => whole(bytesPerEvent)),
])}`
}
