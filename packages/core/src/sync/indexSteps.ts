import type { BlockHeader, LogDoubt } from '../chain/chainClient.ts'
import { AttestryError, describeError } from '../errors/baseError.ts'
import { DeepReorganisationError, InconsistentChainError } from '../errors/reorgErrors.ts'
import { StoreUnavailableError } from '../errors/storeErrors.ts'
import type { ChainPhase } from '../model/chainState.ts'
import type { Clock } from '../model/clock.ts'
import { unixMilliseconds } from '../model/time.ts'
import type { RevertSummary } from '../index/indexWriter.ts'
import { backfill } from './backfill.ts'
import {
  chooseStep,
  findFork,
  lastIndexed,
  oldestRemembered,
  replaceablePart,
  withBlocks,
  withoutBlocksAbove,
} from './chainStep.ts'
import { createBlockConfirmation } from './confirmBlocks.ts'
import { createEndpointSamples } from './endpointSamples.ts'
import { fetchHeadBlocks } from './fetchHeadBlocks.ts'
import { hasOldBlocks } from './fetchRange.ts'
import { createHistoryCheck, historyUpTo, unverifiedHistory, type HistoryOutcome } from './historyCheck.ts'
import { createHistoryWork } from './historyWork.ts'
import { createFieldWork } from './createFieldWork.ts'
import { createHeadPace } from './createHeadPace.ts'
import { createPublishedSteps } from './createPublishedSteps.ts'
import { createMissingRecords, LogsLeftOutError } from './missingRecords.ts'
import { openProgress, type ChainParts, type Progress } from './openProgress.ts'
import type { BackfillCommit } from './pendingEvents.ts'
import type { RecordGap } from './recordSeries.ts'
import { sealBlocks } from './sealLogs.ts'
import type { StatusReporter } from './statusReporter.ts'

/** Ends a backfill, so that blocks are read again whose answers may be incomplete. */
class LogsDoubtedError extends Error {
  readonly fromBlock: number
  constructor(fromBlock: number) {
    super(`answers for blocks from ${fromBlock} on may be incomplete`)
    this.fromBlock = fromBlock
  }
}

/**
 * Brings the index of one chain nearer to the chain, step by step. A step may reject at any point; the next one then
 * begins with `open`. Invariants:
 * 1. Blocks up to `finality` below the head are final. They are indexed in ranges, without a comparison of hashes, and
 *    their records are read at the newest state. Blocks above are indexed with their headers and remembered by hash,
 *    and their records are read at the state of the block.
 * 2. Before blocks follow the checkpoint, the chain's hash of the checkpoint block is compared with the remembered one.
 *    If the hashes differ, everything above the common ancestor is reverted first.
 */
export interface IndexSteps {
  /** Reads the state of the index from the store. */
  open(signal: AbortSignal): Promise<Progress>
  /** Reads the head and brings the index nearer to it, or waits if there is nothing to do. */
  step(progress: Progress, signal: AbortSignal): Promise<void>
}

/** After so many attempts in a row without a remembered block on the chain, the reorganisation counts as too deep. */
const deepReorganisationsMin = 3
/** Failed attempts in a row, a minute apart, to read final blocks once more, before the status reports them. */
const confirmFailuresMin = 3
/** Time between two reads of the head during a backfill. Only the status needs them. */
const headRefreshIntervalMs = 10_000

/** `clock` tells the time that is stored; `steady` measures durations. */
export function createIndexSteps(
  parts: ChainParts,
  status: StatusReporter,
  { clock, steady }: { readonly clock: Clock; readonly steady: Clock },
): IndexSteps {
  const { chain, client, writer, log } = parts
  const { chainId } = chain
  let awaitedHeads = 0
  let hasReportedHead = false
  let deepReorganisations = 0
  let unconfirmed: { readonly failures: number; readonly reason: string | null } = {
    failures: 0,
    reason: null,
  }
  let headReadMs = steady.nowMs()
  const missing = createMissingRecords(parts)
  const samples = createEndpointSamples(client, steady)
  const confirmation = createBlockConfirmation(chain, { clock, steady })
  const pace = createHeadPace(client, chain.pollIntervalMs, steady)
  const fields = createFieldWork(writer, chain, { log, clock: steady })
  const history = createHistoryCheck(parts)
  const unsettledBlocks = new Set<number>()
  const historyWork = createHistoryWork(history, steady)
  const published = createPublishedSteps(parts, status)

  return { open, step }

  async function open(signal: AbortSignal): Promise<Progress> {
    fields.begin()
    historyWork.stopAbove(-1)
    const progress = await openProgress(parts, { clock, unannounced: missing.leftOut }, signal)
    published.begin(progress)
    status.set({ indexedBlock: lastIndexed(progress.indexed), history: progress.history })
    return progress
  }

  async function step(progress: Progress, signal: AbortSignal): Promise<void> {
    const head = await pace.fetchHead(signal)
    headReadMs = steady.nowMs()
    status.set({ headBlock: head.number, headTimestamp: head.timestamp, headSource: client.headSource() })
    const replaceable = replaceablePart(progress.indexed, chain.finality)
    const next = chooseStep(replaceable, head, chain.finality, awaitedHeads)
    if (next.kind === 'refuseHead') throw headBelowIndex(progress, head)
    awaitedHeads = next.kind === 'awaitHead' ? awaitedHeads + 1 : 0
    switch (next.kind) {
      case 'awaitHead':
        return clock.sleep(chain.pollIntervalMs, signal)
      case 'revert':
        return revertToFork(progress, head, signal)
      case 'indexFinalBlocks':
        await indexFinalBlocks(progress, head, next.finalBlock, signal)
        break
      case 'indexHeadBlocks':
        await indexHeadBlocks(progress, head, signal)
        break
      case 'wait':
    }
    if (progress.indexed.blockNumber >= head.number) await restAtHead(progress, head, signal)
  }

  /** Does what can wait for the head, until the next head is due. */
  async function restAtHead(progress: Progress, head: BlockHeader, signal: AbortSignal): Promise<void> {
    status.set({ reachedHead: true })
    await samples.compareBlock(progress.indexed, head.number - chain.finality, signal)
    if ((await confirmAtHead(progress, head, signal)) === 'wrong') return
    await showPhase('following')
    if ((await checkHistory(progress, head, signal)) === 'lacking') return
    // After the status is saved: a reader of this line finds the status in the index.
    if (!hasReportedHead) log('info', `reached the head at block ${head.number}`, { chainId })
    hasReportedHead = true
    await fields.advance(pace.nextMs(), signal)
    await waitForHead(signal)
  }

  /** Waits for the next head, or for the end of a check of the history, whose result is due then. */
  async function waitForHead(signal: AbortSignal): Promise<void> {
    const checked = new AbortController()
    void historyWork.ended()?.then(() => checked.abort())
    await pace.wait(AbortSignal.any([signal, checked.signal]))
  }

  /**
   * Reverts the index to the newest remembered block that is still part of the chain, if that lies below the
   * checkpoint.
   * @throws DeepReorganisationError if no remembered block is part of the chain, several times in a row.
   */
  async function revertToFork(progress: Progress, head: BlockHeader, signal: AbortSignal): Promise<void> {
    const indexed = replaceablePart(progress.indexed, chain.finality)
    const { blockNumber } = indexed
    const toBlock = Math.min(head.number, blockNumber)
    const fork = findFork(indexed, await client.fetchHeaders(oldestRemembered(indexed), toBlock, signal))
    deepReorganisations = fork.kind === 'deep' ? deepReorganisations + 1 : 0
    if (fork.kind === 'deep') throw deepReorganisation(fork.oldest, head)
    const { keptBlock } = fork
    if (keptBlock === blockNumber) return
    const summary = await keepUpTo(progress, keptBlock)
    const facts = { chainId, fromBlock: keptBlock + 1, toBlock: blockNumber, ...summary }
    log('warn', `the chain was reorganised: ${blockNumber - keptBlock} blocks reverted`, facts)
  }

  /** Confirms blocks if they are due. The head is followed also while endpoints do not give the logs once more. */
  async function confirmAtHead(
    progress: Progress,
    head: BlockHeader,
    signal: AbortSignal,
  ): Promise<'right' | 'unclear' | 'wrong' | null> {
    if (!confirmation.isDue(progress.indexed, head)) return null
    try {
      const confirmed = await confirmBlocks(progress, head, signal)
      unconfirmed = { failures: 0, reason: null }
      return confirmed
    } catch (error) {
      const passes = error instanceof AttestryError && error.retryable
      if (signal.aborted || !passes || error instanceof StoreUnavailableError) throw error
      const failures = unconfirmed.failures + 1
      const reason = `the logs of final blocks cannot be read once more: ${describeError(error)}`
      unconfirmed = { failures, reason: failures < confirmFailuresMin ? null : reason }
      return null
    }
  }

  /**
   * Reads the logs of settled blocks once more. If the index has other logs, the blocks from there on are reverted, and
   * the next step reads them again.
   */
  async function confirmBlocks(
    progress: Progress,
    head: BlockHeader,
    signal: AbortSignal,
  ): Promise<'right' | 'unclear' | 'wrong'> {
    const { lastBlock, next } = await confirmation.confirm(progress.source, progress.indexed, head, signal)
    const [oldest] = progress.indexed.recentBlocks
    if (lastBlock !== null && oldest !== undefined && oldest.number < lastBlock) {
      await writer.forgetBlocks(chainId, lastBlock)
      progress.indexed = withBlocks(progress.indexed, progress.indexed.blockNumber, [], lastBlock)
    }
    if (next === null) return 'right'
    const { kind, blockNumber } = next
    const facts = { chainId, blockNumber }
    if (kind === 'unclear') return kind
    if (kind === 'disputed') {
      const text = `the endpoints give now these, now those logs of block ${blockNumber}, which is final: records of it may be missing or wrong`
      log('error', `${text}; compare with another endpoint by "attestry verify"`, facts)
      await writer.markDefect(chainId, { fromBlock: blockNumber, toBlock: blockNumber, text })
      return 'right'
    }
    const blocks = progress.indexed.blockNumber - blockNumber + 1
    const summary = await keepUpTo(progress, blockNumber - 1)
    status.set({ blocksMended: status.current().blocksMended + 1 })
    const what = `block ${blockNumber} has other logs, now that it is final, than near the head`
    log('warn', `${what}: the ${blocks} blocks from there on are read again`, { ...facts, ...summary })
    return kind
  }

  /**
   * Checks the history beside the new blocks, if that is due, and takes the result of a check that has ended. Blocks of
   * which the index lacks logs are reverted, and the next step reads them again.
   */
  async function checkHistory(
    progress: Progress,
    head: BlockHeader,
    signal: AbortSignal,
  ): Promise<HistoryOutcome['kind'] | null> {
    const outcome = historyWork.take()
    if (outcome === null) {
      historyWork.start(progress, head, status.current().history, signal)
      return null
    }
    if (outcome.kind === 'checked') {
      status.set({ history: outcome.history })
      return outcome.kind
    }
    const { text } = outcome
    if (outcome.kind === 'lacking') {
      const { fromBlock } = outcome
      log('warn', `${text}: the blocks from there on are read again`, { chainId, fromBlock })
      await keepUpTo(progress, fromBlock - 1)
      status.set({ history: [] })
      return outcome.kind
    }
    const reported = `${text}; "attestry verify --repair" reads them from an endpoint that has them`
    log('error', reported, { chainId, ...outcome.range })
    await writer.markDefect(chainId, { ...outcome.range, text })
    status.set({ history: unverifiedHistory(progress.source, outcome.range.toBlock, text) })
    return outcome.kind
  }

  /** Takes what endpoints were found to have left out of answers of a backfill. */
  async function meetDoubt({ fromBlock, unsettled }: LogDoubt): Promise<void> {
    for (const block of unsettled) unsettledBlocks.add(block)
    const blocks = [...unsettledBlocks].sort((a, b) => a - b)
    const [first, last] = [blocks[0], blocks.at(-1)]
    if (unsettled.length > 0 && first !== undefined && last !== undefined) {
      const named = `${blocks.slice(0, 10).join(', ')}${blocks.length > 10 ? ' and others' : ''}`
      const text = `the endpoints give not all logs of the blocks ${named}, each asked for alone: records of these blocks may be missing`
      log('error', text, { chainId, fromBlock: first, toBlock: last })
      await writer.markDefect(chainId, { fromBlock: first, toBlock: last, text })
    }
    if (fromBlock !== null) throw new LogsDoubtedError(fromBlock)
  }

  /** Reverts all blocks after `keptBlock`. */
  async function keepUpTo(progress: Progress, keptBlock: number): Promise<RevertSummary> {
    const summary = await writer.revertBlocks(chainId, keptBlock, unixMilliseconds(clock.nowMs()))
    progress.indexed = withoutBlocksAbove(progress.indexed, keptBlock)
    status.set({ history: historyUpTo(status.current().history, keptBlock) })
    confirmation.noteRevert(keptBlock)
    historyWork.stopAbove(keptBlock)
    const { indexed } = progress
    const indexedTimestamp = indexed.recentBlocks.at(-1)?.timestamp ?? null
    status.set({ indexedBlock: lastIndexed(indexed), indexedTimestamp })
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
    const tip = progress.indexed.recentBlocks.at(-1) ?? null
    if (tip !== null && (await client.fetchAgreedHeader(tip.number, tip.hash, signal)).hash !== tip.hash) {
      return revertToFork(progress, head, signal)
    }
    // Old blocks of the index are confirmed first. A difference found later would also revert the blocks after them.
    for (let left = Number.POSITIVE_INFINITY; confirmation.isBehind(progress.indexed, head);) {
      if (progress.indexed.recentBlocks.length === left) break
      left = progress.indexed.recentBlocks.length
      const confirmed = await confirmBlocks(progress, head, signal)
      if (confirmed === 'unclear') throw unclearLogs()
      if (confirmed === 'wrong') return
    }
    await showPhase('backfilling')
    const onCommit = ({ summary, blockNumber, remembered, forgetBlocksBelow, timestamp }: BackfillCommit) => {
      progress.indexed = withBlocks(progress.indexed, blockNumber, remembered, forgetBlocksBelow)
      status.count(summary)
      status.set({
        indexedBlock: blockNumber,
        ...(timestamp === null ? {} : { indexedTimestamp: timestamp }),
      })
      void showPhase('backfilling').catch(() => undefined)
      refreshHead(signal)
    }
    if (await published.take(progress, finalBlock, onCommit, signal)) return
    const fromBlock = progress.indexed.blockNumber + 1
    const facts = { chainId, fromBlock, toBlock: finalBlock }
    log('info', `indexing the final blocks ${fromBlock} to ${finalBlock}`, facts)
    const onGap = (gap: RecordGap, inner: AbortSignal) => missing.meetGap(gap, progress, head, inner)
    // The endpoint that agreed on the tip may have another block by now, so the backfill receives the tip.
    const oldestBlock = progress.indexed.recentBlocks[0]?.number ?? null
    const blocks = {
      fromBlock,
      tip,
      oldestBlock,
      lastBlock,
      headBlock: head.number,
      headTimestamp: head.timestamp,
    }
    const target = { chainId, ...blocks }
    if (hasOldBlocks(target)) {
      await history.probe(progress.source, { fromBlock, toBlock: finalBlock }, signal)
    }
    try {
      await backfill(progress.source, writer, target, { onCommit, onGap, onDoubt: meetDoubt }, signal)
    } catch (error) {
      // The next step reads the blocks again, with these logs.
      if (error instanceof LogsDoubtedError) {
        if (error.fromBlock <= progress.indexed.blockNumber) await keepUpTo(progress, error.fromBlock - 1)
      } else if (!(error instanceof LogsLeftOutError)) throw error
    }
  }

  /** Reads the head only for the status, which follows the head during a long backfill. */
  function refreshHead(signal: AbortSignal): void {
    if (steady.nowMs() - headReadMs <= headRefreshIntervalMs) return
    headReadMs = steady.nowMs()
    client.fetchHead(signal).then(
      ({ number, timestamp }) => status.set({ headBlock: number, headTimestamp: timestamp }),
      () => undefined,
    )
  }

  /** Indexes blocks above the final ones on top of the checkpoint, or reverts a checkpoint that was replaced. */
  async function indexHeadBlocks(progress: Progress, head: BlockHeader, signal: AbortSignal): Promise<void> {
    const { source, indexed } = progress
    const found = await fetchHeadBlocks(source, indexed, head, signal)
    if (found.kind === 'replaced') return revertToFork(progress, head, signal)
    if (found.kind === 'leftOut') {
      missing.addLeftOut(found.logs)
      const keptBlock = Math.min(...found.logs.map(({ blockNumber }) => blockNumber)) - 1
      if (keptBlock < indexed.blockNumber) await keepUpTo(progress, keptBlock)
      return
    }
    const { headers, last, logs, events } = found
    const recentBlocks = sealBlocks(headers, logs)
    // Confirmed blocks are forgotten, and no others.
    const forgetBlocksBelow = (indexed.recentBlocks[0] ?? headers[0])?.number ?? 0
    const summary = await writer.applyBlocks(chainId, {
      fromBlock: indexed.blockNumber + 1,
      checkpoint: { blockNumber: last.number, timestamp: last.timestamp },
      events,
      recentBlocks,
      forgetBlocksBelow,
      storedAt: unixMilliseconds(clock.nowMs()),
    })
    progress.indexed = withBlocks(indexed, last.number, recentBlocks, forgetBlocksBelow)
    status.count(summary)
    status.set({ indexedBlock: last.number, indexedTimestamp: last.timestamp })
    await showPhase('following')
  }

  /** Shows a phase without a failure. Readers of the status add what is known to be missing. */
  function showPhase(phase: ChainPhase): Promise<void> {
    return status.update({ phase, lastError: unconfirmed.reason })
  }

  function unclearLogs(): AttestryError {
    return new InconsistentChainError(
      'the endpoints do not give the logs of blocks that are indexed, or others: asking again',
      { retryable: true, facts: { chainId } },
    )
  }

  function headBelowIndex({ indexed }: Progress, head: BlockHeader): AttestryError {
    return new InconsistentChainError(
      `the newest block of the endpoints is ${head.number}, far below block ${indexed.blockNumber} of the index`,
      { retryable: true, facts: { chainId } },
    )
  }

  function deepReorganisation(oldest: number, head: BlockHeader): AttestryError {
    const message =
      `no block from ${oldest} on is part of the chain any more: it was reorganised deeper than the ` +
      `${chain.finality} blocks of "finality", or the endpoints serve another chain`
    const facts = { chainId, oldestRemembered: oldest, headBlock: head.number }
    return deepReorganisations >= deepReorganisationsMin
      ? new DeepReorganisationError(message, { facts })
      : new InconsistentChainError(message, { retryable: true, facts })
  }
}
