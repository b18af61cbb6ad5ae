import { afterEach, expect, test } from 'vitest'
import { createChainClientFixture } from '@attestry/test/harness/chainClientFixture.ts'
import { answerLogs, fakeAddress, fakeTopic, readRange } from '@attestry/test/harness/fakeBlocks.ts'
import type { CallHandler } from '@attestry/test/harness/scriptedRpcServer.ts'
import { parseAddress, parseHex, type Address, type Hex } from '../model/hex.ts'

const fixture = createChainClientFixture()
afterEach(() => fixture.stop())

const filter = { addresses: [parseAddress(fakeAddress) as Address], topics: [parseHex(fakeTopic) as Hex] }
const oldBlocks = { ...filter, fromBlock: 100, toBlock: 109 }

/** A node that has deleted the logs of old blocks. */
const answerPruned: CallHandler = (call) => (readRange(call).toBlock < 500 ? [] : answerLogs(call))

async function startPair(pruned: CallHandler = answerPruned) {
  const forgetful = await fixture.startServer({ eth_getLogs: pruned })
  const full = await fixture.startServer({ eth_getLogs: answerLogs })
  return { forgetful, full, ...fixture.startClient([forgetful.url, full.url]) }
}

/** A log that one of the endpoints is known to have. */
async function firstLog(urls: readonly string[]) {
  const [log] = await fixture.startClient(urls).client.fetchLogs(oldBlocks)
  if (log === undefined) throw new Error('the endpoint gives no log')
  return log
}

test('an endpoint that lacks a log is named once, and asked for old logs no more', async () => {
  const { forgetful, full, client, events } = await startPair()
  const log = await firstLog([full.url])
  expect(await client.fetchLogs(oldBlocks)).toEqual([])
  expect(await client.proveLog(log)).toEqual([forgetful.host])
  expect(events).toMatchObject([{ kind: 'logsForgotten', host: forgetful.host }])
  expect(await client.fetchLogs(oldBlocks)).toHaveLength(10)
  expect(await client.proveLog(log)).toEqual([])
})

test('an endpoint that has answered and cannot be asked for the log is named too', async () => {
  const { forgetful, full, client } = await startPair()
  const log = await firstLog([full.url])
  expect(await client.fetchLogs(oldBlocks)).toEqual([])
  forgetful.intercept(() => ({ kind: 'reset' }))
  expect(await client.proveLog(log)).toEqual([forgetful.host])
  expect(await client.fetchLogs(oldBlocks)).toHaveLength(10)
  expect(await client.proveLog(log)).toEqual([])
})

test('an answer that was under way when the log became known is not taken from an endpoint without it', async () => {
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let calls = 0
  const { full, client } = await startPair(async (call) => {
    if (++calls > 1) return answerPruned(call)
    asked.resolve()
    await released.promise
    return answerPruned(call)
  })
  const log = await firstLog([full.url])
  const logs = client.fetchLogs(oldBlocks)
  await asked.promise
  expect(await client.proveLog(log)).toEqual([])
  released.resolve()
  expect(await logs).toHaveLength(10)
})
