import type { BlockHeader, ChainClient } from '../chain/chainClient.ts'
import { steadyClock, systemClock, type Clock } from '../model/clock.ts'
import { AttestryError, describeError } from '../errors/baseError.ts'
import { DeepReorganisationError, InconsistentChainError } from '../errors/reorgErrors.ts'
import { StoreUnavailableError } from '../errors/storeErrors.ts'
import type { BlockRef, ChainStatus } from '../model/chainState.ts'
import { registriesOf } from '../model/indexedContract.ts'
import { unixMilliseconds } from '../model/time.ts'
import type { IndexWriter } from '../store/indexWriter.ts'
import { backfill } from './backfill.ts'
import { chooseStep, findFork, oldestRemembered, type IndexedBlocks } from './chainStep.ts'
import { compareRecords } from './compareRecords.ts'
import { createEventSource, fetchEvents, fetchHeadLogs, type EventSource } from './fetchEvents.ts'
import { createDigestWork } from './digestWork.ts'
import { createFieldWork } from './fieldWork.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import { createGapHandler } from './gapHandler.ts'
import { createHeadPace } from './createHeadPace.ts'
import type { IndexedChain, SyncLog } from './indexedChain.ts'
import type { RecordGap } from './recordSeries.ts'
import { assertLinked, assertOnChain } from './reorganisation.ts'
import { resolveDeployments, type DeploymentToIndex } from './resolveDeployments.ts'
import type { BackfillCommit } from './pendingEvents.ts'
import { createStatusReporter } from './statusReporter.ts'
import { findSilentDeployments, findUnannouncedAtHead, findUnannouncedOfGap } from './unannouncedRecords.ts'

/**
 * Keeps the index of one chain true. Invariants:
 * 1. The store's checkpoint is the only memory of progress. After a failure the state is read from the checkpoint.
 * 2. Blocks up to `finality` below the head are final. They are indexed in ranges, without a comparison of hashes, and
 *    their records are read at the newest state. Blocks above are indexed with their headers and remembered by hash,
 *    and their records are read at the state of the block.
 * 3. Before blocks follow the checkpoint, the chain's hash of the checkpoint block is compared with the remembered one.
 *    If the hashes differ, everything above the common ancestor is reverted first.
 * 4. The chain is claimed before any read or write: of all processes that share a database, one indexes the chain.
 * 5. Passing failures (an endpoint that does not answer, or contradicts itself) are retried for ever, with backoff. A
 *    broken invariant stops this chain alone.
 */
export interface ChainIndexer {
  /** Runs until `signal` aborts or the chain stops on a broken invariant. Never rejects. */
  run(signal: AbortSignal): Promise<void>
  /** The present phase. */
  status(): ChainStatus
}

export interface ChainIndexerOptions {
  readonly chain: IndexedChain
  /** A missing first block is found on the chain. */
  readonly deployments: readonly DeploymentToIndex[]
  readonly client: ChainClient
  readonly writer: IndexWriter
  readonly log: SyncLog
  /** Called at every change of the status, at most a few times a second. */
  readonly onStatus?: (status: ChainStatus) => void
  /** Source of the time and of all pauses; the machine's clock by default. */
  readonly clock?: Clock
}

/**
 * Most headers of one step at the head. No known chain has more blocks above the final ones, so records are read at a
 * state that every node still keeps.
 */
const headersPerStepMax = 1_000
/** Longest pause between two attempts while a chain does not answer. */
const retryDelayMaxMs = 60_000
const retryDelayFirstMs = 500
/** The same while the database is away. No other process can take the chain over meanwhile. */
const storeRetryDelayMaxMs = 4_000
/** How often a standby process asks for the claim of the chain. */
const claimIntervalMs = 1_000
/**
 * After so many polls in a row with a head below the checkpoint, the chain counts as shortened rather than the node as
 * late.
 */
const shortHeadPollsMin = 15
/** After so many attempts in a row without a remembered block on the chain, the reorganisation counts as too deep. */
const deepReorganisationsMin = 3
/** How often the endpoints are compared, by one block and by one new record, while the chain is followed. */
const compareIntervalMs = 60_000
/** How often the head is read during a backfill, for the status alone. */
const headRefreshIntervalMs = 10_000

/** An opened chain with the state of its index. */
interface Progress extends IndexedBlocks {
  readonly source: EventSource
  blockNumber: number
  recentBlocks: readonly BlockRef[]
}

export function createChainIndexer(options: ChainIndexerOptions): ChainIndexer {
  const { chain, client, writer, log } = options
  const { chainId } = chain
  const clock = options.clock ?? systemClock
  const steady = options.clock ?? steadyClock
  const status = createStatusReporter(chain, { ...options, clock })
  let shortHeadPolls = 0
  let deepReorganisations = 0
  let comparedAtMs = clock.nowMs()
  let recordsComparedAtMs = Number.NEGATIVE_INFINITY
  // The sentence about records that are missing from the index, for the status; null if there are none.
  let incomplete: string | null = null
  const meetGap = createGapHandler(client, chain, log)
  const works = [
    createDigestWork(writer, chain, { log, clock: steady }),
    createFieldWork(writer, chain, { log, clock: steady }),
  ]
  // Logs that contracts left out. Those of blocks that were replaced meanwhile match no block.
  const unannounced: ChainLog[] = []
  const pace = createHeadPace(client, chain.pollIntervalMs, steady)

  return { run, status: () => status.current() }

  async function run(signal: AbortSignal): Promise<void> {
    let failures = 0
    // A call is retried for up to a minute before it rejects. The status shows the failure at once.
    client.watchRetries((error) => {
      void status.update({ lastError: describeError(error) }).catch(() => undefined)
    })
    while (!signal.aborted) {
      try {
        await claimChain(signal)
        const progress = await openProgress(signal)
        for (;;) {
          signal.throwIfAborted()
          await step(progress, signal)
          if (failures > 0) log('info', 'the chain answers again', { chainId })
          failures = 0
        }
      } catch (error) {
        if (signal.aborted) break
        if (!isRetryable(error)) {
          log('error', `indexing stopped: ${describeError(error)}`, describeFacts(error))
          await status.update({ phase: 'stopped', lastError: describeError(error) }).catch(() => undefined)
          return
        }
        failures++
        // Logged when the failure begins and then ever more rarely: a chain that is away for a day must not fill the
        // log.
        if (Math.log2(failures) % 1 === 0) {
          log('warn', `${describeError(error)}; trying again`, { ...describeFacts(error), attempt: failures })
        }
        await status.update({ phase: 'retrying', lastError: describeError(error) }).catch(() => undefined)
        const maxMs = error instanceof StoreUnavailableError ? storeRetryDelayMaxMs : retryDelayMaxMs
        const backoffMs = Math.min(maxMs, retryDelayFirstMs * 2 ** Math.min(failures - 1, 20))
        await pause(backoffMs, signal)
      }
    }
    await status.flush().catch(() => undefined)
  }

  /** Waits for the claim of the chain. Until then the process with the claim writes the chain's status. */
  async function claimChain(signal: AbortSignal): Promise<void> {
    let standsBy = false
    while (!(await writer.claimChain(chainId))) {
      if (!standsBy) log('info', 'another process indexes the chain: standing by', { chainId })
      standsBy = true
      await pause(claimIntervalMs, signal)
      signal.throwIfAborted()
    }
    if (standsBy) log('info', 'taking the chain over', { chainId })
  }

  async function openProgress(signal: AbortSignal): Promise<Progress> {
    const deployments = await resolveDeployments(options.deployments, options, signal)
    const source = createEventSource(client, deployments, {
      transactionSenders: chain.transactionSenders,
      finality: chain.finality,
      clock,
      unannounced,
    })
    const identity = {
      chainId,
      name: chain.name,
      contracts: deployments.map(({ deployment }) => ({
        protocol: deployment.protocol,
        address: deployment.address,
        schemaRegistry: deployment.schemaRegistry,
        ...registriesOf(deployment),
        startBlock: deployment.startBlock,
      })),
    }
    for (const work of works) work.begin()
    let opened = await writer.openChain(identity)
    if (opened.rewindTo !== null) {
      log(
        'warn',
        `the contracts of the chain, or what is kept of them, changed: indexing again from block ${opened.rewindTo + 1}`,
        {
          chainId,
        },
      )
      await writer.revertBlocks(chainId, opened.rewindTo, currentTimeMs())
      opened = await writer.openChain(identity)
    }
    const silent = await findSilentDeployments(source, signal)
    const startBlock = Math.min(...deployments.map(({ deployment }) => deployment.startBlock))
    const blockNumber = opened.checkpoint?.blockNumber ?? startBlock - 1
    status.set({ indexedBlock: opened.checkpoint?.blockNumber ?? null })
    return { source: { ...source, silent }, startBlock, blockNumber, recentBlocks: opened.recentBlocks }
  }

  /** One step: reads the head and brings the index nearer to it, or waits if there is nothing to do. */
  async function step(progress: Progress, signal: AbortSignal): Promise<void> {
    const head = await pace.fetchHead(signal)
    status.set({ headBlock: head.number, headTimestamp: head.timestamp, headSource: client.headSource() })
    const next = chooseStep(progress, head, chain.finality)
    if (next.kind === 'meetShortHead') return meetShortHead(progress, head, signal)
    shortHeadPolls = 0
    switch (next.kind) {
      case 'indexFinalBlocks':
        await indexFinalBlocks(progress, head, next.finalBlock, signal)
        break
      case 'indexHeadBlocks':
        await indexHeadBlocks(progress, head, signal)
        break
      case 'takeBack':
        await takeBack(progress, head, signal)
        break
      case 'wait':
    }
    if (progress.blockNumber < head.number) return
    if (!status.current().reachedHead) log('info', `reached the head at block ${head.number}`, { chainId })
    status.set({ reachedHead: true })
    await compareEndpoints(progress, head.number - chain.finality, signal)
    await status.update({ phase: 'following', lastError: incomplete })
    for (const work of works) await work.advance(pace.nextMs(), signal)
    await pace.wait(signal)
  }

  /**
   * The endpoint's head lies below the checkpoint. Three cases:
   * 1. The head lies below all remembered blocks: nothing can be compared. The endpoint is catching up: wait.
   * 2. The head is a remembered block: the endpoint is late, as a rule. If the head stays there, the chain has become
   *    shorter, and the blocks above are reverted.
   * 3. The head is another block than the remembered one: the chain was reorganised to a shorter one.
   */
  async function meetShortHead(progress: Progress, head: BlockHeader, signal: AbortSignal): Promise<void> {
    const remembered = progress.recentBlocks.find((block) => block.number === head.number)
    if (remembered === undefined) {
      throw new InconsistentChainError(
        `the newest block of the endpoints is ${head.number}, far below block ${progress.blockNumber} of the index`,
        { retryable: true, facts: { chainId } },
      )
    }
    shortHeadPolls++
    if (remembered.hash === head.hash && shortHeadPolls < shortHeadPollsMin) {
      return pause(chain.pollIntervalMs, signal)
    }
    shortHeadPolls = 0
    await takeBack(progress, head, signal)
  }

  /**
   * From time to time, compares the oldest remembered block, which is final as a rule, with the same block of all
   * endpoints.
   */
  async function compareEndpoints({ recentBlocks }: Progress, finalBlock: number, signal: AbortSignal) {
    const oldest = recentBlocks[0]
    if (oldest === undefined || oldest.number > finalBlock) return
    if (Math.abs(clock.nowMs() - comparedAtMs) < compareIntervalMs) return
    comparedAtMs = clock.nowMs()
    await client.fetchAgreedHeader(oldest.number, oldest.hash, signal)
  }

  /**
   * Reverts the index to the newest remembered block that is still part of the chain, if that lies below the
   * checkpoint.
   * @throws DeepReorganisationError if no remembered block is part of the chain, several times in a row.
   */
  async function takeBack(progress: Progress, head: BlockHeader, signal: AbortSignal): Promise<void> {
    const toBlock = Math.min(head.number, progress.blockNumber)
    const fork = findFork(progress, await client.fetchHeaders(oldestRemembered(progress), toBlock, signal))
    if (fork.kind === 'deep') {
      const message =
        `no block from ${fork.oldest} on is part of the chain any more: it was reorganised deeper than the ` +
        `${chain.finality} blocks of "finality", or the endpoints serve another chain`
      const facts = { chainId, oldestRemembered: fork.oldest, headBlock: head.number }
      deepReorganisations++
      if (deepReorganisations >= deepReorganisationsMin) throw new DeepReorganisationError(message, { facts })
      throw new InconsistentChainError(message, { retryable: true, facts })
    }
    deepReorganisations = 0
    const { keptBlock } = fork
    if (keptBlock === progress.blockNumber) return
    const toBlockBefore = progress.blockNumber
    const summary = await keepUpTo(progress, keptBlock)
    log('warn', `the chain was reorganised: ${toBlockBefore - keptBlock} blocks taken back`, {
      chainId,
      fromBlock: keptBlock + 1,
      toBlock: toBlockBefore,
      ...summary,
    })
  }

  /** Reverts all blocks after `keptBlock`. */
  async function keepUpTo(progress: Progress, keptBlock: number) {
    const summary = await writer.revertBlocks(chainId, keptBlock, currentTimeMs())
    progress.blockNumber = keptBlock
    progress.recentBlocks = progress.recentBlocks.filter((block) => block.number <= keptBlock)
    const ancestor = progress.recentBlocks.at(-1)
    status.set({ indexedBlock: ancestor?.number ?? null, indexedTimestamp: ancestor?.timestamp ?? null })
    return summary
  }

  /** Indexes the blocks up to `finalBlock` on top of the checkpoint, or reverts a checkpoint that was replaced. */
  async function indexFinalBlocks(
    progress: Progress,
    head: BlockHeader,
    finalBlock: number,
    signal: AbortSignal,
  ): Promise<void> {
    // The last block is fetched before the tip is compared. In the other order, a reorganisation in between would leave
    // blocks of the old branch below a last block of the new one, and no later comparison would show that.
    const lastBlock = await client.fetchAgreedHeader(finalBlock, null, signal)
    const tip = progress.recentBlocks.at(-1) ?? null
    if (tip !== null && (await client.fetchAgreedHeader(tip.number, tip.hash, signal)).hash !== tip.hash) {
      return takeBack(progress, head, signal)
    }
    await status.update({ phase: 'backfilling', lastError: incomplete })
    const fromBlock = progress.blockNumber + 1
    log('info', `indexing the final blocks ${fromBlock} to ${finalBlock}`, {
      chainId,
      fromBlock,
      toBlock: finalBlock,
    })
    let lastHeadMs = clock.nowMs()
    const onCommit = ({ summary, blockNumber, block, timestamp }: BackfillCommit) => {
      progress.blockNumber = blockNumber
      progress.recentBlocks = block === null ? [] : [block]
      status.count(summary)
      status.set({
        indexedBlock: blockNumber,
        ...(timestamp === null ? {} : { indexedTimestamp: timestamp }),
      })
      void status.update({ lastError: incomplete }).catch(() => undefined)
      // The status of a long backfill follows the head.
      if (Math.abs(clock.nowMs() - lastHeadMs) > headRefreshIntervalMs) {
        lastHeadMs = clock.nowMs()
        client.fetchHead(signal).then(
          (newest) => status.set({ headBlock: newest.number, headTimestamp: newest.timestamp }),
          () => undefined,
        )
      }
    }
    const target = {
      chainId,
      fromBlock,
      // The endpoint that agreed on the tip may have another block by now.
      tip,
      lastBlock,
      headBlock: head.number,
      headTimestamp: head.timestamp,
    }
    const onGap = async (gap: RecordGap, inner: AbortSignal) => {
      const logs = await findUnannouncedOfGap(progress.source, gap, head, inner)
      if (logs.length > 0) throw new LogsLeftOut(logs)
      incomplete = await meetGap(gap, progress.source, progress.blockNumber, inner)
    }
    try {
      await backfill(progress.source, writer, target, { onCommit, onGap }, signal)
    } catch (error) {
      if (!(error instanceof LogsLeftOut)) throw error
      addUnannounced(error.logs)
    }
  }

  /** Takes logs that a contract left out. Their blocks are read again, by the next step. */
  function addUnannounced(logs: readonly ChainLog[]): void {
    unannounced.push(...logs)
    const [blockNumber, records] = [logs[0]?.blockNumber, logs.length]
    log('info', 'attestations without a log are read from their contract', { chainId, blockNumber, records })
  }

  /** Indexes blocks above the final ones on top of the checkpoint, or reverts a checkpoint that was replaced. */
  async function indexHeadBlocks(progress: Progress, head: BlockHeader, signal: AbortSignal): Promise<void> {
    const tip = progress.recentBlocks.at(-1)
    const fromBlock = progress.blockNumber + 1
    const toBlock = Math.min(head.number, progress.blockNumber + headersPerStepMax)
    // The head is fetched already; where it is the only block, nothing more is asked for.
    const headers = fromBlock === head.number ? [head] : await client.fetchHeaders(fromBlock, toBlock, signal)
    assertLinked(headers)
    const first = headers[0]
    const last = headers.at(-1)
    if (first === undefined || last === undefined) return
    if (tip !== undefined && first.parentHash !== tip.hash) return takeBack(progress, head, signal)
    const logs = await fetchHeadLogs(progress.source, headers, signal)
    assertOnChain(logs, headers)
    const { source, recentBlocks: remembered } = progress
    const untold = await findUnannouncedAtHead(source, source.silent, { remembered, headers }, logs, signal)
    if (untold.length > 0) {
      addUnannounced(untold)
      const keptBlock = Math.min(...untold.map((each) => each.blockNumber)) - 1
      if (keptBlock < progress.blockNumber) await keepUpTo(progress, keptBlock)
      return
    }
    const at = { kind: 'lastBlock', block: last } as const
    const events = await fetchEvents(progress.source, logs, at, signal)
    if (events.length > 0 && Math.abs(clock.nowMs() - recordsComparedAtMs) >= compareIntervalMs) {
      await compareRecords(progress.source, logs, at, signal)
      recordsComparedAtMs = clock.nowMs()
    }
    const recentBlocks = headers.map(rememberedBlock)
    const forgetBlocksBelow = Math.min(head.number - chain.finality, last.number)
    const summary = await writer.applyBlocks(chainId, {
      fromBlock,
      checkpoint: { blockNumber: last.number, timestamp: last.timestamp },
      events,
      recentBlocks,
      forgetBlocksBelow,
      storedAt: currentTimeMs(),
    })
    progress.blockNumber = last.number
    progress.recentBlocks = [...progress.recentBlocks, ...recentBlocks].filter(
      (block) => block.number >= forgetBlocksBelow,
    )
    status.count(summary)
    status.set({ indexedBlock: last.number, indexedTimestamp: last.timestamp })
    await status.update({ phase: 'following', lastError: incomplete })
  }

  function currentTimeMs() {
    return unixMilliseconds(clock.nowMs())
  }

  async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
    await clock.sleep(delayMs, signal).catch(() => undefined)
  }
}

/** Ends a backfill to read blocks again, with logs that their contract left out. */
class LogsLeftOut extends Error {
  readonly logs: readonly ChainLog[]
  constructor(logs: readonly ChainLog[]) {
    super('a contract made records without logs')
    this.logs = logs
  }
}

/**
 * Whether an error stops the chain for good: an AttestryError that is not retryable, or an unknown error (a defect).
 */
function isRetryable(error: unknown): boolean {
  return error instanceof AttestryError && error.retryable
}

function describeFacts(error: unknown): Record<string, unknown> {
  return error instanceof AttestryError ? { code: error.code, ...error.facts } : {}
}

function rememberedBlock({ number, hash, parentHash, timestamp }: BlockHeader): BlockRef {
  return { number, hash, parentHash, timestamp }
}
