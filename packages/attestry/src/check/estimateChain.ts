import { planBackfill, type BackfillInput } from './planBackfill.ts'
import type { LogSample } from './probeLogs.ts'

/** The cost of a backfill of a chain. All figures are estimates. */
export interface ChainEstimate {
  readonly blocks: number
  readonly events: number
  /** HTTP requests, and the calls in them: providers often count each call. */
  readonly requests: number
  readonly calls: number
  readonly hours: number
  readonly diskBytes: number
  /** Days on a plan of so many calls a second; null without a plan. */
  readonly daysOnPlan: number | null
}

export interface EstimateInput extends Pick<
  BackfillInput,
  | 'blocks'
  | 'finality'
  | 'numberedKinds'
  | 'logRangeBlocks'
  | 'batchCalls'
  | 'hasMulticall'
  | 'hasFullBlooms'
  | 'inFlight'
  | 'endpoints'
  | 'searchCalls'
> {
  readonly samples: readonly LogSample[]
  /** Calls a second of each endpoint. */
  readonly perSecond: number | null
  readonly isPostgres: boolean
  /** Calls a second of the plan. */
  readonly planPerSecond: number | null
}

/** Events a second that one writer stores: less than was measured (bench/figures.md). */
const eventsPerSecondMax = 10_000
/** Bytes of an attestation with its fields (bench/figures.md). */
const bytesOfEvent = { sqlite: 900, postgres: 1_600 }

export function estimateChain(input: EstimateInput): ChainEstimate {
  const { blocks, samples, planPerSecond } = input
  const sampled = sumUp(samples)
  const perBlock = (count: number) => (sampled.blocks === 0 ? 0 : count / sampled.blocks)
  const events = Math.round(blocks * perBlock(sampled.logs))
  const { requests, calls } = planBackfill({
    ...input,
    logsPerBlock: perBlock(sampled.logs),
    bytesPerBlock: perBlock(sampled.bytes),
    loggedShare: perBlock(sampled.loggedBlocks),
    undatedShare: perBlock(sampled.undatedBlocks),
    readsPerBlock: perBlock(sampled.reads),
    sendersPerBlock: perBlock(sampled.senders),
  })
  const seconds = Math.max(
    (requests * sampled.tookMs) / 1000 / input.inFlight / input.endpoints,
    input.perSecond === null ? 0 : calls / input.perSecond / input.endpoints,
    events / eventsPerSecondMax,
  )
  return {
    blocks,
    events,
    requests,
    calls,
    hours: seconds / 3_600,
    diskBytes: events * bytesOfEvent[input.isPostgres ? 'postgres' : 'sqlite'],
    daysOnPlan: planPerSecond === null ? null : calls / planPerSecond / 86_400,
  }
}

function sumUp(samples: readonly LogSample[]): LogSample {
  const sum = (of: (sample: LogSample) => number) => samples.reduce((total, sample) => total + of(sample), 0)
  return {
    blocks: sum(({ blocks }) => blocks),
    logs: sum(({ logs }) => logs),
    bytes: sum(({ bytes }) => bytes),
    loggedBlocks: sum(({ loggedBlocks }) => loggedBlocks),
    undatedBlocks: sum(({ undatedBlocks }) => undatedBlocks),
    reads: sum(({ reads }) => reads),
    senders: sum(({ senders }) => senders),
    tookMs: samples.length === 0 ? 0 : sum(({ tookMs }) => tookMs) / samples.length,
  }
}
