import { afterEach, expect, test } from 'vitest'
import {
  rpcError,
  startScriptedRpcServer,
  type CallHandler,
  type ReceivedCall,
  type ScriptedRpcServer,
} from '@attestry/test/harness/scriptedRpcServer.ts'
import { failureOf } from '@attestry/test/harness/chainClientFixture.ts'
import type { Hash } from '../model/hex.ts'
import type { ChainClientOptions } from './chainClientOptions.ts'
import { createBlockFetcher, type BlockFetcher } from './createBlockFetcher.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

const blockHash = `0x${'ab'.repeat(32)}`
const transactions = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`]
const block = {
  number: '0x2a',
  hash: blockHash,
  parentHash: blockHash,
  timestamp: '0x64',
  logsBloom: `0x${'00'.repeat(256)}`,
  transactions,
}
const receiptOf = (hash: unknown) => ({
  transactionHash: hash,
  blockHash: blockHash.toUpperCase().replace('X', 'x'),
})
const handlers: Readonly<Record<string, CallHandler>> = {
  eth_getBlockByNumber: () => block,
  eth_getBlockReceipts: () => transactions.map(receiptOf),
  eth_getTransactionReceipt: ({ params }) => receiptOf(params[0]),
}

async function startServer(changed: Readonly<Record<string, CallHandler>> = {}): Promise<ScriptedRpcServer> {
  const server = await startScriptedRpcServer(7, { ...handlers, ...changed })
  cleanups.push(() => server.close())
  return server
}

function fetcherOf(
  servers: readonly ScriptedRpcServer[],
  options: Partial<ChainClientOptions> = {},
): BlockFetcher {
  const fetcher = createBlockFetcher(
    {
      chainId: 7,
      endpoints: servers.map(({ url }) => url),
      retryDelayMs: 1,
      retryDelayMaxMs: 2,
      attemptsMax: 3,
      ...options,
    },
    () => Promise.resolve(() => false),
  )
  cleanups.push(() => fetcher.close())
  return fetcher
}

const signal = new AbortController().signal

test('a block and its receipts take two requests', async () => {
  const server = await startServer()
  const told = await fetcherOf([server]).fetchBlock(42, signal)
  expect(told).toEqual({ block, receipts: transactions.map(receiptOf) })
  expect(server.callsOf('eth_getBlockByNumber').map(({ params }) => params)).toEqual([['0x2a', false]])
  expect(server.callsOf('eth_getBlockReceipts').map(({ params }) => params)).toEqual([['0x2a']])
  expect(server.requests).toHaveLength(3)
})

test('receipts may leave out their block, and a block may hold its transactions whole', async () => {
  const bare = transactions.map((transactionHash) => ({ transactionHash }))
  const changed = {
    eth_getBlockByNumber: () => ({ ...block, transactions: transactions.map((hash) => ({ hash })) }),
    eth_getBlockReceipts: () => rpcError(-32601, 'the method does not exist'),
    eth_getTransactionReceipt: ({ params }: ReceivedCall) => ({ transactionHash: params[0] }),
  }
  expect((await fetcherOf([await startServer(changed)]).fetchBlock(42, signal)).receipts).toEqual(bare)
})

test('receipts are asked for one by one where no endpoint knows them by block, and so the next time', async () => {
  const unknown = { eth_getBlockReceipts: () => rpcError(-32601, 'the method does not exist') }
  const servers = [await startServer(unknown), await startServer(unknown)]
  const fetcher = fetcherOf(servers)
  for (let time = 0; time < 2; time++) {
    expect((await fetcher.fetchBlock(42, signal)).receipts).toEqual(transactions.map(receiptOf))
  }
  const counts = servers.map((server) => server.callsOf('eth_getBlockReceipts').length)
  expect(counts).toEqual([1, 1])
})

test('one endpoint that knows them by block is enough', async () => {
  const other = await startServer({ eth_getBlockReceipts: () => rpcError(-32601, 'no such method') })
  const server = await startServer()
  await fetcherOf([other, server]).fetchBlock(42, signal)
  expect(server.callsOf('eth_getBlockReceipts')).toHaveLength(1)
  expect([
    ...other.callsOf('eth_getTransactionReceipt'),
    ...server.callsOf('eth_getTransactionReceipt'),
  ]).toEqual([])
})

test.each([
  ['RPC_MISSING', { eth_getBlockByNumber: () => null }],
  ['RPC_MALFORMED', { eth_getBlockByNumber: () => 'block' }],
  ['RPC_MALFORMED', { eth_getBlockByNumber: () => ({ ...block, number: '0x2b' }) }],
  ['RPC_MISSING', { eth_getBlockReceipts: () => null }],
  ['RPC_MALFORMED', { eth_getBlockReceipts: () => ({}) }],
  ['RPC_MALFORMED', { eth_getBlockReceipts: () => ['receipt'] }],
  ['CHAIN_INCONSISTENT', { eth_getBlockReceipts: () => [{ blockHash: `0x${'cd'.repeat(32)}` }] }],
  [
    'RPC_MISSING',
    { eth_getBlockReceipts: () => rpcError(-32601, 'no'), eth_getTransactionReceipt: () => null },
  ],
])('what is no block of that number with its receipts is an error: %s', async (code, changed) => {
  const fetcher = fetcherOf([await startServer(changed)])
  expect((await failureOf(fetcher.fetchBlock(42, signal))).code).toBe(code)
})

test('a block with too many transactions is not asked for receipt by receipt', async () => {
  const many = Array.from({ length: 2_001 }, (_, index) => `0x${index.toString(16).padStart(64, '0')}`)
  const server = await startServer({
    eth_getBlockByNumber: () => ({ ...block, transactions: many }),
    eth_getBlockReceipts: () => rpcError(-32601, 'no such method'),
  })
  expect((await failureOf(fetcherOf([server]).fetchBlock(42, signal))).code).toBe('RPC_REFUSED')
  expect(server.callsOf('eth_getTransactionReceipt')).toEqual([])
})

test('an aborted fetch ends at once', async () => {
  const server = await startServer()
  server.intercept(({ calls }) => (calls[0]?.method === 'eth_getBlockReceipts' ? { kind: 'hang' } : null))
  const abort = new AbortController()
  const fetching = fetcherOf([server]).fetchBlock(42, abort.signal)
  const reason = new Error('enough')
  abort.abort(reason)
  await expect(fetching).rejects.toBe(reason)
})

test('a header takes one request, by number or hash; a hash that no endpoint knows has none', async () => {
  const server = await startServer({
    eth_getBlockByHash: ({ params }) => (params[0] === blockHash ? block : null),
  })
  const fetcher = fetcherOf([server])
  const expected = { number: 42, hash: blockHash, timestamp: 100 }
  expect(await fetcher.fetchHeader(42, signal)).toMatchObject(expected)
  expect(await fetcher.fetchHeader(blockHash as Hash, signal)).toMatchObject(expected)
  expect(await fetcher.fetchHeader(`0x${'cd'.repeat(32)}` as Hash, signal)).toBeNull()
  const { logsBloom: _, ...bare } = block
  server.on('eth_getBlockByNumber', () => bare)
  expect(await fetcher.fetchHeader(42, signal)).toMatchObject({ ...expected, logsBloom: null })
  // Another block than was asked for is no answer.
  expect(await failureOf(fetcher.fetchHeader(43, signal))).toMatchObject({ code: 'RPC_MISSING' })
})

test('of a block that one of three endpoints forges, the one of the two others is fetched', async () => {
  const forged = { ...block, hash: `0x${'cd'.repeat(32)}` }
  const servers = [
    await startServer({ eth_getBlockByNumber: () => forged }),
    await startServer(),
    await startServer(),
  ]
  expect((await fetcherOf(servers).fetchBlock(42, signal)).block).toEqual(block)
  const two = fetcherOf(servers.slice(0, 2))
  expect((await failureOf(two.fetchBlock(42, signal))).code).toBe('CHAIN_INCONSISTENT')
})
