import type { ChainPhase, ChainStatus } from '@attestry/core/model/chainState.ts'
import { cutLine, formatColumns, formatCount, formatDuration } from './formatQuantities.ts'

/** The progress of a chain in the live display. */
export interface ChainProgress {
  readonly status: ChainStatus
  /** The first block to index; null while unknown. */
  readonly startBlock: number | null
  /** Blocks indexed per second lately; null while unknown. */
  readonly blocksPerSecond: number | null
}

/**
 * One line per chain: name, phase, block and head, share done, events per second, time left. No line is wider than
 * `columns`.
 */
export function formatProgress(chains: readonly ChainProgress[], columns: number): string[] {
  const rows = chains.map((progress) => {
    const { status } = progress
    const rate = status.eventsPerSecond > 0 ? `${formatCount(status.eventsPerSecond)} events/s` : ''
    return [
      status.name,
      phaseWords[status.phase],
      `${formatBlock(status.indexedBlock)} / ${formatBlock(status.headBlock)}`,
      formatShare(shareDone(progress)),
      rate,
      describeRest(progress),
    ]
  })
  return formatColumns(rows, [false, false, true, true, true, false]).map((line) => cutLine(line, columns))
}

/** The indexed share of a chain, 0 to 1; null while head or start is unknown. The share is 1 only at the head. */
export function shareDone({ status, startBlock }: ChainProgress): number | null {
  const { headBlock, indexedBlock } = status
  if (headBlock === null || startBlock === null) return null
  const total = headBlock - startBlock + 1
  const done = (indexedBlock ?? startBlock - 1) - startBlock + 1
  if (total <= 0 || done >= total) return 1
  return Math.max(0, done / total)
}

/** Seconds to the head at the present rate; 0 at the head, null while unknown. */
export function secondsLeft({ status, startBlock, blocksPerSecond }: ChainProgress): number | null {
  const { headBlock } = status
  const indexedBlock = status.indexedBlock ?? (startBlock === null ? null : startBlock - 1)
  if (headBlock === null || indexedBlock === null) return null
  if (indexedBlock >= headBlock) return 0
  if (blocksPerSecond === null || blocksPerSecond <= 0) return null
  return (headBlock - indexedBlock) / blocksPerSecond
}

/** A block number and the time at which it was the indexed block. */
export interface BlockSample {
  readonly blockNumber: number
  readonly atMs: number
}

/** Blocks per second between the first and the last sample, which are ordered by time; null without progress. */
export function measureBlockRate(samples: readonly BlockSample[]): number | null {
  const first = samples[0]
  const last = samples.at(-1)
  if (first === undefined || last === undefined || last.atMs <= first.atMs) return null
  const blocks = last.blockNumber - first.blockNumber
  return blocks <= 0 ? null : (blocks * 1000) / (last.atMs - first.atMs)
}

const phaseWords: Readonly<Record<ChainPhase, string>> = {
  starting: 'starting',
  backfilling: 'backfilling',
  following: 'following',
  retrying: 'retrying',
  stopped: 'STOPPED',
  paused: 'paused',
}

function describeRest(progress: ChainProgress): string {
  const { lastError, phase, fromChunks } = progress.status
  if (lastError !== null) return lastError
  if (phase !== 'backfilling') return ''
  if (fromChunks !== null) return `${fromChunks} % of published chunks`
  const seconds = secondsLeft(progress)
  return seconds === null || seconds === 0 ? '' : `${formatDuration(seconds)} left`
}

function formatBlock(block: number | null): string {
  return block === null ? '–' : formatCount(block)
}

function formatShare(share: number | null): string {
  return share === null ? '' : `${(Math.floor(share * 1000) / 10).toFixed(1)} %`
}
