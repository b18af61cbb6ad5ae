import type { BlockHeader } from '../chain/chainClient.ts'
import type { ContractHistory, HistorySample } from '../model/chainState.ts'
import { positionBlock } from '../model/position.ts'
import type { HeldRecords } from '../index/indexWriter.ts'
import { createSeededRandom } from '../model/createSeededRandom.ts'
import type { FetchedLog } from '../protocols/protocolAdapter.ts'
import { fetchOwnLogs, type EventSource, type IndexedDeployment } from './fetchEvents.ts'
import { nearHeadBlocks, type BlockRange } from './fetchRange.ts'
import { countHistory, findUnknown, type CountVerdict } from './historyCounts.ts'
import {
  countLogsOf,
  createHistoryShape,
  firstLacking,
  judgeSample,
  type HistoryShape,
} from './historySample.ts'
import type { ChainParts, Progress } from './openProgress.ts'
import { drawBlocks, sampleBlooms } from './sampleBlooms.ts'

/**
 * Checks whether the index has all logs of a chain's history (docs/adr/0046): endpoints may leave logs out of their
 * answers with status 200. Ranges of blocks are asked for again, and the records are counted.
 */
export interface HistoryCheck {
  /**
   * Compares the endpoints in some ranges before they are indexed. Endpoints that leave out logs are passed over then.
   */
  probe(source: EventSource, range: BlockRange, signal: AbortSignal): Promise<void>
  /** Whether the history is to be checked: it never was, or has grown by a tenth since. */
  isDue(progress: Progress, head: BlockHeader, history: readonly ContractHistory[]): boolean
  /** Checks the history up to the newest final block. The index is to be at the head. */
  check(progress: Progress, head: BlockHeader, signal: AbortSignal): Promise<HistoryOutcome>
}

/**
 * `checked`: what is known now. `lacking`: the index lacks logs from a block on, which endpoints give: it is to be read
 * again from there. `defective`: it lacks records, and reading again does not bring them.
 */
export type HistoryOutcome =
  | { readonly kind: 'checked'; readonly history: readonly ContractHistory[] }
  | { readonly kind: 'lacking'; readonly fromBlock: number; readonly text: string }
  | { readonly kind: 'defective'; readonly range: BlockRange; readonly text: string }

/** Requests that a probe and a check make in any case, at most, and by share of those of the whole history. */
const probeRequestsMin = 4
const checkRequestsMin = 6
const requestsMax = 256
const requestShare = 0.003
/** Blocks whose blooms a check looks at, in any case and for each request. */
const bloomBlocksMin = 32
const bloomBlocksPerRequest = 2
/** Events whose positions are read from the index at a time. */
const eventsPerRead = 50_000
/** Requests of a range that is searched for the first difference. */
const requestsPerSearch = 16
/** How often the history is read again from the same block. */
const rereadsMax = 2
/** A check is repeated if the history has grown by this factor. */
const growth = 1.1

/** The requests that the check of a history takes. */
export interface HistoryPlan {
  /** Requests for logs before a backfill, and at the head. */
  readonly probeRequests: number
  readonly checkRequests: number
  /** Blocks whose blooms are compared. */
  readonly bloomBlocks: number
}

/** @param requests for logs of the whole history. */
export function planHistory(requests: number): HistoryPlan {
  const share = (requestsMin: number) =>
    Math.min(requestsMax, Math.max(requestsMin, Math.floor(requests * requestShare)))
  const checkRequests = share(checkRequestsMin)
  return {
    probeRequests: share(probeRequestsMin),
    checkRequests,
    bloomBlocks: Math.max(bloomBlocksMin, bloomBlocksPerRequest * checkRequests),
  }
}

export function createHistoryCheck({
  chain: { chainId },
  client,
  writer,
  log,
}: Pick<ChainParts, 'chain' | 'client' | 'writer' | 'log'>): HistoryCheck {
  const rereads = new Map<number, number>()
  let draws = 0

  function createRandom(): () => number {
    draws++
    return createSeededRandom(chainId ^ (draws * 7_919))
  }

  async function sample({ addresses, topics }: EventSource, range: BlockRange, signal: AbortSignal) {
    return client.sampleLogs({ addresses, topics, ...range }, signal)
  }

  /** Passes over the endpoints that left out a log of a block of the chain. */
  async function distrust(
    omissions: readonly { readonly host: string; readonly log: FetchedLog }[],
    signal: AbortSignal,
  ): Promise<void> {
    for (const { host, log: omitted } of omissions) {
      if (!(await isOnChain(omitted, signal))) continue
      client.distrustLogs(host, omitted.blockNumber)
      // An endpoint that omits this log even from an answer for only its block is not asked for old logs in any case.
      await client.proveLog(omitted, signal)
    }
  }

  async function isOnChain({ blockNumber, blockHash }: FetchedLog, signal: AbortSignal): Promise<boolean> {
    return (await client.fetchAgreedHeader(blockNumber, null, signal)).hash === blockHash
  }

  function planOf(range: BlockRange): HistoryPlan {
    return planHistory(lengthOf(range) / client.logRangeBlocks())
  }

  /** A range of one request. */
  function drawRange(within: BlockRange, random: () => number): BlockRange {
    const length = Math.min(lengthOf(within), client.logRangeBlocks())
    const fromBlock = within.fromBlock + Math.floor(random() * (lengthOf(within) - length + 1))
    return { fromBlock, toBlock: fromBlock + length - 1 }
  }

  /** The ranges of a check by turns: dense ones, long empty ones and random ones. */
  function* drawRanges(within: BlockRange, shape: HistoryShape, random: () => number): Generator<BlockRange> {
    const [dense, empty] = [shape.dense(), shape.empty()]
    for (let turn = 0; turn < Math.max(dense.length, empty.length); turn++) {
      const [most, least] = [dense[turn], empty[turn]]
      if (most !== undefined) yield most
      if (least !== undefined && least.fromBlock < least.toBlock) yield drawRange(least, random)
      yield drawRange(within, random)
    }
    for (;;) yield drawRange(within, random)
  }

  /** Reads where the index has many events and where it has none. */
  async function readShape(whole: BlockRange, events: number): Promise<HistoryShape> {
    const shape = createHistoryShape()
    const width = client.logRangeBlocks()
    const length = Math.ceil(lengthOf(whole) / Math.max(1, Math.ceil(events / eventsPerRead)))
    for (let { fromBlock } = whole; fromBlock <= whole.toBlock; fromBlock += length) {
      const range = { fromBlock, toBlock: Math.min(whole.toBlock, fromBlock + length - 1) }
      const positions = await writer.readEventPositions(chainId, range.fromBlock, range.toBlock)
      shape.note(range, positions.map(positionBlock), width)
    }
    return shape
  }

  /** The first block from which the index lacks a log that the endpoints have; null if it lacks none there. */
  async function findLacking(
    source: EventSource,
    range: BlockRange,
    logs: readonly FetchedLog[],
    signal: AbortSignal,
  ): Promise<number | null> {
    const held = await writer.readEventPositions(chainId, range.fromBlock, range.toBlock)
    const block = firstLacking(source, logs, held)
    const first = logs.find(({ blockNumber }) => blockNumber === block)
    return first !== undefined && (await isOnChain(first, signal)) ? block : null
  }

  /** Searches the whole range for the first block from which the index lacks a log. */
  async function searchLacking(
    source: EventSource,
    { fromBlock, toBlock }: BlockRange,
    signal: AbortSignal,
  ): Promise<number | null> {
    for (let first = fromBlock; first <= toBlock;) {
      const last = Math.min(toBlock, first + requestsPerSearch * client.logRangeBlocks() - 1)
      const range = { fromBlock: first, toBlock: last }
      const { answers } = await sample(source, range, signal)
      const judged = judgeSample(source, answers)
      await distrust(judged.omissions, signal)
      const [host, ...others] = new Set(answers.map((answer) => answer.host))
      // Parts of a long range may be incomplete as well: a sole endpoint is asked in ever smaller ones.
      if (host !== undefined && others.length === 0) client.distrustLogs(host, first)
      const logs = others.length === 0 ? await fetchOwnLogs(source, first, last, signal) : judged.logs
      const block = await findLacking(source, range, logs, signal)
      if (block !== null) return block
      first = last + 1
    }
    return null
  }

  /** The outcome for an index that lacks logs from a block on. */
  function lacking(fromBlock: number, toBlock: number, what: string): HistoryOutcome {
    const count = (rereads.get(fromBlock) ?? 0) + 1
    rereads.set(fromBlock, count)
    const text = `${what} are missing from the index, in the blocks ${fromBlock} to ${toBlock}`
    return count <= rereadsMax
      ? { kind: 'lacking', fromBlock, text }
      : {
          kind: 'defective',
          range: { fromBlock, toBlock },
          text: `${text}: the endpoints do not give them again`,
        }
  }

  /** Asks for ranges of the history again. `lacking`: the first block that the index lacks. */
  async function takeSample(
    source: EventSource,
    whole: BlockRange,
    shape: HistoryShape,
    signal: AbortSignal,
  ): Promise<
    | { readonly kind: 'lacking'; readonly blockNumber: number }
    | {
        readonly kind: 'agreed'
        readonly hosts: number
        readonly blocks: number
        readonly logs: readonly FetchedLog[]
      }
  > {
    let requests = 0
    let blocks = 0
    let hosts = Number.POSITIVE_INFINITY
    const logs = new Map<number, readonly FetchedLog[]>()
    const sampled: BlockRange[] = []
    for (const range of drawRanges(whole, shape, createRandom())) {
      const { answers, requests: sent } = await sample(source, range, signal)
      requests += Math.max(1, sent)
      const judged = judgeSample(source, answers)
      await distrust(judged.omissions, signal)
      const block = await findLacking(source, range, judged.logs, signal)
      if (block !== null) return { kind: 'lacking', blockNumber: block }
      if (answers.length > 1 || range.fromBlock === range.toBlock) {
        sampled.push(range)
        blocks = countBlocks(sampled)
        hosts = Math.min(hosts, new Set(answers.map(({ host }) => host)).size)
        for (const [number, own] of Map.groupBy(judged.logs, ({ blockNumber }) => blockNumber))
          logs.set(number, own)
      }
      if (requests >= planOf(whole).checkRequests || blocks >= lengthOf(whole)) break
    }
    return {
      kind: 'agreed',
      hosts: Number.isFinite(hosts) ? hosts : 0,
      blocks,
      logs: [...logs.values()].flat(),
    }
  }

  /**
   * Looks for logs that the headers of some blocks announce and the index lacks. `withheld`: an endpoint gives logs of a
   * block by its hash and not by its number, so that reading the block again does not help.
   */
  async function searchBlooms(
    source: EventSource,
    whole: BlockRange,
    shape: HistoryShape,
    signal: AbortSignal,
  ): Promise<
    | { readonly kind: 'lacking'; readonly blockNumber: number }
    | { readonly kind: 'withheld'; readonly blockNumber: number }
    | { readonly kind: 'agreed'; readonly unexplained: ReadonlyMap<IndexedDeployment, readonly number[]> }
  > {
    const random = createRandom()
    const blocks = drawBlocks(whole, shape.empty(), planOf(whole).bloomBlocks, random)
    const { logs, announcing, excluding, unexplained } = await sampleBlooms(source, blocks, signal)
    const heldIn = (block: number) => writer.readEventPositions(chainId, block, block)
    for (const blockNumber of announcing) {
      const told = logs.filter((log) => log.blockNumber === blockNumber)
      if (told.length === 0 || firstLacking(source, told, await heldIn(blockNumber)) === null) continue
      const block = { fromBlock: blockNumber, toBlock: blockNumber }
      const judged = judgeSample(source, (await sample(source, block, signal)).answers)
      await distrust(judged.omissions, signal)
      return { kind: judged.logs.length < told.length ? 'withheld' : 'lacking', blockNumber }
    }
    // Blooms that exclude logs of the index say nothing of others.
    for (const block of unexplained.size === 0 ? [] : excluding) {
      if ((await heldIn(block)).length > 0) return { kind: 'agreed', unexplained: new Map() }
    }
    return { kind: 'agreed', unexplained }
  }

  return {
    async probe(source, range, signal) {
      if (client.isAlone()) return
      const random = createRandom()
      for (let requests = 0; requests < planOf(range).probeRequests;) {
        const { answers, requests: sent } = await sample(source, drawRange(range, random), signal)
        requests += Math.max(1, sent)
        await distrust(judgeSample(source, answers).omissions, signal)
        if (answers.length < 2) return
      }
    },
    isDue({ source, indexed }, head, history) {
      const toBlock = lastFinal(source, indexed.blockNumber, head)
      if (toBlock < indexed.startBlock) return false
      const known = contractsOf(source).map(({ deployment: { protocol, address } }) =>
        history.find((each) => each.protocol === protocol && each.address === address),
      )
      return known.some((each) => {
        if (each === undefined) return true
        const length = Math.max(nearHeadBlocks, (each.checkedBlock - indexed.startBlock + 1) * growth)
        return toBlock - indexed.startBlock + 1 > length
      })
    },
    async check({ source, indexed }, head, signal) {
      const whole = {
        fromBlock: indexed.startBlock,
        toBlock: lastFinal(source, indexed.blockNumber, head),
      }
      const records = await writer.countRecords(chainId)
      if (records.defect !== null) {
        const history = unverifiedHistory(source, whole.toBlock, records.defect.text)
        return { kind: 'checked', history }
      }
      const tip = indexed.recentBlocks.at(-1)
      const verdicts =
        tip === undefined
          ? new Map<IndexedDeployment, CountVerdict>()
          : await countHistory(
              source,
              records,
              { held: writer, chainId, tip, random: createRandom() },
              signal,
            )
      const short = [...verdicts.values()].find((verdict) => verdict.kind === 'short')
      if (short !== undefined) {
        log('warn', `the index lacks ${short.text}: comparing it with the endpoints block by block`, {
          chainId,
        })
        const block = await searchLacking(source, whole, signal)
        if (block !== null) return lacking(block, whole.toBlock, short.text)
        const text = `${short.text} are missing from the index: no endpoint gives their logs`
        return { kind: 'defective', range: whole, text }
      }
      const shape = await readShape(whole, countEvents(records))
      /** The index is read again from the first block that it lacks, which may come before the one that was found. */
      const lackingUpTo = async (blockNumber: number) => {
        const first = (await searchLacking(source, { ...whole, toBlock: blockNumber }, signal)) ?? blockNumber
        return lacking(first, blockNumber, 'logs')
      }
      const sampled = await takeSample(source, whole, shape, signal)
      if (sampled.kind === 'lacking') return lackingUpTo(sampled.blockNumber)
      const blooms = await searchBlooms(source, whole, shape, signal)
      if (blooms.kind === 'lacking') return lackingUpTo(blooms.blockNumber)
      if (blooms.kind === 'withheld') {
        const text = `logs are missing from the index, such as those of block ${blooms.blockNumber}: an endpoint gives them by the hash of the block, and none by its number`
        return { kind: 'defective', range: whole, text }
      }
      const { hosts, blocks, logs } = sampled
      const counts = countLogsOf(source, logs)
      const history = contractsOf(source).map((indexedDeployment): ContractHistory => {
        const { protocol, address } = indexedDeployment.deployment
        const verdict = verdicts.get(indexedDeployment)
        const counted =
          verdict?.kind === 'counted' ? { toBlock: whole.toBlock, records: verdict.records } : null
        const doubt =
          verdict?.kind === 'doubtful'
            ? verdict.reason
            : (describeSilence(blooms.unexplained.get(indexedDeployment)) ??
              findUnknown(indexedDeployment, records, whole.fromBlock))
        const kind = hosts > 1 ? 'compared' : 'split'
        const found: HistorySample | null =
          blocks === 0 || doubt !== null
            ? null
            : { kind, toBlock: whole.toBlock, blocks, logs: counts.get(indexedDeployment) ?? 0 }
        const why = verdict?.kind === 'unknown' ? `${verdict.reason}, and ` : ''
        const reason =
          counted === null && found === null
            ? (doubt ?? `${why}no endpoint gave the logs of old blocks again`)
            : null
        return { protocol, address, checkedBlock: whole.toBlock, counted, sample: found, reason }
      })
      return { kind: 'checked', history }
    },
  }
}

/** The doubt about a contract whose logs blooms announce and no endpoint gives; null without such blocks. */
function describeSilence(blocks: readonly number[] | undefined): string | null {
  const [first] = blocks ?? []
  return first === undefined
    ? null
    : `the headers of some blocks announce logs that no endpoint gives, such as that of block ${first}`
}

/** The number of events of the index, roughly. */
function countEvents({ protocols, subjects }: HeldRecords): number {
  const records = protocols.map(({ schema, attestation }) => schema.count + attestation.count)
  const numbered = [...records, ...subjects.map(({ count }) => count)]
  return numbered.reduce((sum, count) => sum + count, 0)
}

/** The evidence that is left after all blocks above `blockNumber` were reverted. */
export function historyUpTo(
  history: readonly ContractHistory[],
  blockNumber: number,
): readonly ContractHistory[] {
  const isAbove = ({ counted, sample }: ContractHistory) =>
    Math.max(counted?.toBlock ?? -1, sample?.toBlock ?? -1) > blockNumber
  if (!history.some(isAbove)) return history
  const upTo = <Known extends { readonly toBlock: number }>(known: Known | null): Known | null =>
    known === null ? null : { ...known, toBlock: Math.min(known.toBlock, blockNumber) }
  return history.map((each) => ({ ...each, counted: upTo(each.counted), sample: upTo(each.sample) }))
}

/** No evidence for any contract, with the reason. */
export function unverifiedHistory(
  source: EventSource,
  checkedBlock: number,
  reason: string,
): readonly ContractHistory[] {
  return contractsOf(source).map(({ deployment: { protocol, address } }) => ({
    protocol,
    address,
    checkedBlock,
    counted: null,
    sample: null,
    reason,
  }))
}

/** The newest final block that the index has. */
export function lastFinal({ finality }: EventSource, indexedBlock: number, head: BlockHeader): number {
  return Math.min(indexedBlock, head.number - finality)
}

function contractsOf(source: EventSource): readonly IndexedDeployment[] {
  return [...new Set(source.deploymentsByAddress.values())]
}

/** The number of blocks in ranges that may overlap. */
function countBlocks(ranges: readonly BlockRange[]): number {
  let blocks = 0
  let last = -1
  for (const { fromBlock, toBlock } of ranges.toSorted((a, b) => a.fromBlock - b.fromBlock)) {
    blocks += Math.max(0, toBlock - Math.max(last + 1, fromBlock) + 1)
    last = Math.max(last, toBlock)
  }
  return blocks
}

function lengthOf({ fromBlock, toBlock }: BlockRange): number {
  return toBlock - fromBlock + 1
}
