import { inspect } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { createChainClientFixture, failureOf } from '@attestry/test/harness/chainClientFixture.ts'
import { answerBlocks, answerLogs, readRange } from '@attestry/test/harness/fakeBlocks.ts'
import { rpcError, type Fault } from '@attestry/test/harness/scriptedRpcServer.ts'

const fixture = createChainClientFixture()
afterEach(() => fixture.stop())

const startServer = () =>
  fixture.startServer({ eth_getBlockByNumber: answerBlocks(1_000), eth_getLogs: answerLogs })

test('every request goes over one connection, whose handshake names the user of the URL', async () => {
  const server = await startServer()
  const { client } = fixture.startClient([`ws://user:pass@${server.host}/v2/key?x=1`])
  await client.fetchHead()
  const headers = await Promise.all([client.fetchHeaders(1, 3), client.fetchHeaders(7, 8)])
  expect(headers.flat().map(({ number }) => number)).toEqual([1, 2, 3, 7, 8])
  const filter = { addresses: [], topics: [], fromBlock: 10, toBlock: 12 }
  expect((await client.fetchLogs(filter)).map(({ blockNumber }) => blockNumber)).toEqual([10, 11, 12])
  expect(server.openConnections()).toBe(1)
  expect(server.requests[0]).toMatchObject({
    path: '/v2/key?x=1',
    headers: { authorization: `Basic ${Buffer.from('user:pass').toString('base64')}` },
  })
})

test('answers in another order find their requests', async () => {
  const server = await startServer()
  const held: (() => void)[] = []
  const { client } = fixture.startClient([server.webSocketUrl])
  await client.fetchHead()
  server.intercept((request) => {
    const answer = request.calls.map(({ id, params }) => ({
      jsonrpc: '2.0',
      id,
      result: answerBlocks(1_000)({ id, method: '', params }),
    }))
    held.push(() => {
      for (const socket of server.sockets)
        socket.send(JSON.stringify(request.isBatch ? answer.toReversed() : answer[0]))
    })
    return { kind: 'hang' }
  })
  const calls = [client.fetchHeaders(1, 2), client.fetchHeaders(5, 5), client.fetchHead()]
  await expect.poll(() => held.length).toBe(3)
  for (const send of held.toReversed()) send()
  const numbers = (await Promise.all(calls)).map((found) => [found].flat().map(({ number }) => number))
  expect(numbers).toEqual([[1, 2], [5], [1_000]])
})

test.each<[name: string, fault: Fault, code: string]>([
  ['closes the connection', { kind: 'reset' }, 'RPC_UNREACHABLE'],
  ['does not answer', { kind: 'hang' }, 'RPC_UNREACHABLE'],
  ['sends no JSON', { kind: 'answer', status: 200, body: 'hello' }, 'RPC_MALFORMED'],
  ['sends JSON that is no JSON-RPC', { kind: 'answer', status: 200, body: '{"ok":true}' }, 'RPC_MALFORMED'],
  ['sends a huge frame', { kind: 'answer', status: 200, body: `"${'x'.repeat(70_000)}"` }, 'RPC_MALFORMED'],
  [
    'asks for fewer requests',
    {
      kind: 'answer',
      status: 200,
      body: '{"jsonrpc":"2.0","id":null,"error":{"code":429,"message":"Too Many Requests"}}',
    },
    'RPC_RATE_LIMITED',
  ],
])(
  'a request is sent again, over a new connection if need be, when an endpoint %s',
  async (_, fault, code) => {
    const server = await startServer()
    let left = 2
    server.intercept(({ calls }) => (calls[0]?.method === 'eth_chainId' || left-- <= 0 ? null : fault))
    // On a busy machine any answer may take long; only one that never comes is waited for.
    const requestTimeoutMs = code === 'RPC_UNREACHABLE' ? 100 : 60_000
    const options = { requestTimeoutMs, maxResponseBytes: 65_536 }
    const { client, events } = fixture.startClient([server.webSocketUrl], options)
    await expect(client.fetchHead()).resolves.toMatchObject({ number: 1_000 })
    expect(events[0]).toMatchObject(
      code === 'RPC_RATE_LIMITED' ? { kind: 'rateLimited' } : { kind: 'endpointFailed', code },
    )
    const last = code === 'RPC_RATE_LIMITED' ? 'rateLimited' : 'endpointRecovered'
    expect(events.at(-1)).toMatchObject({ kind: last, host: server.host })
    await expect.poll(() => server.openConnections()).toBe(1)
  },
)

test('a request that is given up leaves the connection to the others', async () => {
  const server = await startServer()
  const { client } = fixture.startClient([server.webSocketUrl])
  await client.fetchHead()
  server.intercept(({ calls }) => (calls[0]?.params[0] === '0x5' ? { kind: 'hang' } : null))
  const abort = new AbortController()
  const hanging = client.fetchHeaders(5, 5, abort.signal)
  await client.fetchHead()
  abort.abort(new Error('enough'))
  await expect(hanging).rejects.toThrow('enough')
  await client.fetchHead()
  expect(server.callsOf('eth_chainId')).toHaveLength(1)
  expect(server.openConnections()).toBe(1)
})

test('an HTTP endpoint takes over from one whose connection is refused, and says why without the key', async () => {
  const server = await startServer()
  const other = await startServer()
  server.refuseUpgrades(() => ({ status: 401 }))
  const { client, events } = fixture.startClient([`${server.webSocketUrl}/k3yInPath`, other.url])
  await expect(client.fetchHead()).resolves.toMatchObject({ number: 1_000 })
  expect(events).toEqual([
    {
      kind: 'endpointFailed',
      host: server.host,
      code: 'RPC_REFUSED',
      message: expect.stringContaining('HTTP 401'),
      times: 1,
    },
  ])
})

test('a handshake that is rate limited waits for as long as the endpoint says', async () => {
  const server = await startServer()
  server.refuseUpgrades(() => ({ status: 429, headers: { 'retry-after': '7' } }))
  const { client, events } = fixture.startClient([server.webSocketUrl], { callBudgetMs: 1_000 })
  expect(await failureOf(client.fetchHead())).toMatchObject({ code: 'RPC_RATE_LIMITED' })
  expect(events).toMatchObject([{ kind: 'rateLimited', host: server.host, retryInMs: 7_000 }])
})

test('ranges of logs shrink, and batches are split, as over HTTP', async () => {
  const server = await startServer()
  server.on('eth_getLogs', (call) => {
    const { fromBlock, toBlock } = readRange(call)
    return toBlock - fromBlock < 10 ? answerLogs(call) : rpcError(-32_005, 'block range exceeds 10')
  })
  server.intercept(({ isBatch }) => {
    const body =
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch requests are not supported"}}'
    return isBatch ? { kind: 'answer', status: 200, body } : null
  })
  const { client } = fixture.startClient([server.webSocketUrl])
  expect(await client.fetchHeaders(1, 4)).toHaveLength(4)
  expect(await client.fetchLogs({ addresses: [], topics: [], fromBlock: 1, toBlock: 40 })).toHaveLength(40)
})

test('a key in the URL does not show when nothing listens', async () => {
  const server = await startServer()
  await server.close()
  const { client, events } = fixture.startClient([`${server.webSocketUrl}/k3yInPath`], { attemptsMax: 2 })
  const error = await failureOf(client.fetchHead())
  expect(error).toMatchObject({ code: 'RPC_UNREACHABLE', facts: { host: server.host, reason: 'refused' } })
  expect(inspect([error, events], { depth: 10, showHidden: true })).not.toContain('k3yInPath')
})
