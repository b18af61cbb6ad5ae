import { setTimeout as delay } from 'node:timers/promises'
import type { BlockHeader, LogFilter } from '@attestry/core/chain/chainClient.ts'
import { multicall3Address, resolveOptions } from '@attestry/core/chain/chainClientOptions.ts'
import { createEndpoint, type Endpoint } from '@attestry/core/chain/createEndpoint.ts'
import { getBlockCall, readBlock } from '@attestry/core/chain/fetchBlocks.ts'
import type { RpcCall } from '@attestry/core/chain/matchAnswers.ts'
import { formatQuantity } from '@attestry/core/chain/parseQuantity.ts'
import { AttestryError } from '@attestry/core/errors/baseError.ts'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import type { ChainConfig } from '@attestry/host/config/resolveChains.ts'
import { describeUrl } from '@attestry/host/config/describeValue.ts'
import type { ChainEstimate } from './estimateChain.ts'
import { probeProof } from './probeProofs.ts'
import { askForLogs, findLogWidth, measureLogLag, type LogSample, type ProbedLogs } from './probeLogs.ts'

/** The capabilities of an endpoint. Null means unknown. */
export interface EndpointReport {
  /** The URL without all that may be a key. */
  readonly endpoint: string
  /** Milliseconds that the newest block took. */
  readonly answerMs: number | null
  readonly headBlock: number | null
  /** Whether `eth_getCode` knows old state, by which a first block is found. */
  readonly hasOldState: boolean | null
  /** Whether `eth_getProof` proves the newest state, by which proofs of state are made. */
  readonly provesState: boolean | null
  /** Whether Multicall3 is there, by which many records are read with one call. */
  readonly hasMulticall: boolean | null
  /** The most blocks that one `eth_getLogs` took. */
  readonly logRangeBlocks: number | null
  /** The most calls that one request took. */
  readonly batchCalls: number | null
  /** Result of a subscription to new heads; null over HTTP. */
  readonly subscription: 'heads' | 'no head yet' | 'refused' | null
  /** Time for which the newest block lacked its logs; null if it has no logs, or if they did not arrive. */
  readonly logsLateMs: number | null
  readonly requests: number
  /** Faults that keep the endpoint from working. */
  readonly problems: readonly string[]
  /** Limitations that make the endpoint slower or worse than others. */
  readonly warnings: readonly string[]
}

/** A chain in the output of `attestry check --json`. */
export interface ChainReport {
  readonly chainId: number
  readonly name: string
  readonly endpoints: readonly EndpointReport[]
  /** Null where no endpoint gave logs. */
  readonly estimate: ChainEstimate | null
}

export interface ProbedEndpoint {
  readonly report: EndpointReport
  readonly head: BlockHeader | null
  readonly samples: readonly LogSample[]
}

export interface ProbeLimits {
  /** A request, and all requests to one endpoint, in milliseconds. */
  readonly requestMs: number
  readonly totalMs: number
  /** How long a new head is waited for. */
  readonly headMs: number
}

export const probeLimits: ProbeLimits = { requestMs: 10_000, totalMs: 90_000, headMs: 5_000 }

/** The chain and what is asked for there. */
export interface ProbedChain {
  readonly chain: ChainConfig
  readonly addresses: readonly Address[]
  readonly topics: LogFilter['topics']
  readonly needsOf: ProbedLogs['needsOf']
  readonly startBlock: number
  /** Kinds of records that the contracts number. */
  readonly numberedKinds: number
  /** Whether a first block is still to be found by old state. */
  readonly isSearched: boolean
}

type Draft = { -readonly [Key in keyof EndpointReport]: EndpointReport[Key] } & {
  problems: string[]
  warnings: string[]
}

/** Asks one endpoint some forty requests at most. */
export async function probeEndpoint(
  url: string,
  probed: ProbedChain,
  limits: ProbeLimits,
  stop: AbortSignal,
): Promise<ProbedEndpoint> {
  const { chain } = probed
  const report: Draft = { ...unasked(), endpoint: describeUrl(url).slice(1, -1) }
  const endpoint = createEndpoint(
    url,
    resolveOptions({
      chainId: chain.chainId,
      endpoints: [url],
      requestTimeoutMs: limits.requestMs,
      concurrencyPerEndpoint: chain.requests.inFlight,
      callsPerSecond: chain.requests.perSecond,
      onRequest: () => report.requests++,
    }),
  )
  const timeUp = AbortSignal.timeout(limits.totalMs)
  const signal = AbortSignal.any([stop, timeUp])
  const found = { head: null as BlockHeader | null, samples: [] as LogSample[] }
  try {
    await probe(endpoint, probed, limits, report, found, signal)
  } catch (error) {
    if (stop.aborted) throw new StartError('The check was stopped before all endpoints were asked')
    if (timeUp.aborted) {
      report.problems.push(`${endpoint.host} was too slow to be asked all within ${limits.totalMs / 1000} s.`)
    } else if (error instanceof AttestryError) report.problems.push(error.message)
    else throw error
  } finally {
    await endpoint.destroy()
  }
  return { report, ...found }
}

async function probe(
  endpoint: Endpoint,
  probed: ProbedChain,
  limits: ProbeLimits,
  report: Draft,
  found: { head: BlockHeader | null; samples: LogSample[] },
  signal: AbortSignal,
): Promise<void> {
  // The check of the chain comes with the first request; the second one shows how long an answer takes.
  await endpoint.exchangeOne(getBlockCall('latest'), signal)
  const startedMs = performance.now()
  const head = readBlock(await endpoint.exchangeOne(getBlockCall('latest'), signal), 'latest', endpoint)
  report.answerMs = Math.round(performance.now() - startedMs)
  report.headBlock = head.number
  found.head = head
  await Promise.all([
    watchHeads(endpoint, limits.headMs, report, signal),
    probeRequests(endpoint, probed, report, { head, samples: found.samples }, signal),
  ])
}

async function probeRequests(
  endpoint: Endpoint,
  probed: ProbedChain,
  report: Draft,
  { head, samples }: { readonly head: BlockHeader; readonly samples: LogSample[] },
  signal: AbortSignal,
): Promise<void> {
  const { addresses, topics, needsOf } = probed
  const late = await measureLogLag(endpoint, head, signal, (ms) => delay(ms, undefined, { signal }))
  report.logsLateMs = late === Number.POSITIVE_INFINITY ? null : late
  if (late !== null && late > 0) report.warnings.push(lateSentence(endpoint.host, head.number, late))
  await probeState(endpoint, probed, report, signal)
  const first = Math.min(probed.startBlock, head.number)
  const all = { addresses, topics, needsOf, fromBlock: first, toBlock: head.number }
  const width = await findLogWidth(endpoint, all, signal)
  report.logRangeBlocks = width.blocks
  if (width.blocks === null) {
    report.problems.push(width.error?.message ?? `${endpoint.host} does not give logs.`)
  } else {
    for (const range of sampleRanges(first, head.number, width.blocks)) {
      const asked = await askForLogs(endpoint, { ...all, ...range }, signal)
      if (asked.kind === 'sample') samples.push(asked.sample)
      // The first range is where a backfill begins.
      else if (asked.kind === 'failed' && range.fromBlock === first) {
        report.problems.push(`The first blocks cannot be read: ${asked.error.message}`)
      }
    }
  }
  report.batchCalls = await findBatchSize(endpoint, signal)
  if (report.batchCalls === 1)
    report.warnings.push(`${endpoint.host} takes no batches: each call is a request.`)
}

async function probeState(
  endpoint: Endpoint,
  { chain, isSearched }: ProbedChain,
  report: Draft,
  signal: AbortSignal,
): Promise<void> {
  const codeAt = async (address: string, block: string): Promise<string | AttestryError> => {
    const call: RpcCall = { method: 'eth_getCode', params: [address, block] }
    const answer = await endpoint.exchangeOne(call, signal)
    if (answer.kind === 'error') return endpoint.explain(call, answer.error, 1).error
    return typeof answer.value === 'string' ? answer.value : ''
  }
  for (const { address, protocol } of chain.deployments) {
    if ((await codeAt(address, 'latest')) === '0x') {
      report.problems.push(`${endpoint.host} has no contract at ${address} (${protocol}).`)
    }
  }
  const multicall = await codeAt(multicall3Address, 'latest')
  report.hasMulticall = typeof multicall === 'string' && multicall.length > 2
  if (!report.hasMulticall) {
    report.warnings.push(`${endpoint.host} has no Multicall3: each record is read by a call of its own.`)
  }
  const [first] = chain.deployments
  if (first === undefined) return
  report.provesState = (await probeProof(endpoint, first.address, signal)).provesState
  const old = await codeAt(first.address, formatQuantity(Math.min(1, report.headBlock ?? 0)))
  report.hasOldState = typeof old === 'string'
  if (typeof old !== 'string' && isSearched) {
    report.warnings.push(
      `${endpoint.host} has no old state to find the first block by: set startBlock, or list an endpoint that has.`,
    )
  }
}

async function findBatchSize(endpoint: Endpoint, signal: AbortSignal): Promise<number> {
  for (let size = 100; size > 1;) {
    const calls = Array.from({ length: size }, (): RpcCall => ({ method: 'eth_chainId', params: [] }))
    const answer = await endpoint.exchange(calls, signal)
    if (answer.kind === 'answers' && answer.answers.every((each) => each?.kind === 'result')) return size
    const suggested = answer.kind === 'batchRefused' ? answer.suggestedSize : null
    size = Math.min(suggested ?? Math.floor(size / 4), size - 1)
  }
  return 1
}

/** Subscribes to new heads where the endpoint can tell them, and waits for one. */
async function watchHeads(
  endpoint: Endpoint,
  headMs: number,
  report: Draft,
  signal: AbortSignal,
): Promise<void> {
  const { host, listen } = endpoint
  if (listen === null) return
  const told = Promise.withResolvers<'heads' | 'no head yet'>()
  const connection = listen({
    onNotification: () => told.resolve('heads'),
    onClosed: () => told.resolve('no head yet'),
  })
  try {
    const call: RpcCall = { method: 'eth_subscribe', params: ['newHeads'] }
    const answer = await endpoint.exchangeOne(call, signal)
    if (answer.kind === 'error') {
      report.subscription = 'refused'
      report.warnings.push(`Heads are polled: ${endpoint.explain(call, answer.error, 1).error.message}`)
      return
    }
    report.subscription = await Promise.race([
      told.promise,
      delay(headMs, 'no head yet' as const, { signal }),
    ])
  } catch (error) {
    if (!(error instanceof AttestryError) && !signal.aborted) throw error
    report.subscription = 'refused'
    report.warnings.push(`Heads are polled: ${host} does not take subscriptions.`)
  } finally {
    connection.close()
  }
}

function lateSentence(host: string, block: number, lateMs: number): string {
  const late = Number.isFinite(lateMs) ? `for ${lateMs} ms` : 'for longer than the check waits'
  return `${host} had block ${block} without its logs ${late}; the indexer waits for late logs.`
}

function unasked(): Omit<Draft, 'endpoint'> {
  return {
    answerMs: null,
    headBlock: null,
    hasOldState: null,
    provesState: null,
    hasMulticall: null,
    logRangeBlocks: null,
    batchCalls: null,
    subscription: null,
    logsLateMs: null,
    requests: 0,
    problems: [],
    warnings: [],
  }
}

interface BlockRange {
  readonly fromBlock: number
  readonly toBlock: number
}

const samplesMax = 6
/** Wide enough to count records by, narrow enough for a small answer. */
const sampleBlocksMax = 2_000

/** A few ranges of at most `width` blocks, spread evenly; the first begins with `first`, the last ends with `last`. */
function sampleRanges(first: number, last: number, width: number): readonly BlockRange[] {
  const blocks = Math.min(width, sampleBlocksMax, last - first + 1)
  const room = last - first + 1 - blocks
  const starts = Array.from(
    { length: samplesMax },
    (_, i) => first + Math.round((room * i) / (samplesMax - 1)),
  )
  return [...new Set(starts)].map((fromBlock) => ({ fromBlock, toBlock: fromBlock + blocks - 1 }))
}
