import { answerBytesAim } from '../../chain/fetchPart.ts'
import type { LogSample } from './probeLogs.ts'

/** What a backfill of a chain may cost. All figures are estimates. */
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

export interface EstimateInput {
  readonly blocks: number
  readonly samples: readonly LogSample[]
  /** The most blocks of one request for logs, and calls of one batch. */
  readonly logRangeBlocks: number
  readonly batchCalls: number
  readonly inFlight: number
  /** Calls a second of each endpoint. */
  readonly perSecond: number | null
  readonly endpoints: number
  readonly isPostgres: boolean
  readonly fetchesSenders: boolean
  /** Calls a second of the plan. */
  readonly planPerSecond: number | null
}

/** View calls in one call of Multicall3. */
const readsPerCall = 200
/** Events a second that one writer stores: less than was measured (docs/performance.md). */
const eventsPerSecondMax = 10_000
/** Bytes of an attestation with its fields (docs/performance.md). */
const bytesOfEvent = { sqlite: 900, postgres: 1_600 }

export function estimateChain(input: EstimateInput): ChainEstimate {
  const { blocks, samples, planPerSecond } = input
  const sampled = sumUp(samples)
  const scale = sampled.blocks === 0 ? 0 : blocks / sampled.blocks
  const events = Math.round(sampled.logs * scale)
  const bytesOfBlock = sampled.blocks === 0 ? 0 : sampled.bytes / sampled.blocks
  const width = Math.max(
    1,
    Math.min(input.logRangeBlocks, bytesOfBlock === 0 ? Infinity : answerBytesAim / bytesOfBlock),
  )
  const ranges = Math.ceil(blocks / width)
  const reads = Math.ceil(events / readsPerCall)
  const single = Math.round(sampled.undatedBlocks * scale) + (input.fetchesSenders ? events : 0)
  const requests = ranges + reads + Math.ceil(single / input.batchCalls)
  const calls = ranges + reads + single
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
    undatedBlocks: sum(({ undatedBlocks }) => undatedBlocks),
    tookMs: samples.length === 0 ? 0 : sum(({ tookMs }) => tookMs) / samples.length,
  }
}
