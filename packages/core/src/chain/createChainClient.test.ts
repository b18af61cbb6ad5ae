import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { createHeldAnswers } from './heldAnswers.ts'
import { createChainClientFixture, failureOf } from '@attestry/test/harness/chainClientFixture.ts'
import { answerBlocks, fakeBlock } from '@attestry/test/harness/fakeBlocks.ts'
import {
  rpcError,
  type CallHandler,
  type Fault,
  type ScriptedRpcServer,
} from '@attestry/test/harness/scriptedRpcServer.ts'
import { createSleepingClock } from '@attestry/test/harness/sleepingClock.ts'
import { RpcClosedError, RpcWrongChainError } from '../errors/rpcErrors.ts'
import { parseAddress, parseHash, type Hash } from '../model/hex.ts'
import type { ChainClientOptions } from './chainClientOptions.ts'
import { changeAddress } from '@attestry/test/harness/changeAddress.ts'

const fixture = createChainClientFixture()
afterEach(() => fixture.stop())

async function startServer(
  handlers: Record<string, CallHandler> = {},
  chainId = 7,
): Promise<ScriptedRpcServer> {
  return fixture.startServer({
    eth_chainId: () => `0x${chainId.toString(16)}`,
    eth_getBlockByNumber: answerBlocks(1000),
    ...handlers,
  })
}

function startClient(
  servers: readonly (ScriptedRpcServer | string)[],
  rest: Partial<ChainClientOptions> = {},
) {
  return fixture.startClient(
    servers.map((server) => (typeof server === 'string' ? server : server.url)),
    rest,
  )
}

/** Lets the first `count` requests that are no chain check meet a fault. */
function faultFirst(server: ScriptedRpcServer, count: number, fault: Fault) {
  let left = count
  server.intercept((request) => (request.calls[0]?.method !== 'eth_chainId' && left-- > 0 ? fault : null))
}

describe('an answer that goes wrong', () => {
  const faults: [name: string, fault: Fault, code: string][] = [
    ['a reset connection', { kind: 'reset' }, 'RPC_UNREACHABLE'],
    ['a body that ends in the middle', { kind: 'truncate' }, 'RPC_UNREACHABLE'],
    ['no answer in time', { kind: 'hang' }, 'RPC_UNREACHABLE'],
    ['a body that is no JSON', { kind: 'answer', status: 200, body: 'hello' }, 'RPC_MALFORMED'],
    ['JSON that is no JSON-RPC', { kind: 'answer', status: 200, body: '{"ok":true}' }, 'RPC_MALFORMED'],
    ['an empty body', { kind: 'answer', status: 200, body: '' }, 'RPC_MALFORMED'],
    [
      'a page of HTML with a status of failure',
      { kind: 'answer', status: 502, body: '<html><h1>Bad gateway</h1></html>' },
      'RPC_UNREACHABLE',
    ],
    [
      'damaged gzip',
      { kind: 'answer', status: 200, body: 'no gzip', headers: { 'content-encoding': 'gzip' } },
      'RPC_MALFORMED',
    ],
    ['too many requests', { kind: 'answer', status: 429, body: 'slow down' }, 'RPC_RATE_LIMITED'],
    [
      'an answer to another request',
      { kind: 'answer', status: 200, body: '{"jsonrpc":"2.0","id":987654,"result":null}' },
      'RPC_MALFORMED',
    ],
  ]

  /** Only a hanging request is to meet its timeout, also where the machine is busy. */
  const timeoutOf = ({ kind }: Fault) => (kind === 'hang' ? 500 : 10_000)

  test.each(faults)('%s is retried and gets over', async (_, fault, code) => {
    const server = await startServer()
    faultFirst(server, 2, fault)
    const { client, events } = startClient([server], { requestTimeoutMs: timeoutOf(fault) })
    await expect(client.fetchHead()).resolves.toMatchObject({ number: 1000 })
    expect(server.callsOf('eth_getBlockByNumber')).toHaveLength(3)
    const isRate = code === 'RPC_RATE_LIMITED'
    expect(events.map(({ kind }) => kind)).toEqual(
      isRate ? ['rateLimited'] : ['endpointFailed', 'endpointRecovered'],
    )
  })

  test('a name that leads to another address than before is followed', async () => {
    const server = await startServer()
    changeAddress('endpoint.test', 2)
    const { client } = startClient([server.url.replace('127.0.0.1', 'endpoint.test')])
    await expect(client.fetchHead()).resolves.toMatchObject({ number: 1000 })
  })

  test.each(faults)('%s for ever ends in a retryable error', async (_, fault, code) => {
    const server = await startServer()
    faultFirst(server, Infinity, fault)
    const { client } = startClient([server], { requestTimeoutMs: timeoutOf(fault), attemptsMax: 3 })
    const error = await failureOf(client.fetchHead())
    expect(error).toMatchObject({ code, retryable: true })
    expect(error.message).toContain(server.host)
    expect(server.callsOf('eth_getBlockByNumber')).toHaveLength(3)
  })

  test('a healthy endpoint takes over from one that fails, and keeps the work', async () => {
    const broken = await startServer()
    faultFirst(broken, Infinity, { kind: 'reset' })
    const healthy = await startServer()
    const { client, events } = startClient([broken, healthy], {
      retryDelayMs: 60_000,
      retryDelayMaxMs: 60_000,
    })
    for (let i = 0; i < 3; i++) await client.fetchHead()
    expect(broken.callsOf('eth_getBlockByNumber')).toHaveLength(1)
    expect(healthy.callsOf('eth_getBlockByNumber')).toHaveLength(3)
    expect(events.filter((event) => event.kind === 'endpointFailed')).toHaveLength(1)
  })

  test('an endpoint where nothing listens is no reason to fail', async () => {
    const gone = await startServer()
    await gone.close()
    const healthy = await startServer()
    const { client } = startClient([gone, healthy])
    await expect(client.fetchHead()).resolves.toMatchObject({ number: 1000 })
    const alone = startClient([gone], { attemptsMax: 2 })
    expect(await failureOf(alone.client.fetchHead())).toMatchObject({
      code: 'RPC_UNREACHABLE',
      retryable: true,
    })
  })

  test('an answer larger than allowed is refused', async () => {
    const server = await startServer()
    faultFirst(server, Infinity, { kind: 'answer', status: 200, body: `"${'x'.repeat(5000)}"` })
    const { client } = startClient([server], { maxResponseBytes: 4000, attemptsMax: 1 })
    expect((await failureOf(client.fetchHead())).message).toContain('more than 4000 bytes')
    const bomb = gzipSync(`"${'x'.repeat(100_000)}"`)
    faultFirst(server, Infinity, {
      kind: 'answer',
      status: 200,
      body: bomb,
      headers: { 'content-encoding': 'gzip' },
    })
    expect((await failureOf(client.fetchHead())).message).toContain('more than 4000 bytes')
  })

  test('an answer that nests deeper than any is no JSON-RPC', async () => {
    const server = await startServer()
    const { client } = startClient([server], { attemptsMax: 1 })
    for (const body of [
      '['.repeat(1_000_000),
      `{"jsonrpc":"2.0","id":1,"result":${'['.repeat(100)}${']'.repeat(100)}}`,
    ]) {
      faultFirst(server, Infinity, { kind: 'answer', status: 200, body })
      expect((await failureOf(client.fetchHead())).message).toContain('the body is no JSON')
    }
  })

  test('the answers of all endpoints together hold no more than allowed', async () => {
    const server = await startServer()
    faultFirst(server, Infinity, { kind: 'answer', status: 200, body: `"${'x'.repeat(300_000)}"` })
    const { client } = startClient([server], { heldAnswers: createHeldAnswers(200_000), attemptsMax: 1 })
    expect((await failureOf(client.fetchHead())).message).toMatch(/answered with more than [0-9]+ bytes/)
  })

  test('compressed answers are asked for and read', async () => {
    const server = await startServer()
    server.intercept((request) => {
      expect(request.headers['accept-encoding']).toBe('gzip')
      const [call] = request.calls
      if (call?.method !== 'eth_getBlockByNumber') return null
      const body = gzipSync(JSON.stringify({ jsonrpc: '2.0', id: call.id, result: fakeBlock(5) }))
      return { kind: 'answer', status: 200, body, headers: { 'content-encoding': 'gzip' } }
    })
    const { client } = startClient([server])
    await expect(client.fetchHead()).resolves.toMatchObject({ number: 5 })
  })
})

describe('rate limits', () => {
  test.each([
    ['seconds', '7', 7000],
    ['a date', new Date(1_000_000 + 9000).toUTCString(), 9000],
  ])('Retry-After in %s is obeyed', async (_, header, expectedMs) => {
    const server = await startServer()
    const clock = createSleepingClock()
    faultFirst(server, 1, { kind: 'answer', status: 429, body: '', headers: { 'retry-after': header } })
    const { client } = startClient([server], { clock })
    await client.fetchHead()
    expect(clock.slept.reduce((sum, delayMs) => sum + delayMs, 0)).toBe(expectedMs)
  })

  test('a wait beyond the budget of a call is left to the caller', async () => {
    const server = await startServer()
    faultFirst(server, 1, { kind: 'answer', status: 429, body: '', headers: { 'retry-after': '3600' } })
    const clock = createSleepingClock()
    const { client } = startClient([server], { clock })
    expect(await failureOf(client.fetchHead())).toMatchObject({
      code: 'RPC_RATE_LIMITED',
      retryable: true,
      facts: { retryAfterMs: 3_600_000 },
    })
    // Asked again at once, it does not bother the endpoint.
    await failureOf(client.fetchHead())
    expect(server.callsOf('eth_getBlockByNumber')).toHaveLength(1)
  })

  test('of requests under way together count once', async () => {
    const server = await startServer()
    const { client, events } = startClient([server], {
      retryDelayMs: 1_000,
      retryDelayMaxMs: 10_000,
      random: () => 0,
    })
    await client.fetchHead()
    // The delay is longer than it takes for all four to be refused.
    faultFirst(server, 4, { kind: 'answer', status: 429, body: '' })
    await Promise.all([1, 2, 3, 4].map(() => client.fetchHead()))
    expect(events.filter((event) => event.kind === 'rateLimited')).toMatchObject([
      { host: server.host, retryInMs: 500, refusals: 1 },
    ])
  })

  test('one inside a status of 200 is recognised, and backs off further each time', async () => {
    let refusals = 5
    const server = await startServer({
      eth_getBlockByNumber: (call) =>
        refusals-- > 0
          ? rpcError(-32005, 'daily request count exceeded, request rate limited')
          : answerBlocks(9)(call),
    })
    const clock = createSleepingClock()
    const { client, events } = startClient([server], {
      clock,
      retryDelayMs: 2_000,
      retryDelayMaxMs: 100_000,
      random: () => 0,
    })
    await expect(client.fetchHead()).resolves.toMatchObject({ number: 9 })
    expect(clock.slept).toEqual([1_000, 2_000, 4_000, 8_000, 16_000])
    expect(events.map(({ kind }) => kind)).toEqual(['rateLimited'])
  })
})

describe('the chain id', () => {
  test('is checked once per endpoint before anything else', async () => {
    const server = await startServer()
    const { client } = startClient([server])
    await Promise.all([client.fetchHead(), client.fetchHead(), client.fetchHeaders(1, 3)])
    expect(server.callsOf('eth_chainId')).toHaveLength(1)
    expect(server.requests[0]?.calls[0]?.method).toBe('eth_chainId')
  })

  test('leaves an endpoint of another chain out, said once', async () => {
    const wrong = await startServer({}, 8)
    const right = await startServer()
    const { client, events } = startClient([wrong, right])
    for (let i = 0; i < 3; i++) await expect(client.fetchHead()).resolves.toMatchObject({ number: 1000 })
    expect(wrong.callsOf('eth_getBlockByNumber')).toHaveLength(0)
    expect(events).toEqual([{ kind: 'wrongChain', host: wrong.host, expectedChainId: 7, foundChainId: 8 }])
  })

  test('that is wrong everywhere is an error of its own until an endpoint is put right', async () => {
    const server = await startServer({}, 8)
    const clock = createSleepingClock()
    const { client, events } = startClient([server], { clock })
    const error = await failureOf(client.fetchHead())
    expect(error).toBeInstanceOf(RpcWrongChainError)
    expect(error.retryable).toBe(true)
    await failureOf(client.fetchHead())
    expect(server.callsOf('eth_chainId')).toHaveLength(1)
    expect(events).toHaveLength(1)
    server.on('eth_chainId', () => '0x7')
    await clock.sleep(20_000, new AbortController().signal)
    await expect(client.fetchHead()).resolves.toMatchObject({ number: 1000 })
  })

  test('that is not a number counts as a failure of its endpoint', async () => {
    const server = await startServer({ eth_chainId: () => 'seven' })
    const { client } = startClient([server], { attemptsMax: 2 })
    expect(await failureOf(client.fetchHead())).toMatchObject({ code: 'RPC_MALFORMED', retryable: true })
  })
})

describe('headers', () => {
  test('are fetched in batches and returned ascending, whatever the order of the answers', async () => {
    const server = await startServer()
    server.transform((answers, request) => (request.isBatch ? answers.toReversed() : answers[0]))
    const { client } = startClient([server], { batchSizeMax: 4 })
    const headers = await client.fetchHeaders(10, 19)
    expect(headers.map((header) => header.number)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
    expect(headers[0]).toEqual({
      number: 10,
      hash: fakeBlock(10)['hash'],
      parentHash: fakeBlock(10)['parentHash'],
      timestamp: 1_700_000_120,
      logsBloom: `0x${'0'.repeat(512)}`,
    })
    const sizes = server.requests.slice(1).map((request) => request.calls.length)
    expect(sizes.toSorted((a, b) => a - b)).toEqual([2, 4, 4])
  })

  test('that one endpoint lacks come from another', async () => {
    const behind = await startServer({ eth_getBlockByNumber: answerBlocks(14) })
    const ahead = await startServer()
    const { client } = startClient([behind, ahead])
    const headers = await client.fetchHeaders(10, 19)
    expect(headers).toHaveLength(10)
    const asked = ahead.callsOf('eth_getBlockByNumber').map((call) => Number(call.params[0]))
    expect(new Set(asked)).toEqual(new Set([15, 16, 17, 18, 19]))
  })

  test('that no endpoint has are a retryable error', async () => {
    const server = await startServer({ eth_getBlockByNumber: answerBlocks(14) })
    const { client } = startClient([server], { attemptsMax: 2 })
    expect(await failureOf(client.fetchHeaders(14, 15))).toMatchObject({
      code: 'RPC_MISSING',
      retryable: true,
      message: `${server.host} does not have block 15.`,
    })
  })

  test('that do not follow one another are an inconsistency', async () => {
    const server = await startServer({ eth_getBlockByNumber: (call) => fakeBlock(Number(call.params[0]), 1) })
    const { client } = startClient([server])
    expect(await failureOf(client.fetchHeaders(1, 2))).toMatchObject({
      code: 'CHAIN_INCONSISTENT',
      retryable: true,
    })
  })

  test.each([
    ['another number', { number: '0x63' }],
    ['a number that is none', { number: 'latest' }],
    ['no hash', { hash: null }],
    ['a short parent hash', { parentHash: '0x12' }],
    ['a negative time', { timestamp: -1 }],
    ['no time', { timestamp: undefined }],
    ['no parent', { parentHash: undefined }],
  ])('with %s are refused', async (_, change) => {
    const server = await startServer({
      eth_getBlockByNumber: (call) => ({ ...fakeBlock(Number(call.params[0])), ...change }),
    })
    const { client } = startClient([server], { attemptsMax: 1 })
    expect(await failureOf(client.fetchHeaders(1, 1))).toMatchObject({
      code: 'RPC_MALFORMED',
      retryable: true,
    })
  })
})

test.each([
  ['no bloom', { logsBloom: undefined }],
  ['a bloom that is null', { logsBloom: null }],
  ['a short bloom', { logsBloom: '0x00' }],
  ['a bloom that is empty text', { logsBloom: '' }],
])('headers with %s are read without it', async (_, change) => {
  const server = await startServer({
    eth_getBlockByNumber: (call) => ({ ...fakeBlock(Number(call.params[0])), ...change }),
  })
  const { client } = startClient([server])
  expect(await client.fetchHeaders(1, 2)).toMatchObject([
    { number: 1, logsBloom: null },
    { number: 2, logsBloom: null },
  ])
})

test('numbers with leading zeros or as JSON numbers, and digits of upper case, are read', async () => {
  const server = await startServer({
    eth_getBlockByNumber: ({ params }) => {
      const block = fakeBlock(Number(params[0]))
      const upper = (text: unknown) => String(text).toUpperCase().replace('X', 'x')
      return {
        ...block,
        number: `0x000${Number(params[0]).toString(16)}`,
        timestamp: Number(block['timestamp']),
        hash: upper(block['hash']),
        parentHash: upper(block['parentHash']),
      }
    },
  })
  const { client } = startClient([server])
  expect(await client.fetchHeaders(1, 2)).toMatchObject([
    { number: 1, hash: fakeBlock(1)['hash'], timestamp: 1_700_000_012 },
    { number: 2, parentHash: fakeBlock(1)['hash'] },
  ])
})

test.each([
  ['lacks the state', rpcError(-32000, 'missing trie node')],
  ['refuses the call', rpcError(-32601, 'the method eth_getCode does not exist')],
])('an endpoint that %s of an old block is nothing to tell of', async (_, answer) => {
  const server = await startServer({ eth_getCode: () => answer })
  const { client } = startClient([server], { clock: createSleepingClock() })
  const told: unknown[] = []
  client.watchRetries((error) => void told.push(error.message))
  const address = parseAddress(`0x${'ab'.repeat(20)}`)
  if (address === null) throw new TypeError('broken fixture')
  await failureOf(client.fetchCode(address, 5))
  expect(told).toEqual([])
})

describe('batches', () => {
  const tooLarge =
    (limit: number, answer: (ids: readonly unknown[]) => Fault) => (server: ScriptedRpcServer) =>
      server.intercept((request) =>
        request.calls.length > limit ? answer(request.calls.map((call) => call.id)) : null,
      )
  const error = (message: string) =>
    JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message } })
  const refusals: [name: string, limit: number, script: (server: ScriptedRpcServer) => void][] = [
    [
      'one error that names the limit',
      3,
      tooLarge(3, () => ({
        kind: 'answer',
        status: 200,
        body: error('batch limit 3 exceeded: 10 requests given'),
      })),
    ],
    [
      'an array with one error',
      2,
      tooLarge(2, (ids) => ({
        kind: 'answer',
        status: 200,
        body: `[${JSON.stringify({ jsonrpc: '2.0', id: ids[0], error: { code: -32600, message: 'batch too large' } })}]`,
      })),
    ],
    ['a bare 400', 1, tooLarge(1, () => ({ kind: 'answer', status: 400, body: 'Bad Request' }))],
    ['a 413', 4, tooLarge(4, () => ({ kind: 'answer', status: 413, body: '<html></html>' }))],
    [
      'an error in words of its own',
      1,
      tooLarge(1, () => ({ kind: 'answer', status: 200, body: error('expected an object') })),
    ],
  ]
  test.each(refusals)('refused by %s are remembered to be smaller', async (_, limit, script) => {
    const server = await startServer()
    script(server)
    const { client, events } = startClient([server], { batchSizeMax: 10 })
    expect(await client.fetchHeaders(1, 10)).toHaveLength(10)
    expect(events.at(-1)?.kind).toBe('batchLimited')
    const before = server.requests.length
    expect(await client.fetchHeaders(1, 10)).toHaveLength(10)
    const sizes = server.requests.slice(before).map((request) => request.calls.length)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(limit)
  })

  const anyWords: [name: string, fault: Fault][] = [
    ['429', { kind: 'answer', status: 429, body: '' }],
    ['403', { kind: 'answer', status: 403, body: '<html></html>' }],
    ['401', { kind: 'answer', status: 401, body: '' }],
    ['404', { kind: 'answer', status: 404, body: '' }],
    ['500', { kind: 'answer', status: 500, body: '' }],
    ['503', { kind: 'answer', status: 503, body: error('internal error') }],
    ['-32001', { kind: 'answer', status: 200, body: error('Unable to complete request at this time.') }],
    ['words of a rate', { kind: 'answer', status: 200, body: error('compute units per second exceeded') }],
    ['a page', { kind: 'answer', status: 200, body: '<html></html>' }],
    ['a body that breaks off', { kind: 'truncate' }],
    ['a closed connection', { kind: 'reset' }],
  ]
  test.each(anyWords)('that are always refused, by %s, become smaller', async (_, fault) => {
    const server = await startServer()
    server.intercept((request) => (request.calls.length > 3 ? fault : null))
    const { client } = startClient([server], { batchSizeMax: 50, clock: createSleepingClock() })
    for (let i = 0; i < 8; i++) expect(await client.fetchHeaders(1, 50)).toHaveLength(50)
    const before = server.requests.length
    expect(await client.fetchHeaders(1, 50)).toHaveLength(50)
    const refused = server.requests.slice(before).filter(({ calls }) => calls.length > 3)
    expect(refused).toEqual([])
  })

  test('are not kept small by an outage', async () => {
    const server = await startServer()
    let isAway = false
    server.intercept(() => (isAway ? { kind: 'answer', status: 503, body: '' } : null))
    const { client } = startClient([server], { batchSizeMax: 50 })
    await client.fetchHead()
    isAway = true
    await failureOf(client.fetchHeaders(1, 50))
    isAway = false
    await client.fetchHeaders(1, 50)
    expect(server.requests.at(-1)?.calls).toHaveLength(50)
  })

  test('keep what was answered when the rest found no room', async () => {
    const server = await startServer()
    server.transform((answers, request) =>
      request.isBatch
        ? answers.map((answer, i) =>
            i < 3
              ? answer
              : {
                  jsonrpc: '2.0',
                  id: request.calls[i]?.id,
                  error: { code: -32003, message: 'response too large' },
                },
          )
        : answers[0],
    )
    const { client } = startClient([server])
    const headers = await client.fetchHeaders(1, 20)
    expect(headers.map((header) => header.number)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
  })

  test('are asked in smaller pieces where an endpoint drops the connection over them', async () => {
    const server = await startServer()
    server.intercept((request) => (request.calls.length > 2 ? { kind: 'reset' } : null))
    const { client } = startClient([server])
    expect(await client.fetchHeaders(1, 10)).toHaveLength(10)
  })

  test('whose ids come back as strings are read', async () => {
    const server = await startServer()
    server.transform((answers, request) => {
      const strings = answers.map((answer, i) =>
        Object.assign({}, answer, { id: String(request.calls[i]?.id) }),
      )
      return request.isBatch ? strings : strings[0]
    })
    const { client } = startClient([server])
    expect(await client.fetchHeaders(1, 3)).toHaveLength(3)
  })

  test('with two answers to one call are refused', async () => {
    const server = await startServer()
    server.transform((answers, request) => (request.isBatch ? [answers[0], answers[0]] : answers[0]))
    const { client } = startClient([server], { attemptsMax: 2 })
    expect(await failureOf(client.fetchHeaders(1, 2))).toMatchObject({ code: 'RPC_MALFORMED' })
  })
})

describe('senders of transactions', () => {
  const hashes = [1, 2, 3]
    .map((n) => parseHash(`0x${String(n).padStart(64, '0')}`))
    .filter((h): h is Hash => h !== null)

  test('come in the order asked, lower case', async () => {
    const server = await startServer({
      eth_getTransactionByHash: (call) => ({ hash: call.params[0], from: `0x${'AB'.repeat(20)}` }),
    })
    const { client } = startClient([server])
    expect(await client.fetchTransactionSenders(hashes)).toEqual(hashes.map(() => `0x${'ab'.repeat(20)}`))
    expect(await client.fetchTransactionSenders([])).toEqual([])
    server.on('eth_getTransactionByHash', () => ({ from: `0x${'AB'.repeat(20)}` }))
    expect(await client.fetchTransactionSenders(hashes)).toHaveLength(3)
  })

  describe('as one endpoint forges them', () => {
    const answer =
      (from: string): CallHandler =>
      ({ params: [hash] }) => ({ hash, from })
    const right = `0x${'ab'.repeat(20)}`
    const forged: CallHandler = ({ params: [hash] }) => ({
      hash,
      from: hash === hashes[1] ? `0x${'ee'.repeat(20)}` : right,
    })

    test('stop the chain if two endpoints disagree about one', async () => {
      const servers = await Promise.all(
        [forged, answer(right)].map((each) => startServer({ eth_getTransactionByHash: each })),
      )
      const { client } = startClient(servers)
      expect(await failureOf(client.fetchTransactionSenders(hashes))).toMatchObject({
        code: 'CHAIN_INCONSISTENT',
        retryable: true,
      })
    })

    test('are outvoted by two others, in batches of any size', async () => {
      const servers = await Promise.all(
        [forged, answer(right), answer(right)].map((each) => startServer({ eth_getTransactionByHash: each })),
      )
      const { client } = startClient(servers, { batchSizeMax: 2 })
      expect(await client.fetchTransactionSenders(hashes)).toEqual(hashes.map(() => right))
    })

    test('count only while the other endpoint is away', async () => {
      const servers = await Promise.all(
        [answer(right), answer(right)].map((each) => startServer({ eth_getTransactionByHash: each })),
      )
      servers[1]?.intercept(() => ({ kind: 'reset' }))
      const { client } = startClient(servers)
      expect(await client.fetchTransactionSenders(hashes)).toEqual(hashes.map(() => right))
    })
  })

  test('that are unknown or wrong are a retryable error', async () => {
    const server = await startServer({ eth_getTransactionByHash: () => null })
    const { client } = startClient([server], { attemptsMax: 2 })
    expect(await failureOf(client.fetchTransactionSenders(hashes))).toMatchObject({
      code: 'RPC_MISSING',
      retryable: true,
    })
    server.on('eth_getTransactionByHash', () => ({ hash: hashes[0], from: `0x${'ab'.repeat(20)}` }))
    expect(await failureOf(client.fetchTransactionSenders(hashes))).toMatchObject({ code: 'RPC_MALFORMED' })
  })
})

describe('an end', () => {
  test.each(['a request', 'a wait'])('that the caller wants comes at once in %s', async (where) => {
    const server = await startServer()
    faultFirst(server, Infinity, where === 'a request' ? { kind: 'hang' } : { kind: 'reset' })
    const { client } = startClient([server], { retryDelayMs: 50_000, retryDelayMaxMs: 50_000 })
    const abort = new AbortController()
    const reason = new Error('enough')
    const head = client.fetchHead(abort.signal)
    head.catch(() => {})
    await expect.poll(() => server.callsOf('eth_getBlockByNumber').length).toBe(1)
    abort.abort(reason)
    await expect(head).rejects.toBe(reason)
    await expect(client.fetchHead(abort.signal)).rejects.toBe(reason)
  })

  test('of the client closes its connections and rejects requests in flight', async () => {
    const server = await startServer()
    faultFirst(server, Infinity, { kind: 'hang' })
    const { client } = startClient([server])
    const calls = [failureOf(client.fetchHead()), failureOf(client.fetchHeaders(1, 2))]
    await expect.poll(() => server.callsOf('eth_getBlockByNumber').length).toBe(3)
    await client.close()
    for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(RpcClosedError)
    await expect.poll(() => server.openConnections()).toBe(0)
    expect(await failureOf(client.fetchHead())).toBeInstanceOf(RpcClosedError)
  })

  test('of one caller does not take the chain check from another', async () => {
    const server = await startServer()
    let checks = 0
    server.intercept((request) =>
      request.calls[0]?.method === 'eth_chainId' && checks++ === 0 ? { kind: 'hang' } : null,
    )
    const { client } = startClient([server])
    const abort = new AbortController()
    const first = client.fetchHead(abort.signal)
    const second = client.fetchHead()
    await expect.poll(() => checks).toBe(1)
    abort.abort()
    await expect(first).rejects.toThrow('aborted')
    await expect(second).resolves.toMatchObject({ number: 1000 })
  })
})

describe('secrets in the URL of an endpoint', () => {
  const secrets = ['s3cretUser', 'p4ss%2Fword', 'p4ss/word', 'k3yInPath', 'k3yInQuery']
  const faults: [string, Fault][] = [
    ['a reset', { kind: 'reset' }],
    ['a timeout', { kind: 'hang' }],
    [
      'a page that echoes the request',
      { kind: 'answer', status: 404, body: 'no /v2/k3yInPath?key=k3yInQuery here' },
    ],
    [
      'an error that echoes the key',
      {
        kind: 'answer',
        status: 401,
        body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"bad key k3yInPath of s3cretUser, p4ss/word at /v2/k3yInPath?key=k3yInQuery"}}',
      },
    ],
  ]
  const overEach = ['http', 'ws'].flatMap((scheme) =>
    faults.map(([name, fault]) => [name, scheme, fault] as const),
  )
  test.each(overEach)('never show in errors and events: %s over %s', async (_, scheme, fault) => {
    const server = await startServer()
    server.intercept(() => fault)
    const url = `${scheme}://s3cretUser:p4ss%2Fword@${server.host}/v2/k3yInPath?key=k3yInQuery`
    const { client, events } = startClient([url], { attemptsMax: 2, requestTimeoutMs: 50 })
    const errors = [
      await failureOf(client.fetchHead()),
      await failureOf(client.readContracts([], { kind: 'latest' }).then(() => client.fetchHeaders(1, 2))),
    ]
    expect(server.requests[0]?.path).toBe('/v2/k3yInPath?key=k3yInQuery')
    const credentials = Buffer.from('s3cretUser:p4ss/word').toString('base64')
    expect(server.requests[0]?.headers.authorization).toBe(`Basic ${credentials}`)
    const shown = [
      ...errors.map((error) => inspect(error, { depth: 10, showHidden: true })),
      JSON.stringify(errors),
      ...errors.map((error) => `${error.message} ${error.stack}`),
      JSON.stringify(events),
    ].join('\n')
    expect(shown).toContain(server.host)
    for (const secret of [...secrets, credentials]) expect(shown).not.toContain(secret)
  })

  test('do not show when the URL cannot be used', () => {
    for (const url of ['ftp://user:s3cretUser@host/k3yInPath', 'k3yInPath']) {
      expect(() => startClient([url])).toThrow('The endpoint is not an http, https, ws or wss URL.')
    }
  })
})
