import { formatColumns, formatCount, formatDuration } from '@attestry/host/formatQuantities.ts'
import type { ChainReport, EndpointReport } from './probeEndpoint.ts'

/** The tables that `attestry check` prints: what endpoints can do, what is wrong, and what a backfill may cost. */
export function formatCheck(chains: readonly ChainReport[]): readonly string[] {
  const endpoints = chains.flatMap((chain) =>
    chain.endpoints.map((report) => [chain.name, ...endpointCells(report)]),
  )
  const notes = chains.flatMap(({ name, endpoints: reports }) =>
    reports.flatMap(({ problems, warnings }) => [
      ...problems.map((text) => `problem: ${name}: ${text}`),
      ...warnings.map((text) => `note: ${name}: ${text}`),
    ]),
  )
  const estimates = chains.flatMap((chain) => estimateRows(chain))
  return [
    ...formatColumns([endpointHeader, ...endpoints], endpointRight),
    ...(notes.length === 0 ? [] : ['', ...notes]),
    ...(estimates.length === 0
      ? []
      : [
          '',
          'A backfill, estimated from a few ranges:',
          ...formatColumns([costHeader, ...estimates], costRight),
        ]),
  ]
}

const endpointHeader = [
  'CHAIN',
  'ENDPOINT',
  'WORKS',
  'ANSWER',
  'HEAD',
  'OLD STATE',
  'PROVES',
  'LOGS AT ONCE',
  'BATCH',
  'NEW HEADS',
  "HEAD'S LOGS",
]
const endpointRight = [false, false, false, true, true, false, false, true, true, false, false]

function endpointCells(report: EndpointReport): readonly string[] {
  const { logRangeBlocks, logsLateMs } = report
  return [
    report.endpoint,
    report.problems.length === 0 ? 'yes' : 'no',
    orDash(report.answerMs, (ms) => `${ms} ms`),
    orDash(report.headBlock, formatCount),
    orDash(report.hasOldState, (has) => (has ? 'yes' : 'no')),
    orDash(report.provesState, (proves) => (proves ? 'yes' : 'no')),
    orDash(logRangeBlocks, (blocks) => `${formatCount(blocks)} ${blocks === 1 ? 'block' : 'blocks'}`),
    orDash(report.batchCalls, String),
    report.subscription === null ? 'polled' : subscriptionWords[report.subscription],
    orDash(logsLateMs, (ms) => (ms === 0 ? 'at once' : `after ${ms} ms`)),
  ]
}

const subscriptionWords = { heads: 'told', 'no head yet': 'none told yet', refused: 'refused' }

const costHeader = ['CHAIN', 'BLOCKS', 'EVENTS', 'REQUESTS', 'CALLS', 'TIME', 'DISK', 'ON THE PLAN']
const costRight = [false, true, true, true, true, true, true, true]

function estimateRows({ name, estimate }: ChainReport): readonly (readonly string[])[] {
  if (estimate === null) return []
  const { blocks, events, requests, calls, hours, diskBytes, daysOnPlan } = estimate
  return [
    [
      name,
      ...[blocks, events, requests, calls].map(formatCount),
      formatDuration(hours * 3_600),
      formatBytes(diskBytes),
      orDash(daysOnPlan, (days) => formatDuration(days * 86_400)),
    ],
  ]
}

function formatBytes(bytes: number): string {
  return bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}

function orDash<Value>(value: Value | null, format: (value: Value) => string): string {
  return value === null ? '–' : format(value)
}
