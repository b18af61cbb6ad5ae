import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { answerBlocks } from '@attestry/test/harness/fakeBlocks.ts'
import { startScriptedRpcServer, type ScriptedRpcServer } from '@attestry/test/harness/scriptedRpcServer.ts'
import { createChainClient } from '../chain/createChainClient.ts'
import { createSharedBudget } from '../chain/requestBudget.ts'
import { systemClock } from '../model/clock.ts'
import { parseAddress } from '../model/hex.ts'
import { findProtocol } from '../protocols/registry.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { identityOf } from '@attestry/store/testing/storeFactory.ts'
import { createChainIndexer, type ChainIndexer } from './chainIndexer.ts'
import { runIndexer } from './runIndexer.ts'

const cleanups: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

const head = 500
const chainIds = Array.from({ length: 20 }, (_, i) => 1_001 + i)
const [hangingId, deadId] = [1_001, 1_002]

test('of twenty chains, one that hangs and one that is dead keep no other from its head', async () => {
  const store = openStore()
  // Less for all together than the chains would take: the one that hangs must not sit on it.
  const sharedBudget = createSharedBudget({ inFlight: 6, perSecond: null }, systemClock)
  const indexers: ChainIndexer[] = []
  const servers = new Map<number, ScriptedRpcServer>()
  for (const chainId of chainIds) {
    const server = await startChain(chainId)
    servers.set(chainId, server)
    const client = createChainClient({
      chainId,
      endpoints: [server.url],
      sharedBudget,
      requestTimeoutMs: 600_000,
      headBudgetMs: 300,
      retryDelayMs: 10,
    })
    cleanups.push(() => client.close())
    indexers.push(createIndexer(chainId, client, store.writer))
  }
  servers.get(hangingId)?.intercept(() => ({ kind: 'hang' }))
  await servers.get(deadId)?.close()

  const stop = new AbortController()
  const running = runIndexer(indexers, store, () => undefined, stop.signal)
  cleanups.push(async () => {
    stop.abort()
    await running
  })
  const phases = () => new Map(indexers.map((each) => [each.status().chainId, each.status().phase]))
  await expect.poll(() => [...phases().values()].filter((phase) => phase === 'following').length).toBe(18)
  // The one that hangs was asked, has not been given up yet, and was asked nothing more meanwhile.
  expect(servers.get(hangingId)?.requests).toHaveLength(1)
  expect(phases().get(hangingId)).toBe('starting')
  await expect.poll(() => phases().get(deadId)).toBe('retrying')
  expect(indexers[1]?.status().lastError).toContain('127.0.0.1')
  for (const indexer of indexers.slice(2)) {
    expect(indexer.status()).toMatchObject({ indexedBlock: head, lastError: null })
  }
})

test('a chain is followed on while the clock of the machine is set back and forth', async () => {
  const store = openStore()
  const server = await startChain(1_001)
  const client = createChainClient({
    chainId: 1_001,
    endpoints: [server.url],
    headBudgetMs: 300,
    retryDelayMs: 100,
  })
  cleanups.push(() => client.close())
  const indexer = createIndexer(1_001, client, store.writer)
  const stop = new AbortController()
  const running = runIndexer([indexer], store, () => undefined, stop.signal)
  cleanups.push(async () => {
    vi.useRealTimers()
    stop.abort()
    await running
  })
  await expect.poll(() => indexer.status().phase).toBe('following')
  vi.useFakeTimers({ toFake: ['Date'] })
  for (const setBy of [-3_600_000, 7_200_000, -7_200_000]) {
    // The endpoint is left alone for a moment when the clock is set.
    server.intercept(() => ({ kind: 'reset' }))
    await vi.waitUntil(() => indexer.status().phase === 'retrying', { timeout: 60_000 })
    vi.setSystemTime(Date.now() + setBy)
    server.intercept(() => null)
    await vi.waitUntil(() => indexer.status().phase === 'following', { timeout: 60_000 })
  }
})

test('a chain that is no longer configured is paused at rest, and what is missing of it stays known', async () => {
  const store = openStore()
  await store.writer.openChain(identityOf(5))
  const status = async () => {
    await nextTurn()
    return (await store.reader.listChains())[0]?.status
  }
  const before = await status()
  if (before === undefined) throw new Error('the chain is in the index')
  await store.writer.saveChainStatus({
    ...before,
    phase: 'retrying',
    eventsPerSecond: 7,
    fromChunks: 41,
    lastError: 'no endpoint answers',
  })
  await nextTurn()
  await runIndexer([], store, () => undefined, new AbortController().signal)
  expect(await status()).toMatchObject({
    phase: 'paused',
    eventsPerSecond: 0,
    fromChunks: null,
    lastError: null,
  })
  await store.writer.markDefect(5, { fromBlock: 1, toBlock: 2, text: 'records are missing' })
  expect(await status()).toMatchObject({ phase: 'paused', lastError: 'records are missing' })
})

async function startChain(chainId: number): Promise<ScriptedRpcServer> {
  const server = await startScriptedRpcServer(chainId, {
    eth_getBlockByNumber: answerBlocks(head),
    eth_getLogs: () => [],
  })
  cleanups.push(() => server.close().catch(() => undefined))
  return server
}

function openStore() {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-twenty-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path)
  const [writer, reader] = [openSqliteWriter(path), openSqliteReader(path)]
  cleanups.push(async () => {
    await reader.close()
    await writer.close()
    rmSync(folder, { recursive: true })
  })
  return { writer, reader }
}

function createIndexer(
  chainId: number,
  client: ReturnType<typeof createChainClient>,
  writer: ReturnType<typeof openSqliteWriter>,
): ChainIndexer {
  const address = parseAddress(`0x${'ab'.repeat(20)}`)
  const adapter = findProtocol('sign')
  if (address === null || adapter === null) throw new Error('there is Sign')
  return createChainIndexer({
    chain: { chainId, name: `Chain ${chainId}`, finality: 8, pollIntervalMs: 100, transactionSenders: false },
    deployments: [
      { deployment: { protocol: 'sign', chainId, address, schemaRegistry: null, startBlock: 0 }, adapter },
    ],
    client,
    writer,
    log: () => undefined,
  })
}
