import type { ChainDigest } from '../store/storedRecords.ts'
import { formatColumns, formatCount, formatDuration } from './formatQuantities.ts'
import type { ChainSummary } from './summariseChain.ts'

/** The lines of the table that `attestry status` prints. `nowMs`: milliseconds since the epoch. */
export function formatStatus(chains: readonly ChainSummary[], nowMs: number): string[] {
  const header = columns.map(({ title }) => title)
  const rows = chains.map((chain) => columns.map(({ cell }) => cell(chain, nowMs)))
  return formatColumns(
    [header, ...rows],
    columns.map(({ right }) => right),
  )
}

interface Column {
  readonly title: string
  readonly right: boolean
  readonly cell: (chain: ChainSummary, nowMs: number) => string
}

const columns: readonly Column[] = [
  { title: 'CHAIN', right: false, cell: ({ name }) => name },
  { title: 'ID', right: true, cell: ({ chainId }) => String(chainId) },
  {
    title: 'PROTOCOLS',
    right: false,
    cell: ({ deployments }) => deployments.map(({ name }) => name).join(', '),
  },
  { title: 'PHASE', right: false, cell: ({ phase }) => phase },
  { title: 'HEAD', right: true, cell: ({ headBlock }) => orDash(headBlock, formatCount) },
  { title: 'INDEXED', right: true, cell: ({ indexedBlock }) => orDash(indexedBlock, formatCount) },
  {
    title: 'LAG',
    right: true,
    cell: ({ lagBlocks, lagSeconds }) => {
      const blocks = orDash(lagBlocks, (count) => `${formatCount(count)} ${count === 1 ? 'block' : 'blocks'}`)
      return lagSeconds === null ? blocks : `${blocks}, ${formatDuration(lagSeconds)}`
    },
  },
  { title: 'RATE', right: true, cell: ({ eventsPerSecond }) => `${formatCount(eventsPerSecond)} events/s` },
  { title: 'LEFT', right: true, cell: (chain) => orDash(chain.secondsLeft, formatDuration) },
  { title: 'ATTESTATIONS', right: true, cell: ({ attestations }) => formatCount(attestations) },
  { title: 'DIGEST', right: false, cell: ({ digest }) => formatDigest(digest) },
  {
    title: 'UPDATED',
    right: true,
    cell: ({ updatedAt }, nowMs) =>
      updatedAt === null ? 'no indexer yet' : `${formatDuration((nowMs - Date.parse(updatedAt)) / 1000)} ago`,
  },
  { title: 'LAST ERROR', right: false, cell: ({ lastError }) => lastError ?? '–' },
]

/** Enough digits to compare by eye, and the block. */
function formatDigest({ blockNumber, value }: ChainDigest): string {
  return orDash(blockNumber, (block) => `${value.slice(2, 18)} at ${formatCount(block)}`)
}

function orDash(value: number | null, format: (value: number) => string): string {
  return value === null ? '–' : format(value)
}
