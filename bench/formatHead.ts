import { cpus, loadavg } from 'node:os'
import type { benchHead, Delays } from './benchHead.ts'
import { formatTable } from './formatTable.ts'
import { judged, whole } from './formatValues.ts'
import { headTitle } from './keepSection.ts'

const targetMs = { subscription: 60, polling: 300 }
const requestsTarget = 3

/** The figures as a section of `bench/figures.md`. */
export function formatHead({ cases, waiting }: Awaited<ReturnType<typeof benchHead>>): string {
  const rows = cases.map(({ source, workers, waiting: waited, repeated, chainAlone, requestsPerBlock }) => [
    `${source}, ${workers === 1 ? 'one process serves' : `${workers} processes serve`}`,
    `${judged(both(waited), waited.p50Ms <= targetMs[source])} (≤ ${targetMs[source]} ms)`,
    both(repeated),
    both(chainAlone),
    judged(requestsPerBlock.toFixed(1), requestsPerBlock <= requestsTarget),
  ])
  const { requests, restShare, waitingShare, bytes, delays } = waiting
  return `${headTitle}

Made by \`npm run bench -- head --write\` on ${new Date().toISOString().slice(0, 10)}: \`attestry start\` follows a local chain (anvil) with a block every two
seconds, by its default configuration. The time runs from the chain's own announcement of a block to the last byte of the
answer about a transaction of the block: of a request with \`wait=60\`, and of one that is repeated every 10 ms. Beside it stands
the time of the chain itself for three requests in sequence: the least that any index can take.
The load average of the machine was ${(loadavg()[1] ?? 0).toFixed(0)} on ${cpus().length} processors.

${formatTable([
  [
    'p50, p99',
    '`wait` (target of p50)',
    'Repeated',
    'The chain',
    `Requests for an idle block (≤ ${requestsTarget})`,
  ],
  ...rows,
])}

${whole(requests)} requests that wait for other records: the program takes ${percentOf(waitingShare)} of a processor, ${percentOf(restShare)} without
them, and ${(bytes / 1024).toFixed(1)} KiB of memory each. Beside them a record is answered after ${both(delays)} (p50, p99).`
}

function both({ p50Ms, p99Ms }: Delays): string {
  return `${p50Ms.toFixed(0)}, ${p99Ms.toFixed(0)} ms`
}

function percentOf(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
