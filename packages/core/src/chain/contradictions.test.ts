import { afterEach, describe, expect, test } from 'vitest'
import { createChainClientFixture, failureOf } from '@attestry/test/harness/chainClientFixture.ts'
import {
  answerBlocks,
  fakeAddress,
  fakeBlock,
  fakeHash,
  fakeLog,
  fakeTopic,
  readRange,
} from '@attestry/test/harness/fakeBlocks.ts'
import type { CallHandler, ReceivedCall } from '@attestry/test/harness/scriptedRpcServer.ts'
import { parseAddress, parseHash, parseHex, type Address, type Hash, type Hex } from '../model/hex.ts'

const fixture = createChainClientFixture()
afterEach(() => fixture.stop())

const filter = { addresses: [parseAddress(fakeAddress) as Address], topics: [parseHex(fakeTopic) as Hex] }
const fullBloom = `0x${'f'.repeat(512)}`

/** The honest chain: 1,000 blocks, of which every tenth has a log and says so in its bloom. */
const honest: Record<string, CallHandler> = {
  eth_getBlockByNumber: (call) => {
    const number = call.params[0] === 'latest' ? 1000 : Number(call.params[0])
    return number > 1000 ? null : bloomed(number)
  },
  eth_getLogs: (call) => logsAsked(call),
}

describe('endpoints that are asked about a final block', () => {
  const at = async (...chains: readonly number[]) => {
    const servers = []
    for (const fork of chains) {
      servers.push(
        await fixture.startServer({
          eth_getBlockByNumber: (call) =>
            fakeBlock(call.params[0] === 'latest' ? 1000 : Number(call.params[0]), fork),
        }),
      )
    }
    const started = fixture.startClient(servers.map(({ url }) => url))
    return { ...started, servers }
  }
  const hashOn = (fork: number) => parseHash(String(fakeBlock(500, fork)['hash'])) as Hash

  test('that agree are believed', async () => {
    const { client, events } = await at(0, 0, 0)
    expect((await client.fetchAgreedHeader(500, null)).hash).toBe(hashOn(0))
    expect(events).toEqual([])
  })

  test('and contradict the most are left out, said once, and tried again after a long time', async () => {
    const { client, events, servers } = await at(1, 0, 0)
    expect((await client.fetchAgreedHeader(500, null)).hash).toBe(hashOn(0))
    expect(events).toEqual([
      {
        kind: 'quarantined',
        host: servers[0]?.host,
        code: 'RPC_CONTRADICTION',
        message: expect.stringContaining('block 500'),
        retryInMs: 600_000,
      },
    ])
    const asked = servers[0]?.requests.length
    for (let i = 0; i < 5; i++) expect((await client.fetchHeaders(500, 500))[0]?.hash).toBe(hashOn(0))
    expect((await client.fetchAgreedHeader(500, null)).hash).toBe(hashOn(0))
    expect(servers[0]?.requests.length).toBe(asked)
    expect(events).toHaveLength(1)
  })

  test('are judged by what the index remembers, where only that can tell', async () => {
    const { client, events, servers } = await at(1, 0)
    expect((await client.fetchAgreedHeader(500, hashOn(0))).hash).toBe(hashOn(0))
    expect(events).toMatchObject([{ kind: 'quarantined', host: servers[0]?.host }])
  })

  test('and disagree one against one leave it open: nobody is left out, and the error names both', async () => {
    const { client, events, servers } = await at(1, 0)
    const error = await failureOf(client.fetchAgreedHeader(500, null))
    expect(error).toMatchObject({ code: 'CHAIN_INCONSISTENT', retryable: true })
    for (const { host } of servers) expect(error.message).toContain(host)
    expect(events).toEqual([])
  })

  test('but hang, fail or lack the block have no say', async () => {
    const { client, events, servers } = await at(0, 1, 1, 1)
    await client.fetchHead()
    servers[1]?.intercept(() => ({ kind: 'hang' }))
    servers[2]?.intercept(() => ({ kind: 'reset' }))
    servers[3]?.on('eth_getBlockByNumber', () => null)
    const { client: patient } = fixture.startClient(
      servers.map(({ url }) => url),
      { agreementTimeoutMs: 200 },
    )
    expect((await patient.fetchAgreedHeader(500, null)).hash).toBe(hashOn(0))
    expect(events.filter((event) => event.kind === 'quarantined')).toEqual([])
  })
})

describe('logs near the head', () => {
  const numbers = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, i) => first + i)
  const loggedBlocks = numbers(901, 1000).filter((number) => number % 10 === 0)

  const setUp = async (
    faults: Record<string, CallHandler>,
    others: readonly Record<string, CallHandler>[] = [honest],
  ) => {
    const server = await fixture.startServer({ ...honest, ...faults })
    const rest = []
    for (const handlers of others) rest.push(await fixture.startServer(handlers))
    const { client, events } = fixture.startClient([server.url, ...rest.map(({ url }) => url)])
    const headers = await client.fetchHeaders(901, 1000)
    return { server, rest, client, events, headers }
  }

  test('that one endpoint does not have yet are fetched by hash from another', async () => {
    const { client, headers, events } = await setUp({ eth_getLogs: () => [] })
    const logs = await client.fetchCheckedLogs(headers, filter)
    expect(logs.map(({ blockNumber }) => blockNumber)).toEqual(loggedBlocks)
    expect(events).toMatchObject([{ kind: 'endpointFailed', code: 'CHAIN_INCONSISTENT' }])
  })

  test('are had by hash from the same endpoint where it is alone', async () => {
    const { client, headers } = await setUp(
      { eth_getLogs: (call) => ('blockHash' in filterOf(call) ? logsAsked(call) : []) },
      [],
    )
    const logs = await client.fetchCheckedLogs(headers, filter)
    expect(logs.map(({ blockNumber }) => blockNumber)).toEqual(loggedBlocks)
  })

  test('of another fork are refused, and another endpoint is asked the next time', async () => {
    const forked: CallHandler = (call) =>
      logsAsked(call).map((log) => ({ ...log, blockHash: fakeBlock(Number(log['blockNumber']), 1)['hash'] }))
    const { client, headers, server, events } = await setUp({ eth_getLogs: forked })
    expect(await failureOf(client.fetchCheckedLogs(headers, filter))).toMatchObject({
      code: 'CHAIN_INCONSISTENT',
      retryable: true,
      facts: { host: server.host },
    })
    expect(await client.fetchCheckedLogs(headers, filter)).toHaveLength(10)
    expect(events).toMatchObject([{ kind: 'endpointFailed', host: server.host }])
  })

  test('that are wrong again and again end in quarantine', async () => {
    const { server, rest, client, events, headers } = await setUp({ eth_getLogs: () => [] })
    for (let turn = 0; turn < 5; turn++) {
      // The other one fails once, so that it is this one's turn, and answers again when it is asked by hash.
      let isAway = true
      rest[0]?.intercept(() => {
        const fault = isAway ? ({ kind: 'reset' } as const) : null
        isAway = false
        return fault
      })
      await client.fetchCheckedLogs(headers, filter)
      await client.fetchHead()
    }
    expect(events.filter(({ kind }) => kind === 'quarantined')).toMatchObject([{ host: server.host }])
  })
})

describe('logs of a range', () => {
  test('are not taken from an endpoint whose head lies below it', async () => {
    const stuck = await fixture.startServer({
      eth_getBlockByNumber: answerBlocks(100),
      eth_getLogs: () => [],
    })
    const healthy = await fixture.startServer(honest)
    const { client } = fixture.startClient([stuck.url, healthy.url])
    const logs = await client.fetchLogs({ ...filter, fromBlock: 1, toBlock: 500 })
    expect(logs).toHaveLength(50)
    expect(stuck.callsOf('eth_getLogs')).toHaveLength(0)
    const alone = fixture.startClient([stuck.url], { attemptsMax: 2 })
    expect(await failureOf(alone.client.fetchLogs({ ...filter, fromBlock: 1, toBlock: 500 }))).toMatchObject({
      code: 'RPC_MISSING',
      retryable: true,
    })
  })

  test('in blocks that no other endpoint has are not believed, and their endpoint is left out', async () => {
    const forkedLog = (log: Record<string, unknown>) => ({
      ...log,
      blockHash: fakeBlock(Number(log['blockNumber']), 1)['hash'],
    })
    const lying = await fixture.startServer({
      eth_getBlockByNumber: (call) =>
        fakeBlock(call.params[0] === 'latest' ? 1000 : Number(call.params[0]), 1),
      eth_getLogs: (call) => logsAsked(call).map(forkedLog),
    })
    const others = [await fixture.startServer(honest), await fixture.startServer(honest)]
    const { client, events } = fixture.startClient([lying.url, ...others.map(({ url }) => url)])
    const range = { ...filter, fromBlock: 1, toBlock: 500 }
    expect(await failureOf(client.fetchLogs(range))).toMatchObject({ code: 'CHAIN_INCONSISTENT' })
    expect(events).toMatchObject([{ kind: 'quarantined', host: lying.host }])
    const logs = await client.fetchLogs(range)
    expect(logs.map(({ blockHash }) => blockHash)).toEqual(
      logs.map(({ blockNumber }) => fakeBlock(blockNumber)['hash']),
    )
  })

  test('whose time is not that of their block are not believed', async () => {
    const server = await fixture.startServer({
      ...honest,
      eth_getLogs: (call) => logsAsked(call).map((log) => ({ ...log, blockTimestamp: '0x6553f1ff' })),
    })
    const { client } = fixture.startClient([server.url])
    expect(await failureOf(client.fetchLogs({ ...filter, fromBlock: 1, toBlock: 10 }))).toMatchObject({
      code: 'CHAIN_INCONSISTENT',
    })
  })
})

function bloomed(number: number): Record<string, unknown> {
  return { ...fakeBlock(number), ...(number % 10 === 0 ? { logsBloom: fullBloom } : {}) }
}

function filterOf(call: ReceivedCall): Record<string, unknown> {
  return call.params[0] as Record<string, unknown>
}

/** The answer of the honest chain to a request for logs. */
function logsAsked(call: ReceivedCall): Record<string, unknown>[] {
  const { blockHash } = filterOf(call)
  const { fromBlock, toBlock } =
    typeof blockHash === 'string'
      ? { fromBlock: numberOf(blockHash), toBlock: numberOf(blockHash) }
      : readRange(call)
  const logs = []
  for (let number = fromBlock; number <= toBlock; number++)
    if (number % 10 === 0) logs.push(fakeLog(number, 0))
  return logs
}

/** The number of an honest block is part of its hash. */
function numberOf(hash: string): number {
  const number = Number.parseInt(hash.slice(4), 16)
  if (hash !== fakeHash(0xb0, number)) throw new Error(`${hash} is no honest block`)
  return number
}
