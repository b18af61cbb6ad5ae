import { afterEach, expect, test } from 'vitest'
import { createChainClientFixture } from '@attestry/test/harness/chainClientFixture.ts'
import { answerBlocks, fakeBlock } from '@attestry/test/harness/fakeBlocks.ts'
import { rpcError, type ScriptedRpcServer } from '@attestry/test/harness/scriptedRpcServer.ts'
import { systemClock, type Clock } from '../model/clock.ts'
import type { ChainClient } from './chainClient.ts'

const fixture = createChainClientFixture()
afterEach(() => fixture.stop())

/** Pauses are a hundredth as long. */
const quickClock: Clock = {
  nowMs: () => systemClock.nowMs(),
  sleep: (delayMs, signal) => systemClock.sleep(delayMs / 100, signal),
}
/** Longer than any test. */
const foreverMs = 100_000_000

/** An endpoint whose newest block is `head`. */
async function startServer(head: number) {
  const server = await fixture.startServer({ eth_subscribe: () => '0x1' })
  const setHead = (number: number) => server.on('eth_getBlockByNumber', answerBlocks(number))
  const subscriptions = () => server.callsOf('eth_subscribe').length
  setHead(head)
  return { server, setHead, subscriptions, headFetches: () => server.callsOf('eth_getBlockByNumber').length }
}

function startClient(...urls: string[]) {
  return fixture.startClient(urls, { clock: quickClock, requestTimeoutMs: 2_000 })
}

/** Waits for the subscription to be open and its word to be believed. */
async function tellTrueHead(client: ChainClient, server: ScriptedRpcServer, number: number): Promise<void> {
  const isTold = client.awaitHead(foreverMs)
  await expect.poll(() => server.callsOf('eth_subscribe').length).toBeGreaterThan(0)
  await expect.poll(() => server.sockets.size).toBe(1)
  const told = setInterval(() => server.notify(fakeBlock(number)), 5)
  try {
    expect(await isTold).toBe(true)
  } finally {
    clearInterval(told)
  }
  expect(await client.fetchHead()).toMatchObject({ number })
  expect(client.headSource()).toBe('subscription')
}

test('a head that an endpoint announces is fetched from that endpoint, even if another is preferred', async () => {
  const late = await startServer(10)
  const told = await startServer(10)
  const { client, events } = startClient(late.server.url, told.server.webSocketUrl)
  await client.fetchHead()
  expect(client.headSource()).toBe('polling')
  told.setHead(11)
  await tellTrueHead(client, told.server, 11)
  expect(events).toContainEqual({ kind: 'headsTold', host: told.server.host })
  // The same head is no news, and an older one neither.
  told.server.notify(fakeBlock(11))
  told.server.notify(fakeBlock(9))
  expect(await client.awaitHead(10_000)).toBe(false)
  // Another block of the same number may be that of another branch.
  told.server.notify(fakeBlock(11, 1))
  expect(await client.awaitHead(foreverMs)).toBe(true)
})

test('over HTTP only the pause passes', async () => {
  const { server } = await startServer(10)
  const { client, events } = startClient(server.url)
  expect(await client.awaitHead(5_000)).toBe(false)
  expect(client.headSource()).toBe('polling')
  expect(events).toEqual([])
})

test('an endpoint that refuses subscriptions to heads is reported once, however often it is asked', async () => {
  const { server, subscriptions } = await startServer(10)
  server.on('eth_subscribe', () => rpcError(-32_601, 'the method eth_subscribe does not exist'))
  const { client, events } = startClient(server.webSocketUrl)
  expect(await client.awaitHead(1_000)).toBe(false)
  await expect.poll(() => subscriptions()).toBeGreaterThan(2)
  const reason = `${server.host} refused eth_subscribe: “the method eth_subscribe does not exist” (code -32601).`
  expect(events).toEqual([{ kind: 'headsLost', host: server.host, reason }])
})

test('a subscription whose connection is lost is opened again', async () => {
  const { server, setHead, subscriptions } = await startServer(10)
  const { client, events } = startClient(server.webSocketUrl)
  await tellTrueHead(client, server, 10)
  for (const socket of server.sockets) socket.terminate()
  await expect.poll(() => client.headSource()).toBe('polling')
  expect(events).toContainEqual({
    kind: 'headsLost',
    host: server.host,
    reason: `${server.host} closed the connection`,
  })
  await expect.poll(() => subscriptions()).toBe(2)
  setHead(11)
  await tellTrueHead(client, server, 11)
})

test('a subscription that falls silent while heads are fetched is opened again over another connection', async () => {
  const { server, setHead, subscriptions } = await startServer(10)
  const { client, events } = startClient(server.webSocketUrl)
  await tellTrueHead(client, server, 10)
  for (const head of [11, 12]) {
    setHead(head)
    await client.fetchHead()
  }
  // Polls take over with the first head that the subscription did not announce.
  expect(client.headSource()).toBe('polling')
  expect(subscriptions()).toBe(1)
  for (const head of [13, 14]) {
    setHead(head)
    await client.fetchHead()
  }
  await expect.poll(() => subscriptions()).toBe(2)
  await expect.poll(() => server.openConnections()).toBe(1)
  expect(events).toContainEqual({
    kind: 'headsLost',
    host: server.host,
    reason: `${server.host} tells of no new blocks`,
  })
})

test.each<[name: string, message: string]>([
  ['no JSON', 'hello'],
  [
    'no head',
    '{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":{"number":"0x"}}}',
  ],
  ['nothing', '{"jsonrpc":"2.0","method":"eth_subscription"}'],
])('a subscription that brings %s ends, and requests go on', async (_, message) => {
  const { server, subscriptions } = await startServer(10)
  const { client } = startClient(server.webSocketUrl)
  await tellTrueHead(client, server, 10)
  for (const socket of server.sockets) socket.send(message)
  await expect.poll(() => client.headSource()).toBe('polling')
  await expect(client.fetchHead()).resolves.toMatchObject({ number: 10 })
  await expect.poll(() => subscriptions()).toBe(2)
})

test('blocks far ahead that never come cost few requests, and then the subscription', async () => {
  const { server, subscriptions, headFetches } = await startServer(10)
  const { client, events } = startClient(server.webSocketUrl)
  await tellTrueHead(client, server, 10)
  const before = headFetches()
  const lies = setInterval(() => server.notify(fakeBlock(1_000_000)), 1)
  while (client.headSource() === 'subscription') {
    await client.awaitHead(20_000)
    await client.fetchHead()
  }
  clearInterval(lies)
  expect(headFetches() - before).toBeLessThanOrEqual(5 * 4)
  expect(events).toContainEqual({
    kind: 'headsLost',
    host: server.host,
    reason: `${server.host} tells of blocks that it does not have`,
  })
  await expect.poll(() => subscriptions()).toBe(2)
})

test('an endpoint in quarantine is not listened to', async () => {
  const [told, other] = [await startServer(10), await startServer(10)]
  const { client } = startClient(told.server.webSocketUrl, other.server.url)
  await tellTrueHead(client, told.server, 10)
  client.quarantine(told.server.host, 'lies')
  told.server.notify(fakeBlock(11))
  expect(await client.awaitHead(10_000)).toBe(false)
})

test('an endpoint of another chain is not subscribed to', async () => {
  const { server, subscriptions } = await startServer(10)
  server.on('eth_chainId', () => '0x8')
  const { client } = startClient(server.webSocketUrl)
  expect(await client.awaitHead(20_000)).toBe(false)
  await expect.poll(() => server.callsOf('eth_chainId').length).toBeGreaterThan(0)
  expect(subscriptions()).toBe(0)
})
