import { afterEach, describe, expect, test } from 'vitest'
import { createChainClientFixture, failureOf } from '@attestry/test/harness/chainClientFixture.ts'
import {
  answerBlocks,
  answerLogs,
  fakeAddress,
  fakeBlock,
  fakeHash,
  fakeLog,
  fakeTopic,
  readRange,
} from '@attestry/test/harness/fakeBlocks.ts'
import {
  rpcError,
  type Fault,
  type ReceivedCall,
  type ScriptedRpcServer,
} from '@attestry/test/harness/scriptedRpcServer.ts'
import { nightTest } from '@attestry/test/harness/nightly.ts'
import { createSleepingClock } from '@attestry/test/harness/sleepingClock.ts'
import { parseAddress, parseHex } from '../model/hex.ts'
import type { LogFilter } from './chainClient.ts'

const fixture = createChainClientFixture()
afterEach(() => fixture.stop())

function filterOf(fromBlock: number, toBlock: number): LogFilter {
  const address = parseAddress(fakeAddress)
  const topic = parseHex(fakeTopic)
  if (address === null || topic === null) throw new TypeError('broken fixture')
  return { addresses: [address], topics: [topic], fromBlock, toBlock }
}

function widthsAskedOf(server: ScriptedRpcServer): number[] {
  return server.callsOf('eth_getLogs').map((call) => {
    const { fromBlock, toBlock } = readRange(call)
    return toBlock - fromBlock + 1
  })
}

function numbersUpTo(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1)
}

describe('the logs of a range', () => {
  test('arrive typed, in order, with their block’s time', async () => {
    const server = await fixture.startServer({
      eth_getLogs: () => [
        fakeLog(7, 3),
        fakeLog(5, 1, { address: fakeAddress.toUpperCase().replace('0X', '0x'), data: '0xAB' }),
        fakeLog(5, 0, { topics: [fakeTopic, fakeHash(1, 1)] }),
      ],
    })
    const { client } = fixture.startClient([server.url])
    const logs = await client.fetchLogs(filterOf(1, 9))
    expect(logs.map((log) => [log.blockNumber, log.topics.length])).toEqual([
      [5, 2],
      [5, 1],
      [7, 1],
    ])
    expect(logs[1]).toEqual({
      address: fakeAddress,
      topics: [fakeTopic],
      data: '0xab',
      blockNumber: 5,
      blockHash: fakeBlock(5)['hash'],
      blockTimestamp: 1_700_000_060,
      transactionHash: fakeHash(0x10, 5),
    })
    expect(server.callsOf('eth_getLogs')[0]?.params).toEqual([
      { fromBlock: '0x1', toBlock: '0x9', address: fakeAddress, topics: [fakeTopic] },
    ])
    // Its head must lie above the range, and the last block must be that of its header.
    expect(server.callsOf('eth_getBlockByNumber').map((call) => call.params[0])).toEqual(['latest', '0x7'])
  })

  test.each([
    ['a number', 1_700_000_060],
    ['a quantity', '0x6553f13c'],
  ])('may carry their time as %s', async (_, blockTimestamp) => {
    const server = await fixture.startServer({ eth_getLogs: () => [fakeLog(5, 0, { blockTimestamp })] })
    const { client } = fixture.startClient([server.url])
    expect((await client.fetchLogs(filterOf(1, 9)))[0]?.blockTimestamp).toBe(1_700_000_060)
  })

  test.each([undefined, null, '', '0x0', 'noon', '2023-11-14T22:14:20Z', 1.5, 1_700_000_060_000])(
    'take it from each block’s header once where it is %j',
    async (blockTimestamp) => {
      const server = await fixture.startServer({
        eth_getLogs: () => [5, 5, 7].map((block, i) => fakeLog(block, i, { blockTimestamp })),
      })
      const { client } = fixture.startClient([server.url])
      const logs = await client.fetchLogs(filterOf(1, 9))
      expect(logs.map((log) => log.blockTimestamp)).toEqual([1_700_000_060, 1_700_000_060, 1_700_000_084])
      expect(server.callsOf('eth_getBlockByNumber').map((call) => call.params[0])).toEqual([
        'latest',
        '0x5',
        '0x7',
      ])
    },
  )

  test('whose block was replaced before its header came are an inconsistency', async () => {
    const server = await fixture.startServer({
      eth_getLogs: () => [fakeLog(5, 0, { blockTimestamp: undefined })],
      eth_getBlockByNumber: ({ params }) => fakeBlock(params[0] === 'latest' ? 99 : Number(params[0]), 1),
    })
    const { client } = fixture.startClient([server.url])
    expect(await failureOf(client.fetchLogs(filterOf(1, 9)))).toMatchObject({
      code: 'CHAIN_INCONSISTENT',
      retryable: true,
    })
    // Once more, for a node that lagged; the logs themselves must be read anew after that.
    expect(server.callsOf('eth_getBlockByNumber').filter(({ params }) => params[0] === '0x5')).toHaveLength(2)
  })

  test('count once when they are sent twice', async () => {
    const server = await fixture.startServer({
      eth_getLogs: () => [fakeLog(5, 0), fakeLog(6, 0), fakeLog(5, 0)],
    })
    const { client } = fixture.startClient([server.url])
    expect(await client.fetchLogs(filterOf(1, 9))).toHaveLength(2)
  })
})

describe('the logs of a block', () => {
  /** A log with its place in `data`. */
  const logOf = (transaction: number, logIndex: number, place: number) =>
    fakeLog(5, logIndex, {
      transactionIndex: `0x${transaction.toString(16)}`,
      transactionHash: fakeHash(0x10, 500 + transaction),
      data: `0x${place.toString(16).padStart(4, '0')}`,
    })

  test.each([
    ['in the block', [0, 4, 5, 9]],
    ['in the transaction', [0, 0, 1, 0]],
    ['from the block before on', [700, 704, 705, 709]],
    ['from below 0 on', [0xfffffffe, 0xffffffff, 0, 1]],
    ['as a reliability suite does', [0xffffffe2, 0xffffffe3, 0xffffffe4, 0xffffffff]],
  ])('are in the order of the chain where a node counts them %s', async (_, [a = 0, b = 0, c = 0, d = 0]) => {
    const logs = [logOf(0, a, 0), logOf(3, b, 1), logOf(3, c, 2), logOf(4_000_000_000, d, 3)]
    const [first, second, third, fourth] = logs
    const server = await fixture.startServer({ eth_getLogs: () => [fourth, second, first, third, second] })
    const { client } = fixture.startClient([server.url])
    const fetched = await client.fetchLogs(filterOf(1, 9))
    expect(fetched.map(({ data }) => data)).toEqual(['0x0000', '0x0001', '0x0002', '0x0003'])
  })

  const withoutIndex = (logs: readonly Record<string, unknown>[], transactionIndex: unknown) =>
    logs.map((log) => ({ ...log, transactionIndex }))

  test.each([undefined, null, '', '0x', '0x100000000', '-0x1'])(
    'are in the order of their indexes where a node gives %j as the index of their transaction',
    async (index) => {
      const logs = withoutIndex([logOf(9, 0, 0), logOf(3, 4, 1), logOf(3, 5, 2), logOf(4, 9, 3)], index)
      const [first, second, third, fourth] = logs
      const server = await fixture.startServer({ eth_getLogs: () => [fourth, second, first, third, second] })
      const { client } = fixture.startClient([server.url])
      const fetched = await client.fetchLogs(filterOf(1, 9))
      expect(fetched.map(({ data }) => data)).toEqual(['0x0000', '0x0001', '0x0002', '0x0003'])
    },
  )

  test('keep the order of their transactions where a node counts in each and gives no index of one', async () => {
    const logs = withoutIndex([logOf(9, 0, 0), logOf(3, 1, 2), logOf(3, 0, 1)], undefined)
    const server = await fixture.startServer({ eth_getLogs: () => [...logs, fakeLog(6, 0)] })
    const { client } = fixture.startClient([server.url])
    const fetched = await client.fetchLogs(filterOf(1, 9))
    expect(fetched.map(({ data }) => data)).toEqual(['0x0000', '0x0001', '0x0002', '0x'])
  })

  nightTest('are as many as a block can hold', async () => {
    const numbers = Array.from({ length: 100_000 }, (_, i) => i)
    const server = await fixture.startServer({
      eth_getLogs: () =>
        numbers.map((i) => ({
          ...logOf(Math.floor(i / 5_000), i % 5_000, 0),
          data: `0x${String(i).padStart(6, '0')}`,
        })),
    })
    const { client } = fixture.startClient([server.url])
    const fetched = await client.fetchLogs(filterOf(5, 5))
    expect(fetched.map(({ data }) => Number(data.slice(2)))).toEqual(numbers)
  })

  test('name the place of two that contradict each other', async () => {
    const server = await fixture.startServer({
      eth_getLogs: () => [logOf(0, 0, 0), logOf(7, 0, 1), logOf(7, 0, 2)],
    })
    const { client } = fixture.startClient([server.url], { attemptsMax: 2 })
    const failure = await failureOf(client.fetchLogs(filterOf(1, 9)))
    expect(String(failure)).toContain('two different logs stand at index 0 of transaction 7 in block 5')
  })
})

test('no logs may come as null', async () => {
  const server = await fixture.startServer({ eth_getLogs: () => null })
  const { client } = fixture.startClient([server.url])
  expect(await client.fetchLogs(filterOf(1, 9))).toEqual([])
})

test.each([
  ['without a word whether they are removed', { removed: undefined }],
  ['with that word as null', { removed: null }],
  ['without what nobody asks for', { blockTimestamp: '0x0006553f13c', transactionIndex: '0x00' }],
])('logs %s are read', async (_, change) => {
  const server = await fixture.startServer({ eth_getLogs: () => [fakeLog(5, 0, change)] })
  const { client } = fixture.startClient([server.url])
  expect(await client.fetchLogs(filterOf(1, 9))).toMatchObject([{ blockTimestamp: 1_700_000_060 }])
})

test('digits of upper case and padded numbers are read', async () => {
  const upper = (text: unknown) => String(text).toUpperCase().replace('X', 'x')
  const log = fakeLog(5, 0, { blockNumber: '0x005', logIndex: '0x00', topics: [upper(fakeTopic)] })
  const hashes = { blockHash: upper(log['blockHash']), transactionHash: upper(log['transactionHash']) }
  const server = await fixture.startServer({ eth_getLogs: () => [{ ...log, ...hashes }] })
  const { client } = fixture.startClient([server.url])
  expect(await client.fetchLogs(filterOf(1, 9))).toMatchObject([
    { blockNumber: 5, blockHash: fakeBlock(5)['hash'], topics: [fakeTopic] },
  ])
})

describe('logs that cannot be', () => {
  const table: [name: string, answer: unknown, code: string][] = [
    ['removed', [fakeLog(5, 0, { removed: true })], 'CHAIN_INCONSISTENT'],
    ['pending', [fakeLog(5, 0, { blockNumber: null, blockHash: null })], 'CHAIN_INCONSISTENT'],
    ['two at one place', [fakeLog(5, 0), fakeLog(5, 0, { data: '0x01' })], 'CHAIN_INCONSISTENT'],
    [
      'of two blocks of one number',
      [fakeLog(5, 0), fakeLog(5, 1, { blockHash: fakeHash(1, 1) })],
      'CHAIN_INCONSISTENT',
    ],
    ['below the range', [fakeLog(0, 0)], 'RPC_MALFORMED'],
    ['above the range', [fakeLog(10, 0)], 'RPC_MALFORMED'],
    ['of another contract', [fakeLog(5, 0, { address: `0x${'cd'.repeat(20)}` })], 'RPC_MALFORMED'],
    ['of another event', [fakeLog(5, 0, { topics: [fakeHash(0x70, 2)] })], 'RPC_MALFORMED'],
    ['without topics', [fakeLog(5, 0, { topics: [] })], 'RPC_MALFORMED'],
    [
      'with five topics',
      [fakeLog(5, 0, { topics: Array.from({ length: 5 }, () => fakeTopic) })],
      'RPC_MALFORMED',
    ],
    ['with odd data', [fakeLog(5, 0, { data: '0x123' })], 'RPC_MALFORMED'],
    ['without data', [fakeLog(5, 0, { data: null })], 'RPC_MALFORMED'],
    ['without an index', [fakeLog(5, 0, { logIndex: null })], 'RPC_MALFORMED'],
    ['with an index that no node can count to', [fakeLog(5, 2 ** 32)], 'RPC_MALFORMED'],
    [
      'of two transactions with one index',
      [fakeLog(5, 0), fakeLog(5, 1, { transactionHash: fakeHash(0x10, 99) })],
      'CHAIN_INCONSISTENT',
    ],
    [
      'of one transaction with two indexes',
      [
        fakeLog(5, 0),
        fakeLog(5, 1, { transactionIndex: '0x1', transactionHash: fakeHash(0x10, 99) }),
        fakeLog(5, 2, { transactionIndex: '0x2' }),
      ],
      'CHAIN_INCONSISTENT',
    ],
    ['with a broken hash', [fakeLog(5, 0, { transactionHash: '0x12' })], 'RPC_MALFORMED'],
    ['without a transaction', [fakeLog(5, 0, { transactionHash: undefined })], 'RPC_MALFORMED'],
    ['that are no objects', ['0x12'], 'RPC_MALFORMED'],
    ['that are no list', {}, 'RPC_MALFORMED'],
  ]
  test.each(table)('%s are an error, and another endpoint is asked', async (_, answer, code) => {
    const lying = await fixture.startServer({ eth_getLogs: () => answer })
    const alone = fixture.startClient([lying.url], { attemptsMax: 2 })
    expect(await failureOf(alone.client.fetchLogs(filterOf(1, 9)))).toMatchObject({ code, retryable: true })
    const honest = await fixture.startServer({ eth_getLogs: answerLogs })
    const both = fixture.startClient([lying.url, honest.url])
    expect(await both.client.fetchLogs(filterOf(1, 9))).toHaveLength(9)
  })
})

test('an endpoint whose logs have an index that cannot be is left out after a few answers', async () => {
  const lying = await fixture.startServer({ eth_getLogs: () => [fakeLog(5, 2 ** 32)] })
  const honest = await fixture.startServer({ eth_getLogs: answerLogs })
  const { client, events } = fixture.startClient([lying.url, honest.url])
  for (let i = 0; i < 40; i++) expect(await client.fetchLogs(filterOf(1, 9))).toHaveLength(9)
  expect(events.filter(({ kind }) => kind === 'quarantined')).toMatchObject([
    {
      host: lying.host,
      message: expect.stringContaining('no valid logIndex, a number from 0 to 4294967295'),
    },
  ])
})

describe('the range of a request', () => {
  /** Refuses more than `max` blocks. */
  const limited = (max: number, message: string) => (call: ReceivedCall) => {
    const { fromBlock, toBlock } = readRange(call)
    return toBlock - fromBlock + 1 > max ? rpcError(-32602, message) : answerLogs(call)
  }

  test('takes the limit that an endpoint names, and keeps to it', async () => {
    const server = await fixture.startServer({ eth_getLogs: limited(70, 'exceed maximum block range: 70') })
    const { client, events } = fixture.startClient([server.url])
    const logs = await client.fetchLogs(filterOf(1, 300))
    expect(logs.map((log) => log.blockNumber)).toEqual(numbersUpTo(300))
    expect(widthsAskedOf(server)).toEqual([300, 70, 70, 70, 70, 20])
    expect(client.logRangeBlocks()).toBe(70)
    expect(events).toEqual([{ kind: 'logRangeLimited', host: server.host, blocks: 70 }])
  })

  test('is halved when the refusal is not understood', async () => {
    const server = await fixture.startServer({ eth_getLogs: limited(100, 'computer says no') })
    const { client } = fixture.startClient([server.url])
    expect(await client.fetchLogs(filterOf(1, 300))).toHaveLength(300)
    expect(widthsAskedOf(server).slice(0, 3)).toEqual([300, 150, 75])
  })

  test('is halved when no node behind a proxy is well enough for it, in case it was the range', async () => {
    const server = await fixture.startServer({
      eth_getLogs: limited(100, 'no backend is currently healthy to serve traffic'),
    })
    const { client } = fixture.startClient([server.url])
    expect(await client.fetchLogs(filterOf(1, 300))).toHaveLength(300)
  })

  test('grows while answers are light', async () => {
    const server = await fixture.startServer({ eth_getLogs: () => [] })
    const { client } = fixture.startClient([server.url], {
      concurrencyPerEndpoint: 1,
      logRangeInitialBlocks: 10,
      logRangeMaxBlocks: 100,
    })
    await client.fetchLogs(filterOf(1, 450))
    expect(widthsAskedOf(server)).toEqual([10, 20, 40, 80, 100, 100, 100])
  })

  test('grows however long the requests wait for one another', async () => {
    const clock = createSleepingClock()
    const server = await fixture.startServer({
      eth_getLogs: () => {
        void clock.sleep(1_000, AbortSignal.timeout(60_000))
        return []
      },
    })
    const { client } = fixture.startClient([server.url], {
      clock,
      concurrencyPerEndpoint: 1,
      logRangeInitialBlocks: 10,
      logRangeMaxBlocks: 100,
    })
    await Promise.all(numbersUpTo(8).map((n) => client.fetchLogs(filterOf(n * 1_000, n * 1_000 + 499))))
    expect(client.logRangeBlocks()).toBe(100)
  })

  test('is narrowed only for the blocks that have too many logs', async () => {
    const crowded = 77
    const server = await fixture.startServer({
      eth_getLogs: ({ params }) => {
        const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string }
        const [from, to] = [Number(fromBlock), Number(toBlock)]
        return from < to && from <= crowded && crowded <= to ? rpcError(-32_000, 'too many logs') : []
      },
    })
    const options = { concurrencyPerEndpoint: 1, logRangeInitialBlocks: 64, logRangeMaxBlocks: 64 }
    const { client } = fixture.startClient([server.url], options)
    await client.fetchLogs(filterOf(1, 256))
    // In the second piece: down to the one block and up again; what comes after begins with half and grows, as after
    // any refusal.
    const widths = widthsAskedOf(server)
    expect(widths.slice(0, 3)).toEqual([64, 64, 32])
    expect(widths.filter((width) => width === 1).length).toBeLessThan(4)
    expect(widths.slice(-6, -1).every((width) => width >= 16)).toBe(true)
  })

  test('is narrowed until answers hold a few megabytes, without blaming the endpoint', async () => {
    const data = `0x${'ab'.repeat(128 * 1024)}`
    const server = await fixture.startServer({
      eth_getLogs: (call) => {
        const { fromBlock, toBlock } = readRange(call)
        return numbersUpTo(toBlock - fromBlock + 1).map((n) => fakeLog(fromBlock + n - 1, 0, { data }))
      },
    })
    const options = { concurrencyPerEndpoint: 1, logRangeInitialBlocks: 80 }
    const { client, events } = fixture.startClient([server.url], options)
    const logs = await client.fetchLogs(filterOf(1, 100))
    expect(logs.map((log) => log.blockNumber)).toEqual(numbersUpTo(100))
    // A quarter of a megabyte a block: 80 blocks are given up in the middle, 40 are more than there should be, 16 are
    // right.
    expect(widthsAskedOf(server).slice(0, 3)).toEqual([80, 40, 15])
    expect(Math.max(...widthsAskedOf(server).slice(2))).toBeLessThan(32)
    expect(events).toEqual([])
  })

  nightTest('of one block is taken whole, however large its answer', async () => {
    const data = `0x${'ab'.repeat(9 * 1024 * 1024)}`
    const server = await fixture.startServer({
      eth_getLogs: (call) => {
        const { fromBlock, toBlock } = readRange(call)
        return fromBlock <= 7 && toBlock >= 7 ? [fakeLog(7, 0, { data })] : []
      },
    })
    const { client, events } = fixture.startClient([server.url], { concurrencyPerEndpoint: 1 })
    const logs = await client.fetchLogs(filterOf(1, 16))
    expect(logs.map((log) => log.data.length)).toEqual([data.length])
    expect(events).toEqual([])
  })

  test('is asked for in several requests at a time, and the logs are in order all the same', async () => {
    const server = await fixture.startServer({ eth_getLogs: limited(10, 'Max range: 10') })
    const { client } = fixture.startClient([server.url])
    await client.fetchLogs(filterOf(1, 30))
    const logs = await client.fetchLogs(filterOf(1, 987))
    expect(logs.map((log) => log.blockNumber)).toEqual(numbersUpTo(987))
    expect(
      widthsAskedOf(server)
        .slice(-99)
        .toSorted((a, b) => a - b),
    ).toEqual([7, ...Array.from({ length: 98 }, () => 10)])
  })

  test('shrinks when an endpoint does not answer in time', async () => {
    const server = await fixture.startServer({ eth_getLogs: answerLogs })
    server.intercept((request) => {
      const [call] = request.calls
      if (call?.method !== 'eth_getLogs') return null
      const { fromBlock, toBlock } = readRange(call)
      return toBlock - fromBlock >= 50 ? { kind: 'hang' } : null
    })
    const { client } = fixture.startClient([server.url], { requestTimeoutMs: 60 })
    expect(await client.fetchLogs(filterOf(1, 150))).toHaveLength(150)
  })

  test('is learnt of each endpoint apart', async () => {
    const narrow = await fixture.startServer({ eth_getLogs: limited(10, 'Max range: 10') })
    const wide = await fixture.startServer({ eth_getLogs: answerLogs })
    const { client } = fixture.startClient([narrow.url, wide.url], { concurrencyPerEndpoint: 1 })
    await client.fetchLogs(filterOf(1, 30))
    expect(client.logRangeBlocks()).toBe(10)
    await narrow.close()
    expect(await client.fetchLogs(filterOf(1, 1000))).toHaveLength(1000)
    // The first piece was cut to what the narrow one takes before it turned out to be gone.
    expect(widthsAskedOf(wide)).toEqual([10, 990])
  })

  test('of a single block that is refused is an error that names the block', async () => {
    const server = await fixture.startServer({
      eth_getLogs: (call) => {
        const { fromBlock, toBlock } = readRange(call)
        return fromBlock <= 13 && toBlock >= 13
          ? rpcError(-32005, 'query returned more than 10000 results')
          : answerLogs(call)
      },
    })
    const { client } = fixture.startClient([server.url])
    const error = await failureOf(client.fetchLogs(filterOf(1, 20)))
    expect(error).toMatchObject({ code: 'RPC_RANGE_TOO_LARGE', facts: { blockNumber: 13 } })
    expect(error.message).toContain('block 13')
    const other = await fixture.startServer({ eth_getLogs: answerLogs })
    const both = fixture.startClient([server.url, other.url])
    expect(await both.client.fetchLogs(filterOf(1, 20))).toHaveLength(20)
  })

  test('is not narrowed for an endpoint that lags behind or asks for patience', async () => {
    let refusals = 2
    const server = await fixture.startServer({
      eth_getLogs: (call) =>
        refusals-- > 0
          ? rpcError(
              -32602,
              refusals === 1 ? 'rate limit reached' : 'block range extends beyond current head block',
            )
          : answerLogs(call),
    })
    const { client } = fixture.startClient([server.url])
    expect(await client.fetchLogs(filterOf(1, 50))).toHaveLength(50)
    expect(widthsAskedOf(server)).toEqual([50, 50, 50])
  })

  test('is tried with one block, once, where the method is unknown', async () => {
    const server = await fixture.startServer()
    const { client } = fixture.startClient([server.url])
    expect(await failureOf(client.fetchLogs(filterOf(1, 50)))).toMatchObject({
      code: 'RPC_REFUSED',
      retryable: true,
    })
    expect(widthsAskedOf(server)).toEqual([50, 1])
  })

  describe('is narrowed where an endpoint refuses wide ones', () => {
    const html = '<html><head><title>Just a moment...</title></head></html>'
    const answer = (status: number, body: string, headers = {}): Fault => ({
      kind: 'answer',
      status,
      body,
      headers,
    })
    const errorBody = (code: number, message: string) =>
      JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })
    const table: [name: string, fault: Fault][] = [
      ['Scroll: -32001', answer(200, errorBody(-32001, 'Unable to complete request at this time.'))],
      ['-32000 in words of an outage', answer(200, errorBody(-32000, 'internal server error'))],
      ['-32603', answer(200, errorBody(-32603, 'Internal error'))],
      ['-32603 with 500', answer(500, errorBody(-32603, 'Unhandled panic in RPC handler eth_getLogs'))],
      ['-32601', answer(200, errorBody(-32601, 'the method eth_getLogs does not exist/is not available'))],
      ['-32700', answer(200, errorBody(-32700, 'parse error'))],
      ['-32005 in words of a rate', answer(200, errorBody(-32005, 'daily request count exceeded'))],
      ['-32016', answer(200, errorBody(-32016, 'over rate limit'))],
      ['words of a lag', answer(200, errorBody(-32602, 'block range extends beyond current head block'))],
      ['words of pruned history', answer(200, errorBody(4444, 'pruned history unavailable'))],
      ['no backend', answer(503, errorBody(-32011, 'no backend is currently healthy to serve traffic'))],
      ['a status alone, 400', answer(400, '')],
      ['a status alone, 401', answer(401, '')],
      ['a status alone, 403', answer(403, html)],
      ['a status alone, 404', answer(404, 'Not Found')],
      ['a status alone, 429', answer(429, '')],
      ['a status alone, 500', answer(500, 'Internal Server Error')],
      ['a status alone, 502', answer(502, html)],
      ['a status alone, 503', answer(503, '')],
      ['a status alone, 504', answer(504, '')],
      ['a status alone, 524', answer(524, html)],
      ['a page with 200', answer(200, html)],
      ['an empty body with 200', answer(200, '')],
      ['a result that is none', answer(200, '{"jsonrpc":"2.0","id":1}')],
      ['a body that breaks off', { kind: 'truncate' }],
      ['a closed connection', { kind: 'reset' }],
    ]
    test.each(table)('by %s', async (_, fault) => {
      let limit = 5
      const server = await fixture.startServer({ eth_getLogs: answerLogs })
      server.intercept(({ calls: [call] }) => {
        if (call?.method !== 'eth_getLogs') return null
        const { fromBlock, toBlock } = readRange(call)
        return toBlock - fromBlock + 1 > limit ? fault : null
      })
      const { client } = fixture.startClient([server.url], {
        clock: createSleepingClock(),
        concurrencyPerEndpoint: 1,
        logRangeInitialBlocks: 64,
        logRangeMaxBlocks: 64,
      })
      const logs = await client.fetchLogs(filterOf(1, 128))
      expect(logs.map(({ blockNumber }) => blockNumber)).toEqual(numbersUpTo(128))
      expect(client.logRangeBlocks()).toBeLessThanOrEqual(10)
      const widths = widthsAskedOf(server)
      expect(widths.filter((width) => width > limit).length).toBeLessThanOrEqual((widths.length * 2) / 3)
      limit = 64
      await client.fetchLogs(filterOf(129, 4_000))
      expect(client.logRangeBlocks()).toBe(64)
    })

    test.each([429, 503])('and not where every third request is refused with %i', async (status) => {
      const server = await fixture.startServer({ eth_getLogs: answerLogs })
      server.intercept(() => (server.requests.length % 3 === 0 ? { kind: 'answer', status, body: '' } : null))
      const { client } = fixture.startClient([server.url], {
        clock: createSleepingClock(),
        logRangeInitialBlocks: 64,
        logRangeMaxBlocks: 64,
      })
      expect(await client.fetchLogs(filterOf(1, 10_000))).toHaveLength(10_000)
      expect(client.logRangeBlocks()).toBeGreaterThan(16)
    })

    test('down to one block', async () => {
      const server = await fixture.startServer({ eth_getLogs: limited(1, 'rate limit reached') })
      const { client } = fixture.startClient([server.url], {
        clock: createSleepingClock(),
        logRangeInitialBlocks: 16,
      })
      expect(await client.fetchLogs(filterOf(1, 40))).toHaveLength(40)
    })
  })

  test('is halved once, at most, by an outage, and widens again', async () => {
    let isAway = false
    const server = await fixture.startServer({ eth_getLogs: answerLogs })
    server.intercept(() => (isAway ? { kind: 'answer', status: 503, body: '' } : null))
    const { client } = fixture.startClient([server.url], {
      logRangeInitialBlocks: 64,
      logRangeMaxBlocks: 64,
    })
    await client.fetchLogs(filterOf(1, 64))
    isAway = true
    for (let call = 0; call < 5; call++) {
      expect(await failureOf(client.fetchLogs(filterOf(65, 640)))).toMatchObject({ retryable: true })
    }
    isAway = false
    await client.fetchLogs(filterOf(65, 128))
    expect(client.logRangeBlocks()).toBeGreaterThanOrEqual(32)
    expect(await client.fetchLogs(filterOf(129, 4_000))).toHaveLength(3_872)
    expect(client.logRangeBlocks()).toBe(64)
  })
})

test('headers for times come in batches', async () => {
  const server = await fixture.startServer({
    eth_getBlockByNumber: answerBlocks(1000),
    eth_getLogs: (call) => {
      const { fromBlock, toBlock } = readRange(call)
      return numbersUpTo(toBlock - fromBlock + 1).map((n) => fakeLog(n, 0, { blockTimestamp: undefined }))
    },
  })
  const { client } = fixture.startClient([server.url])
  const logs = await client.fetchLogs(filterOf(1, 250))
  expect(logs.map((log) => log.blockTimestamp)).toEqual(numbersUpTo(250).map((n) => 1_700_000_000 + 12 * n))
  expect(server.requests.filter((request) => request.isBatch).map((request) => request.calls.length)).toEqual(
    [100, 100, 50],
  )
})
