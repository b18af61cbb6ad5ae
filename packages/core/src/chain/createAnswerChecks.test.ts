import { afterEach, expect, test } from 'vitest'
import { createChainClientFixture } from '@attestry/test/harness/chainClientFixture.ts'
import { answerLogs, fakeAddress, fakeTopic, readRange } from '@attestry/test/harness/fakeBlocks.ts'
import type { CallHandler } from '@attestry/test/harness/scriptedRpcServer.ts'
import { parseAddress, parseHex, type Address, type Hex } from '../model/hex.ts'

const fixture = createChainClientFixture()
afterEach(() => fixture.stop())

const filter = { addresses: [parseAddress(fakeAddress) as Address], topics: [parseHex(fakeTopic) as Hex] }
const range = { ...filter, fromBlock: 1, toBlock: 1_000 }

/** An endpoint that gives the first or the last 20 logs of a range and says nothing of the others. */
const cut =
  (keeps: 'first' | 'last'): CallHandler =>
  (call) => {
    const logs = answerLogs(call) as readonly unknown[]
    return keeps === 'first' ? logs.slice(0, 20) : logs.slice(-20)
  }

test.each(['first', 'last'] as const)(
  'one endpoint that gives the %s logs of a range is asked for smaller ones',
  async (keeps) => {
    const server = await fixture.startServer({ eth_getLogs: cut(keeps) })
    const { client, events } = fixture.startClient([server.url], { answerChecks: 2 })
    expect(await client.fetchLogs(range)).toHaveLength(1_000)
    expect(events).toMatchObject([{ kind: 'logsLeftOut', host: server.host }])
  },
)

test('an endpoint that cuts its answers is passed over for one that does not', async () => {
  const short = await fixture.startServer({ eth_getLogs: cut('first') })
  const whole = await fixture.startServer({ eth_getLogs: answerLogs })
  const { client, events } = fixture.startClient([short.url, whole.url], { answerChecks: 2 })
  expect(await client.fetchLogs(range)).toHaveLength(1_000)
  expect(events).toMatchObject([{ kind: 'logsLeftOut', host: short.host }])
  const asked = short.callsOf('eth_getLogs').length
  expect(await client.fetchLogs(range)).toHaveLength(1_000)
  expect(short.callsOf('eth_getLogs').length).toBe(asked)
})

test('answers that were believed before a wider range showed the limit are doubted', async () => {
  // Twenty logs are all of the first ranges.
  const server = await fixture.startServer({ eth_getLogs: cut('first') })
  const { client } = fixture.startClient([server.url], { answerChecks: 2, logRangeInitialBlocks: 20 })
  const first = await client.fetchLogs(range)
  const { fromBlock } = client.takeLogDoubts()
  const whole = first.findIndex(({ blockNumber }, index) => blockNumber !== index + 1)
  expect(fromBlock).toBeLessThanOrEqual(whole + 1)
  expect(await client.fetchLogs(range)).toHaveLength(1_000)
  expect(client.takeLogDoubts()).toEqual({ fromBlock: null, unsettled: [] })
})

test('an honest endpoint is asked for few ranges again', async () => {
  const server = await fixture.startServer({ eth_getLogs: answerLogs })
  const { client, events } = fixture.startClient([server.url], {
    answerChecks: 2,
    logRangeInitialBlocks: 10,
    logRangeMaxBlocks: 10,
  })
  expect(await client.fetchLogs(range)).toHaveLength(1_000)
  expect(events).toEqual([])
  const widths = server
    .callsOf('eth_getLogs')
    .map((call) => readRange(call).toBlock - readRange(call).fromBlock + 1)
  expect(widths.filter((width) => width === 5)).toHaveLength(4)
  expect(widths.filter((width) => width === 10)).toHaveLength(100)
})

test('an honest endpoint whose answers have ever more logs is asked for few ranges again', async () => {
  // Of the blocks up to 100 one in a hundred has a log, of those up to 200 two in a hundred, and so on.
  const growing: CallHandler = (call) => {
    const logs = answerLogs(call) as readonly { readonly blockNumber: string }[]
    return logs.filter(({ blockNumber }) => Number(blockNumber) % 100 <= Number(blockNumber) / 100)
  }
  const server = await fixture.startServer({ eth_getLogs: growing })
  const { client } = fixture.startClient([server.url], {
    answerChecks: 2,
    logRangeInitialBlocks: 100,
    logRangeMaxBlocks: 100,
  })
  await client.fetchLogs({ ...filter, fromBlock: 0, toBlock: 9_999 })
  // 100 answers, and two parts of each answer with twice the logs of the one before.
  expect(server.callsOf('eth_getLogs').length).toBeLessThan(100 + 2 * 8)
})
