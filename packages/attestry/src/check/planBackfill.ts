import { answerBytesAim } from '@attestry/core/chain/fetchPart.ts'
import { finalBlocksReread } from '@attestry/core/sync/fetchEvents.ts'
import { nearHeadBlocks } from '@attestry/core/sync/fetchRange.ts'
import { planHistory } from '@attestry/core/sync/historyCheck.ts'
import { createRangeQueue } from '@attestry/core/sync/rangeQueue.ts'

/** Facts about a chain before its backfill. Densities are means of the sampled ranges. */
export interface BackfillInput {
  readonly blocks: number
  /** Blocks behind the head that may still change. */
  readonly finality: number
  readonly logsPerBlock: number
  /** Bytes of logs in a block. */
  readonly bytesPerBlock: number
  /** Share of the blocks that have logs. */
  readonly loggedShare: number
  /** Share of the blocks whose logs come without their time. */
  readonly undatedShare: number
  /** Contract reads that complete the logs of a block. */
  readonly readsPerBlock: number
  /** Transactions of a block whose sender is asked for. */
  readonly sendersPerBlock: number
  /** Kinds of records that contracts number. */
  readonly numberedKinds: number
  /** Most blocks of one request for logs, and most calls of one batch. */
  readonly logRangeBlocks: number
  readonly batchCalls: number
  readonly hasMulticall: boolean
  /** Whether the bloom of every block says that anything may be in it, so that quiet blocks are asked for by hash. */
  readonly hasFullBlooms: boolean
  /** Requests to an endpoint at the same time. */
  readonly inFlight: number
  readonly endpoints: number
  /** Calls of `eth_getCode` that find the first blocks of contracts. */
  readonly searchCalls: number
}

interface BackfillPlan {
  /** HTTP requests. */
  readonly requests: number
  /** Calls of JSON-RPC, of which a batch holds several. */
  readonly calls: number
}

/** View calls in one call of Multicall3, and the width of the first request for logs: defaults of the client. */
const readsPerCall = 200
const firstWidth = 100
/** The search for the first record that counts reads so many records at once. */
const probesMax = 64
/** Chain id, newest blocks, agreed blocks and the code of Multicall3, for each endpoint. */
const callsOfStart = 8
/** Requests for parts of the answers with the most logs: four answers as a rule. */
const answersReadAgain = 8
/** After so many ranges the rest of a long chain is taken to cost as much a block as the second half of them. */
const rangesMax = 1_000

/**
 * The requests of a backfill, from the first block to the head. Follows the indexer: its queue cuts the ranges, and what
 * `fetchRange.ts` asks for of each is counted.
 */
export function planBackfill(input: BackfillInput): BackfillPlan {
  const { blocks, finality, batchCalls, hasMulticall, endpoints, numberedKinds } = input
  const cost = { requests: 0, calls: 0 }

  /** Calls that share batches. */
  const inBatches = (calls: number) => {
    cost.calls += calls
    cost.requests += calls < 1 ? calls : Math.ceil(calls / batchCalls)
  }
  const oneByOne = (calls: number) => {
    cost.calls += calls
    cost.requests += calls
  }
  const read = (reads: number) => {
    if (!hasMulticall || reads <= 1) inBatches(reads)
    else oneByOne(Math.ceil(reads / readsPerCall))
  }

  oneByOne(callsOfStart * endpoints + input.searchCalls)
  // The index follows the numbers of records from the first one on, which it searches for.
  const records = input.readsPerBlock * blocks
  // If logs need no reads, their number is the best guess of the number of records.
  const numberedPerBlock = input.readsPerBlock > 0 ? input.readsPerBlock : input.logsPerBlock
  const isTallied = blocks > nearHeadBlocks
  if (isTallied) {
    for (let kind = 0; kind < numberedKinds; kind++) {
      read(1)
      for (let left = (numberedPerBlock * blocks) / numberedKinds; left >= 1; left /= probesMax)
        read(Math.min(left, probesMax))
    }
  }

  // Wider requests are refused by all that were sent together.
  if (input.logRangeBlocks < blocks) oneByOne(input.inFlight)
  let width = Math.min(firstWidth, input.logRangeBlocks)
  let passed = 0
  const final = { fromBlock: 0, toBlock: blocks - 1 - finality }
  const ranges = createRangeQueue(
    final,
    () => width,
    (range) => Promise.resolve(range),
  )
  let count = 0
  let half = { ...cost, toBlock: -1 }
  for (let range = ranges.next(); range !== undefined; range = ranges.next()) {
    const size = range.toBlock - range.fromBlock + 1
    ranges.noteLoad(range, size * input.logsPerBlock)
    let logged = 0
    for (let left = size; left > 0;) {
      const asked = Math.min(left, width)
      oneByOne(1)
      logged += chanceOfAny(asked * input.loggedShare)
      left -= asked
      const isLight = asked * input.bytesPerBlock <= answerBytesAim / 2
      if (asked < width || !isLight || ++passed < input.inFlight) continue
      passed = 0
      width = Math.min(input.logRangeBlocks, 2 * width)
    }
    // The first and last header, and those that date the logs, or the last logs of each answer.
    inBatches(Math.min(2, size))
    inBatches(input.undatedShare > 0 ? size * input.undatedShare : logged)
    inBatches(size * input.sendersPerBlock)
    const reads = size * input.readsPerBlock
    read(reads < 1 ? chanceOfAny(reads) : reads)
    if (isTallied) read(numberedKinds * chanceOfAny((size * numberedPerBlock) / Math.max(1, numberedKinds)))
    // A second endpoint is asked too.
    if (endpoints > 1)
      oneByOne(reads < 1 || !hasMulticall ? chanceOfAny(reads) : Math.ceil(reads / readsPerCall))
    if (++count === rangesMax / 2) half = { ...cost, toBlock: range.toBlock }
    if (count < rangesMax) continue
    const times = (final.toBlock - range.toBlock) / (range.toBlock - half.toBlock)
    cost.requests += (cost.requests - half.requests) * times
    cost.calls += (cost.calls - half.calls) * times
    break
  }
  const nearHead = Math.min(blocks, Math.max(nearHeadBlocks, finality))
  // Blocks that may have logs are asked for once more by their hashes.
  const doubtedShare = input.hasFullBlooms ? 1 : input.loggedShare
  inBatches(nearHead)
  if (input.hasFullBlooms) oneByOne(nearHead * (1 - input.loggedShare))
  // The tests of the answers (docs/adr/0046).
  if (blocks > finality) {
    const { probeRequests, checkRequests, bloomBlocks } = planHistory(blocks / input.logRangeBlocks)
    if (isTallied) oneByOne((endpoints > 1 ? probeRequests : 0) + answersReadAgain)
    oneByOne(checkRequests)
    inBatches(Math.min(blocks, bloomBlocks))
    inBatches(Math.min(blocks, bloomBlocks) * doubtedShare)
    read(numberedKinds)
  }
  // Records that were revoked of late are read again, with the headers of the newest blocks.
  if (records > 0) inBatches(Math.min(blocks, finality + finalBlocksReread))
  return { requests: Math.ceil(cost.requests), calls: Math.ceil(cost.calls) }
}

/** The chance that something is there whose mean number is `mean`. */
function chanceOfAny(mean: number): number {
  return 1 - Math.exp(-mean)
}
