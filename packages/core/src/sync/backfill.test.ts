import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answerNumbered, numberedDeployment, numberedLog } from '@attestry/test/harness/numberedRecords.ts'
import type { BlockHeader, ChainClient } from '../chain/chainClient.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { RpcMissingError } from '../errors/rpcErrors.ts'
import { blockNumbers } from '../model/chainState.ts'
import { noBytes, zeroHash, type Hash } from '../model/hex.ts'
import { eventPosition, positionBlock } from '../model/position.ts'
import { unixSeconds } from '../model/time.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import type { BlockBatch, IndexWriter } from '../index/indexWriter.ts'
import { backfill, type BackfillListener } from './backfill.ts'
import { createEventSource } from './fetchEvents.ts'
import type { RecordGap } from './recordSeries.ts'

interface WorldOptions {
  /** The number of records that each block made, from block 0 on. */
  readonly recordsOf: readonly number[]
  readonly head: number
  readonly logRangeBlocks?: number
  readonly isAlone?: boolean
  /** The endpoints give no log of this block. */
  readonly omits?: number
  /** Hosts that do not return a log that they are asked to prove. */
  readonly forgetful?: readonly string[]
  /** Turns of the event loop that the next request takes. */
  readonly turns?: (what: Request, fromBlock: number) => number
  /** Called before a request is answered; what it throws is the answer. */
  readonly onRequest?: (what: Request, fromBlock: number) => void
  /** Called before a batch is stored; what it throws is the store's answer. */
  readonly onStore?: (batch: BlockBatch) => void
}

type Request = 'headers' | 'logs' | 'reads' | 'proof' | 'store'

const noSummary = { schemas: 0, attestations: 0, revocations: 0, anchors: 0, undecodable: 0 }

/** A chain whose block has ten times its number as its time, and an index of it. A range of it is always due. */
function createWorld(options: WorldOptions) {
  const { recordsOf, head } = options
  const stored: BlockBatch[] = []
  let underWay = 0
  let nowMs = 0
  /** The blocks from here on are those of another branch. */
  let forkedFrom = Infinity

  async function request<Result>(
    [what, fromBlock]: [Request, number],
    signal: AbortSignal | undefined,
    answer: () => Result,
  ): Promise<Result> {
    underWay++
    try {
      for (let turns = options.turns?.(what, fromBlock) ?? 1; turns > 0; turns--) await nextTurn()
      signal?.throwIfAborted()
      options.onRequest?.(what, fromBlock)
      return answer()
    } finally {
      underWay--
    }
  }

  const hashOf = (number: number) => `0x${number < forkedFrom ? 'a' : 'b'}${number}` as Hash
  const headerOf = (number: number): BlockHeader => ({
    number,
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    timestamp: unixSeconds(number * 10),
    logsBloom: noBytes,
  })

  let records = 0
  const logs = recordsOf.flatMap((count, blockNumber) =>
    Array.from({ length: count }, (_, index): ChainLog => {
      const place = { blockNumber, position: eventPosition(blockNumber, index) }
      const block = { blockHash: zeroHash, blockTimestamp: unixSeconds(blockNumber * 10) }
      return { ...numberedLog('attestation', records++), ...place, ...block, transactionHash: zeroHash }
    }),
  )
  const logsIn = (from: number, to: number) =>
    logs.filter(({ blockNumber: at }) => at >= from && at <= to && at !== options.omits)
  const times = { schema: [], attestation: logs.map(({ blockTimestamp }) => blockTimestamp) }

  const client: Partial<ChainClient> = {
    isAlone: () => options.isAlone ?? true,
    takeLogDoubts: () => ({ fromBlock: null, unsettled: [] }),
    logRangeBlocks: () => options.logRangeBlocks ?? 40,
    fetchHeaders: (from, to, signal) =>
      request(['headers', from], signal, () => blockNumbers(from, to).map(headerOf)),
    fetchHeadersOf: (numbers, signal) =>
      request(['headers', numbers[0] ?? -1], signal, () => numbers.map(headerOf)),
    fetchLogs: ({ fromBlock, toBlock }, signal) =>
      request(['logs', fromBlock], signal, () => logsIn(fromBlock, toBlock)),
    fetchCheckedLogs: (headers, _, signal) => {
      const [from, to] = [headers[0]?.number ?? 0, headers.at(-1)?.number ?? -1]
      return request(['logs', from], signal, () => logsIn(from, to))
    },
    readContracts: (reads, _, signal) =>
      request(['reads', -1], signal, () => reads.map((read) => answerNumbered(times, read))),
    readContractsTwice: (reads, _, signal) =>
      request(['reads', -1], signal, () =>
        reads.map((read) => ({ result: answerNumbered(times, read), second: null })),
      ),
    proveLog: (log, signal) => request(['proof', log.blockNumber], signal, () => options.forgetful ?? []),
  }
  let applied: Promise<unknown> = Promise.resolve()
  const writer: Partial<IndexWriter> = {
    applyBlocks: (_, batch) => {
      const store = () =>
        request(['store', batch.fromBlock], undefined, () => {
          options.onStore?.(batch)
          stored.push(batch)
          return { ...noSummary, attestations: batch.events.length }
        })
      // Batches are applied in the order of their calls, and none after one that failed.
      const applying = applied.then(store)
      applied = applying
      return applying
    },
  }
  const clock = { nowMs: () => (nowMs += 2_000), sleep: () => nextTurn() }
  const sourceOptions = { transactionSenders: false, finality: 0, clock, unannounced: [] }
  const source = createEventSource(client as ChainClient, [numberedDeployment(0)], sourceOptions)

  return {
    logs,
    stored,
    headerOf,
    /** Requests and batches that were not answered yet. */
    underWay: () => underWay,
    /** The last block that is stored; null before the first. */
    checkpoint: () => stored.at(-1)?.checkpoint.blockNumber ?? null,
    forkFrom: (block: number) => {
      forkedFrom = block
    },
    async backfill(
      [fromBlock, toBlock]: readonly [number, number],
      listener: Partial<BackfillListener> = {},
      signal = new AbortController().signal,
    ) {
      const blocks = { tip: fromBlock === 0 ? null : headerOf(fromBlock - 1), lastBlock: headerOf(toBlock) }
      const target = {
        chainId: 1,
        fromBlock,
        ...blocks,
        oldestBlock: blocks.tip?.number ?? null,
        headBlock: head,
        headTimestamp: unixSeconds(head * 10),
      }
      const onGap = () => Promise.reject(new Error('no gap was expected'))
      const onDoubt = () => Promise.reject(new Error('no doubt was expected'))
      const whole = { onCommit: () => undefined, onGap, onRange: () => undefined, onDoubt, ...listener }
      await backfill(source, writer as IndexWriter, target, whole, signal)
    },
  }
}

describe('the commits of a backfill', () => {
  test('are of whole blocks, follow one another and hold every event once, in whatever order requests end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(3), { minLength: 1, maxLength: 300, size: 'max' }),
        fc.nat(299),
        fc.nat(200),
        fc.record({
          logRangeBlocks: fc.integer({ min: 1, max: 60 }),
          isAlone: fc.boolean(),
          turns: fc.infiniteStream(fc.nat(6)),
        }),
        async (recordsOf, before, above, { turns, ...options }) => {
          const last = recordsOf.length - 1
          const first = Math.min(before, last)
          const next = () => turns.next().value ?? 0
          const world = createWorld({ recordsOf, head: last + above, ...options, turns: next })
          const committed: number[] = []
          await world.backfill([first, last], {
            onCommit: ({ blockNumber }) => void committed.push(blockNumber),
          })
          const { stored } = world
          expect(stored.map(({ fromBlock }) => fromBlock)).toEqual([
            first,
            ...stored.slice(0, -1).map(({ checkpoint }) => checkpoint.blockNumber + 1),
          ])
          expect(world.checkpoint()).toBe(last)
          expect(stored.map(({ moreFollows }) => moreFollows)).toEqual([
            ...stored.slice(1).map(() => true),
            false,
          ])
          for (const { fromBlock, checkpoint, events, recentBlocks } of stored) {
            const { blockNumber } = checkpoint
            const logs = world.logs.filter(
              (log) => log.blockNumber >= fromBlock && log.blockNumber <= blockNumber,
            )
            expect(events.map(({ position }) => position)).toEqual(logs.map(({ position }) => position))
            const oldest = recentBlocks[0]?.number ?? 0
            expect(recentBlocks.map(({ hash }) => hash)).toEqual(
              blockNumbers(oldest, blockNumber).map((number) => world.headerOf(number).hash),
            )
          }
          expect(committed).toEqual(stored.map(({ checkpoint }) => checkpoint.blockNumber))
          expect(world.underWay()).toBe(0)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('remember the last block as it was before its logs were fetched', async () => {
    const world = createWorld({
      recordsOf: everyBlock(20),
      head: 200,
      logRangeBlocks: 100,
      onRequest: (what) => {
        if (what === 'logs') world.forkFrom(5)
      },
    })
    const before = world.headerOf(20).hash
    await world.backfill([1, 20])
    expect(world.stored.map(({ recentBlocks }) => recentBlocks[0]?.hash)).toEqual([before])
    expect(world.headerOf(20).hash).not.toBe(before)
  })
})

describe('a chain that changes below its final blocks ends the backfill', () => {
  const changed = { code: 'CHAIN_INCONSISTENT', retryable: true }

  test('where a range is not the child of the range before', async () => {
    const world = createWorld({
      recordsOf: everyBlock(300),
      head: 500,
      // The endpoint that is asked for the second range has another branch.
      onRequest: (what, block) => {
        if (what === 'headers') world.forkFrom(block === 6 ? 3 : Infinity)
      },
    })
    await expect(world.backfill([1, 300])).rejects.toMatchObject({ ...changed, facts: { blockNumber: 5 } })
    expect(world.checkpoint()).toBe(5)
  })

  test('where the first range is not the child of the checkpoint, with nothing committed', async () => {
    const world = createWorld({
      recordsOf: everyBlock(300),
      head: 500,
      onRequest: () => world.forkFrom(100),
    })
    await expect(world.backfill([101, 300])).rejects.toMatchObject({
      ...changed,
      facts: { blockNumber: 100 },
    })
    expect(world.stored).toEqual([])
  })

  test('where the last block is another one', async () => {
    const world = createWorld({ recordsOf: everyBlock(20), head: 500, onRequest: () => world.forkFrom(20) })
    await expect(world.backfill([1, 20])).rejects.toMatchObject({ ...changed, facts: { blockNumber: 20 } })
    expect(world.checkpoint() ?? 0).toBeLessThan(20)
  })
})

describe('the end of a backfill waits until nothing is under way', () => {
  const missing = new RpcMissingError('no such block', { retryable: true })

  test.each([
    { name: 'the tally of records begins', slowBlock: 0, head: 500 },
    // So near the head that there is no tally.
    { name: 'another range is fetched', slowBlock: 4, head: 100 },
  ])('where a range fails while $name, which is given up', async ({ slowBlock, head }) => {
    const answered: number[] = []
    const world = createWorld({
      recordsOf: everyBlock(90),
      head,
      logRangeBlocks: 20,
      turns: (_, block) => (block === slowBlock ? 50 : 1),
      onRequest: (what, block) => {
        if (what === 'headers') answered.push(block)
        if (block === 1) throw missing
      },
    })
    await expect(world.backfill([1, 90])).rejects.toBe(missing)
    expect(world.underWay()).toBe(0)
    expect(answered).toContain(1)
    expect(answered).not.toContain(slowBlock)
    expect(world.stored).toEqual([])
  })

  test('where a range fails while a batch is stored, which stays in the index', async () => {
    const world = createWorld({
      recordsOf: everyBlock(300),
      head: 500,
      turns: (what) => (what === 'store' ? 50 : 1),
      onRequest: (what, block) => {
        if (what === 'headers' && block === 6) throw missing
      },
    })
    await expect(world.backfill([1, 300])).rejects.toBe(missing)
    expect(world.underWay()).toBe(0)
    expect(world.checkpoint()).toBe(5)
  })

  test('where the store fails', async () => {
    const world = createWorld({
      recordsOf: everyBlock(300),
      head: 500,
      onStore: ({ fromBlock }) => {
        if (fromBlock > 20) throw new Error('the disk is full')
      },
    })
    await expect(world.backfill([1, 300])).rejects.toThrow('the disk is full')
    expect(world.underWay()).toBe(0)
    expect(world.checkpoint()).toBeGreaterThan(0)
    expect(world.checkpoint()).toBeLessThan(300)
  })

  test('where the caller gives up', async () => {
    const world = createWorld({ recordsOf: everyBlock(300), head: 500 })
    const stop = new AbortController()
    const reason = new Error('enough')
    const onCommit = () => stop.abort(reason)
    await expect(world.backfill([1, 300], { onCommit }, stop.signal)).rejects.toBe(reason)
    expect(world.underWay()).toBe(0)
    expect(world.checkpoint()).toBeLessThan(300)
  })
})

describe('a record whose log is kept back', () => {
  // In the middle of a range, at the end of one, far behind the first, and in the last block of all.
  test.each([3, 5, 150, 300])('in block %i is met before the block is committed', async (omits) => {
    const world = createWorld({ recordsOf: everyBlock(400), head: 500, omits })
    const met: [gap: RecordGap, checkpoint: number | null][] = []
    const onGap = (gap: RecordGap, signal: AbortSignal) => {
      expect(signal.aborted).toBe(false)
      met.push([gap, world.checkpoint()])
      return Promise.reject(new InconsistentChainError('reading again', { retryable: true }))
    }
    await expect(world.backfill([1, 300], { onGap })).rejects.toThrow('reading again')
    const number = BigInt(omits)
    expect(met).toMatchObject([
      [{ what: 'attestation', first: number, last: number }, expect.toSatisfy(isBelow(omits))],
    ])
    expect(world.checkpoint()).toSatisfy(isBelow(omits))
    expect(world.underWay()).toBe(0)
  })

  test('is met when no commit is in flight, so that the checkpoint tells whether its block is indexed', async () => {
    // The first batch is still being stored when the gap is found.
    const turns = (what: Request) => (what === 'store' ? 50 : 1)
    const world = createWorld({ recordsOf: everyBlock(400), head: 500, omits: 8, turns })
    const checkpoints: (number | null)[] = []
    const onGap = () => {
      checkpoints.push(world.checkpoint())
      return Promise.reject(new InconsistentChainError('reading again', { retryable: true }))
    }
    await expect(world.backfill([1, 300], { onGap })).rejects.toThrow('reading again')
    expect(checkpoints).toEqual([5])
    expect(world.checkpoint()).toBe(5)
  })

  test('is left out where the listener goes on without it', async () => {
    const world = createWorld({ recordsOf: everyBlock(400), head: 500, omits: 150 })
    const met: RecordGap[] = []
    await world.backfill([1, 300], {
      onGap: (gap) => {
        met.push(gap)
        return Promise.resolve()
      },
    })
    expect(met).toMatchObject([{ first: 150n, last: 150n }])
    expect(world.checkpoint()).toBe(300)
    const blocks = world.stored.flatMap(({ events }) => events.map(({ position }) => positionBlock(position)))
    expect(blocks).toEqual(blockNumbers(1, 300).filter((block) => block !== 150))
  })

  test('may be kept back by an endpoint without a known log, so nothing before that log is committed', async () => {
    const recordsOf = everyBlock(400).map((_, block) => Number(block === 100 || block === 200))
    const forgetful = ['e1.example']
    const world = createWorld({ recordsOf, head: 500, isAlone: false, forgetful })
    await expect(world.backfill([1, 300])).rejects.toMatchObject({
      code: 'CHAIN_INCONSISTENT',
      retryable: true,
      facts: { hosts: forgetful, blockNumber: 100 },
    })
    expect(world.stored).toEqual([])
  })
})

/** One record in each block up to this one. */
function everyBlock(last: number): readonly number[] {
  return Array.from({ length: last + 1 }, () => 1)
}

function isBelow(limit: number): (block: number | null) => boolean {
  return (block) => block === null || block < limit
}
