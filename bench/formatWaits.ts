import { cpus, loadavg } from 'node:os'
import { slowMs, type WaitsFigures } from './benchWaits.ts'
import { formatTable } from './formatTable.ts'
import { judged, whole } from './formatValues.ts'
import { waitsTitle } from './keepSection.ts'

const ratioTarget = 0.7
const firstRecordTargetMs = 3_000

/** The figures as a section of `bench/figures.md`. */
export function formatWaits({ events, cases, program }: WaitsFigures): string {
  const rows = cases.map(
    ({ latencyMs, limit, eventsPerSecond, ratios, requests, calls, allowedPerSecond }) => {
      const [least, ratio, highest] = ratios.map((each) => each.toFixed(2))
      const isJudged = latencyMs > 0 && limit === 'none'
      return [
        `${latencyMs} ms, ${limit === 'none' ? 'no limits' : 'default limits'}`,
        whole(eventsPerSecond),
        `${judged(String(ratio), !isJudged || Number(ratio) >= ratioTarget)} (${least} to ${highest})`,
        limit === 'none' || latencyMs === 0 ? '' : whole(allowedPerSecond),
        whole(requests),
        whole(calls),
      ]
    },
  )
  const { firstRecordMs, highestMegabytes } = program
  return `${waitsTitle}

Made by \`npm run bench -- waits --write\` on ${new Date().toISOString().slice(0, 10)}: ${whole(events)} events of EAS, a contract call for each attestation, no
Multicall3, calls in batches, into SQLite. The endpoint, in another process, takes 0 or ${slowMs} ms for each HTTP request. By
turns; ratios to the first row within each turn: median, least and highest. The
load average of the machine was ${(loadavg()[1] ?? 0).toFixed(0)} on ${cpus().length} processors.

${formatTable([
  [
    'Latency, limits',
    'Events a second',
    `Ratio (≥ ${ratioTarget} without limits)`,
    'Allowed by the limits',
    'Requests',
    'Calls',
  ],
  ...rows,
])}

\`attestry start\` with the default limits at ${slowMs} ms: the first record is answered after
${judged(`${(firstRecordMs / 1000).toFixed(1)} s`, firstRecordMs <= firstRecordTargetMs)} (≤ ${firstRecordTargetMs / 1000} s), its highest anonymous memory is ${whole(highestMegabytes)} MB.`
}
