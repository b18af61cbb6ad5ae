import type { ChainDigest } from '@attestry/core/index/storedRecords.ts'
import { cutLine, formatColumns, formatCount, formatDuration } from './formatQuantities.ts'
import type { ChainSummary } from './summariseChain.ts'

/**
 * The lines of the table that `attestry status` prints. `nowMs`: milliseconds since the epoch. If `width` is given, no
 * line is wider: the least important columns are left out, and the last error is cut.
 */
export function formatStatus(
  chains: readonly ChainSummary[],
  nowMs: number,
  width: number | null = null,
): string[] {
  const lines = formatTable(columns, chains, nowMs)
  if (width === null) return lines
  let shown = columns
  for (const title of missedLeast) {
    const fixed = formatTable(shown.slice(0, -1), chains, nowMs)
    if (Math.max(...fixed.map((line) => line.length)) + lastColumnMin <= width) break
    shown = shown.filter((column) => column.title !== title)
  }
  return formatTable(shown, chains, nowMs).map((line) => cutLine(line, width))
}

/** The chain as one line without columns, such as a log holds. */
export function formatChainLine(chain: ChainSummary): string {
  const { name, headBlock, indexedBlock, attestations, lastError } = chain
  const parts = [
    `block ${orDash(indexedBlock, formatCount)} of ${orDash(headBlock, formatCount)}`,
    `${formatCount(attestations)} attestations`,
    ...(chain.phase === 'backfilling' && chain.secondsLeft !== null
      ? [`${formatDuration(chain.secondsLeft)} left`]
      : []),
    ...(lastError === null ? [] : [lastError]),
  ]
  return `${name} ${describePhase(chain)}: ${parts.join(', ')}`
}

/** The title of the last column and some words of an error. */
const lastColumnMin = 16

const missedLeast = [
  'VERIFIED',
  'DIGEST',
  'PROTOCOLS',
  'HISTORY',
  'ID',
  'RATE',
  'ATTESTATIONS',
  'HEAD',
  'LEFT',
  'UPDATED',
]

function formatTable(shown: readonly Column[], chains: readonly ChainSummary[], nowMs: number): string[] {
  const header = shown.map(({ title }) => title)
  const rows = chains.map((chain) => shown.map(({ cell }) => cell(chain, nowMs)))
  return formatColumns(
    [header, ...rows],
    shown.map(({ right }) => right),
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
  { title: 'PHASE', right: false, cell: describePhase },
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
  { title: 'HISTORY', right: false, cell: ({ completeness }) => completeness },
  { title: 'DIGEST', right: false, cell: ({ digest }) => formatDigest(digest) },
  {
    title: 'VERIFIED',
    right: false,
    cell: ({ verification }, nowMs) => formatVerification(verification, nowMs),
  },
  {
    title: 'UPDATED',
    right: true,
    cell: ({ updatedAt }, nowMs) =>
      updatedAt === null ? 'no indexer yet' : `${formatDuration((nowMs - Date.parse(updatedAt)) / 1000)} ago`,
  },
  { title: 'LAST ERROR', right: false, cell: ({ lastError }) => lastError ?? '–' },
]

function describePhase({ phase, fromChunks }: ChainSummary): string {
  return phase === 'backfilling' && fromChunks !== null ? `from chunks, ${fromChunks} %` : phase
}

/** The age of the last verification, with what it found. */
function formatVerification(verification: ChainSummary['verification'], nowMs: number): string {
  if (verification === null) return 'never'
  const { at, differences, isComplete } = verification
  const found = differences > 0 ? `, ${formatCount(differences)} differences` : isComplete ? '' : ' in part'
  return `${formatDuration(nowMs / 1000 - at)} ago${found}`
}

/** Enough digits to compare by eye, and the block. */
function formatDigest({ blockNumber, value }: ChainDigest): string {
  return orDash(blockNumber, (block) => `${value.slice(2, 18)} at ${formatCount(block)}`)
}

function orDash(value: number | null, format: (value: number) => string): string {
  return value === null ? '–' : format(value)
}
