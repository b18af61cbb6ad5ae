import { decodeFunctionData, encodeFunctionResult, multicall3Abi } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { createChainClientFixture, failureOf } from '@attestry/test/harness/chainClientFixture.ts'
import { fakeHash } from '@attestry/test/harness/fakeBlocks.ts'
import {
  rpcError,
  type CallHandler,
  type ReceivedCall,
  type ScriptedRpcServer,
} from '@attestry/test/harness/scriptedRpcServer.ts'
import { createSleepingClock } from '@attestry/test/harness/sleepingClock.ts'
import { parseAddress, parseHash, parseHex, type Hex } from '../model/hex.ts'
import type { ContractRead } from '../protocols/protocolAdapter.ts'
import { multicall3Address } from './chainClientOptions.ts'
import type { ReadBlock } from './chainClient.ts'

const fixture = createChainClientFixture()
afterEach(() => fixture.stop())

const latest: ReadBlock = { kind: 'latest' }
const atHash: ReadBlock = { kind: 'blockHash', hash: checked(parseHash(fakeHash(0xb0, 5))) }

/** A read whose calldata is its number in two bytes. */
function readOf(number: number): ContractRead {
  return {
    to: checked(parseAddress(`0x${'cc'.repeat(20)}`)),
    data: checked(parseHex(`0x${number.toString(16).padStart(4, '0')}`)),
  }
}

function checked<Value>(value: Value | null): Value {
  if (value === null) throw new TypeError('broken fixture')
  return value
}

function readsOf(count: number): ContractRead[] {
  return Array.from({ length: count }, (_, i) => readOf(i))
}

/** The contract answers each calldata with itself, doubled. */
const doubled = (data: string) => checked(parseHex(`0x${data.slice(2)}${data.slice(2)}`))
const returnedOf = (count: number) =>
  readsOf(count).map((read) => ({ kind: 'returned', data: doubled(read.data) }))

function calldataOf(call: ReceivedCall): { to: string; data: Hex } {
  const [transaction] = call.params
  if (
    typeof transaction !== 'object' ||
    transaction === null ||
    !('to' in transaction) ||
    !('data' in transaction)
  ) {
    throw new TypeError('no transaction')
  }
  return { to: String(transaction.to), data: checked(parseHex(String(transaction.data))) }
}

function readsIn(data: Hex): readonly { readonly callData: string }[] {
  const [calls] = decodeFunctionData({ abi: multicall3Abi, data }).args ?? []
  return Array.isArray(calls)
    ? calls.filter(
        (call): call is { callData: string } =>
          typeof call === 'object' && call !== null && 'callData' in call,
      )
    : []
}

type Inner = (data: string, count: number) => { success: boolean; returnData: Hex }

const echo: Inner = (data) => ({ success: true, returnData: doubled(data) })

/** Multicall3 over `inner`; a direct call goes to `direct`. */
function contract(inner: Inner, direct: CallHandler = (call) => doubled(calldataOf(call).data)): CallHandler {
  return (call) => {
    const { to, data } = calldataOf(call)
    if (to !== multicall3Address) return direct(call)
    const calls = readsIn(data)
    return encodeFunctionResult({
      abi: multicall3Abi,
      functionName: 'aggregate3',
      result: calls.map(({ callData }) => inner(callData, calls.length)),
    })
  }
}

const deployed = { eth_getCode: () => '0x6000' }
const missing = { eth_getCode: () => '0x' }

function sizesAskedOf(server: ScriptedRpcServer): number[] {
  return server.callsOf('eth_call').map((call) => {
    const { to, data } = calldataOf(call)
    return to === multicall3Address ? readsIn(data).length : 1
  })
}

describe('reads through Multicall3', () => {
  test('come in chunks and in order; its code is looked up once', async () => {
    const server = await fixture.startServer({ ...deployed, eth_call: contract(echo) })
    const { client } = fixture.startClient([server.url])
    expect(await client.readContracts(readsOf(450), latest)).toEqual(returnedOf(450))
    expect(await client.readContracts(readsOf(2), latest)).toEqual(returnedOf(2))
    expect(sizesAskedOf(server).toSorted((a, b) => b - a)).toEqual([200, 200, 50, 2])
    expect(server.callsOf('eth_getCode').map((call) => call.params)).toEqual([[multicall3Address, 'latest']])
    expect(server.callsOf('eth_call')[0]?.params[1]).toBe('latest')
  })

  test('ask a second endpoint, which is asked for fewer where it refuses many', async () => {
    const altered: Inner = (data) =>
      data === '0x0007' ? { success: true, returnData: checked(parseHex('0xff')) } : echo(data, 0)
    const first = await fixture.startServer({ ...deployed, eth_call: contract(echo) })
    const second = await fixture.startServer({
      ...deployed,
      eth_call: (call) =>
        readsIn(calldataOf(call).data).length > 60 ? rpcError(-32099, 'no') : contract(altered)(call),
    })
    const { client } = fixture.startClient([first.url, second.url])
    const results = await client.readContractsTwice(readsOf(200), latest)
    // Either may be asked first.
    const [results7, ...others] = [results[7], ...results.filter((_, index) => index !== 7)]
    expect(new Set([results7?.result.data, results7?.second?.data])).toEqual(new Set(['0x00070007', '0xff']))
    expect(others.map(({ result }) => result)).toEqual(returnedOf(200).filter((_, index) => index !== 7))
    expect(others.every(({ result, second: other }) => other?.data === result.data)).toBe(true)
  })

  test('are seconded if an endpoint takes the larger calls only and the other one the smaller ones', async () => {
    const refusing = (isRefused: (count: number) => boolean): CallHandler => {
      return (call) =>
        isRefused(readsIn(calldataOf(call).data).length)
          ? rpcError(-32000, 'out of gas')
          : contract(echo)(call)
    }
    const small = await fixture.startServer({ ...deployed, eth_call: refusing((count) => count > 60) })
    const large = await fixture.startServer({ ...deployed, eth_call: refusing((count) => count > 110) })
    const { client } = fixture.startClient([small.url, large.url])
    const results = await client.readContractsTwice(readsOf(200), latest)
    expect(results.filter(({ second }) => second === null)).toEqual([])
  })

  test('that revert without data in company are seconded by a call of their own', async () => {
    const starved: Inner = (data, count) =>
      count > 1 && data === '0x0003'
        ? { success: false, returnData: checked(parseHex('0x')) }
        : echo(data, count)
    const servers = await Promise.all(
      [1, 2].map(() => fixture.startServer({ ...deployed, eth_call: contract(starved) })),
    )
    const { client } = fixture.startClient(servers.map(({ url }) => url))
    const results = await client.readContractsTwice(readsOf(5), latest)
    expect(results).toEqual(returnedOf(5).map((result) => ({ result, second: result })))
  })

  test('count without a second answer if the chain has one endpoint, or the other is away', async () => {
    const server = await fixture.startServer({ ...deployed, eth_call: contract(echo) })
    const away = await fixture.startServer({
      ...deployed,
      eth_call: () => rpcError(-32000, 'header not found'),
    })
    for (const urls of [[server.url], [server.url, away.url]]) {
      const { client } = fixture.startClient(urls, { clock: createSleepingClock() })
      const results = await client.readContractsTwice(readsOf(5), latest)
      expect(results).toEqual(returnedOf(5).map((result) => ({ result, second: null })))
    }
  })

  test('at a block hash ask by EIP-1898', async () => {
    const server = await fixture.startServer({ ...deployed, eth_call: contract(echo) })
    const { client } = fixture.startClient([server.url])
    expect(await client.readContracts(readsOf(3), atHash)).toEqual(returnedOf(3))
    expect(server.callsOf('eth_call')[0]?.params[1]).toEqual({
      blockHash: fakeHash(0xb0, 5),
      requireCanonical: true,
    })
  })

  test('give each revert as its own result', async () => {
    const inner: Inner = (data) =>
      data === '0x0001' ? { success: false, returnData: checked(parseHex('0xdeadbeef')) } : echo(data, 0)
    const server = await fixture.startServer({ ...deployed, eth_call: contract(inner) })
    const { client } = fixture.startClient([server.url])
    const results = await client.readContracts(readsOf(3), latest)
    expect(results.map((result) => result.kind)).toEqual(['returned', 'reverted', 'returned'])
    expect(results[1]?.data).toBe('0xdeadbeef')
  })

  test('that seem to revert without data are repeated as single calls, since the batch may run out of gas', async () => {
    const inner: Inner = (data, count) =>
      count > 1 && (data === '0x0001' || data === '0x0002')
        ? { success: false, returnData: checked(parseHex('0x')) }
        : echo(data, 0)
    const direct: CallHandler = (call) =>
      calldataOf(call).data.endsWith('0002')
        ? rpcError(3, 'execution reverted', '0x')
        : doubled(calldataOf(call).data)
    const server = await fixture.startServer({ ...deployed, eth_call: contract(inner, direct) })
    const { client } = fixture.startClient([server.url])
    const results = await client.readContracts(readsOf(4), latest)
    expect(results.map((result) => result.kind)).toEqual(['returned', 'returned', 'reverted', 'returned'])
    expect(results[1]?.data).toBe('0x00010001')
  })

  test.each([
    ['runs out of gas', rpcError(-32000, 'out of gas')],
    ['takes too long', rpcError(-32000, 'execution aborted (timeout = 5s)')],
    ['reverts as a whole', rpcError(3, 'execution reverted', '0x')],
    ['is refused in unknown words', rpcError(-32099, 'no')],
  ])('are asked in halves when a call of many %s', async (_, error) => {
    const server = await fixture.startServer({
      ...deployed,
      eth_call: (call) => {
        const { to, data } = calldataOf(call)
        return to === multicall3Address && readsIn(data).length > 60 ? error : contract(echo)(call)
      },
    })
    const { client } = fixture.startClient([server.url], { concurrencyPerEndpoint: 1 })
    expect(await client.readContracts(readsOf(200), latest)).toEqual(returnedOf(200))
    expect(sizesAskedOf(server).slice(0, 4)).toEqual([200, 100, 50, 50])
    const before = server.callsOf('eth_call').length
    await client.readContracts(readsOf(200), latest)
    expect(sizesAskedOf(server)[before]).toBeLessThan(100)
  })

  test.each([
    ['-32001', rpcError(-32001, 'Unable to complete request at this time.')],
    ['-32603', rpcError(-32603, 'internal error')],
    ['words of a rate', rpcError(-32005, 'limit exceeded')],
    ['words of missing state', rpcError(-32000, 'missing trie node')],
  ])('are asked in halves where a call of many is refused by %s and one of one is not', async (_, error) => {
    const server = await fixture.startServer({
      ...deployed,
      eth_call: (call) => {
        const { to, data } = calldataOf(call)
        return to === multicall3Address && readsIn(data).length > 60 ? error : contract(echo)(call)
      },
    })
    const { client } = fixture.startClient([server.url], {
      clock: createSleepingClock(),
      concurrencyPerEndpoint: 1,
    })
    expect(await client.readContracts(readsOf(200), latest)).toEqual(returnedOf(200))
  })

  test('fall back to single calls at a block that is older than it', async () => {
    const server = await fixture.startServer({
      ...deployed,
      eth_call: (call) => (calldataOf(call).to === multicall3Address ? '0x' : doubled(calldataOf(call).data)),
    })
    const { client } = fixture.startClient([server.url])
    expect(await client.readContracts(readsOf(5), atHash)).toEqual(returnedOf(5))
    expect(sizesAskedOf(server)).toEqual([5, 1, 1, 1, 1, 1])
  })

  test.each(['0x12', '0x1', 17, null, `0x${'0'.repeat(128)}`])(
    'that answer %j are malformed',
    async (value) => {
      const server = await fixture.startServer({ ...deployed, eth_call: () => value })
      const { client } = fixture.startClient([server.url], { attemptsMax: 2 })
      expect(await failureOf(client.readContracts(readsOf(2), latest))).toMatchObject({
        code: 'RPC_MALFORMED',
        retryable: true,
      })
    },
  )
})

describe('reads without Multicall3', () => {
  test('ask another endpoint for each read', async () => {
    const altered = (call: ReceivedCall) => {
      const { data } = calldataOf(call)
      return data === readOf(7).data ? '0xff' : doubled(data)
    }
    const honest = await fixture.startServer({ ...missing, eth_call: contract(echo) })
    const liar = await fixture.startServer({ ...missing, eth_call: contract(echo, altered) })
    const { client } = fixture.startClient([honest.url, liar.url])
    const results = await client.readContractsTwice(readsOf(250), latest)
    expect(results.filter(({ second }) => second === null)).toEqual([])
    const differing = results.flatMap(({ result, second }, index) =>
      result.data === second?.data ? [] : [index],
    )
    expect(differing).toEqual([7])
  })

  test('that begin together ask once for the code of Multicall3', async () => {
    const server = await fixture.startServer({ ...missing, eth_call: contract(echo) })
    const { client, events } = fixture.startClient([server.url])
    const [first, ...others] = [1, 2, 3].map(() => new AbortController())
    const reading = [first, ...others].map((each) => client.readContracts(readsOf(2), latest, each?.signal))
    first?.abort()
    const outcomes = await Promise.allSettled(reading)
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    expect(server.callsOf('eth_getCode').length).toBeLessThanOrEqual(2)
    expect(events).toEqual([{ kind: 'multicallMissing' }])
  })

  test('go out as batches of calls, said once', async () => {
    const server = await fixture.startServer({ ...missing, eth_call: contract(echo) })
    const { client, events } = fixture.startClient([server.url])
    expect(await client.readContracts(readsOf(250), latest)).toEqual(returnedOf(250))
    expect(
      server.requests.filter((request) => request.isBatch).map((request) => request.calls.length),
    ).toEqual([100, 100, 50])
    await client.readContracts(readsOf(2), latest)
    expect(events).toEqual([{ kind: 'multicallMissing' }])
  })

  test.each([
    ['is denied by one of two endpoints', true],
    ['is denied by one endpoint while the other is away', false],
  ])('go through it if it %s', async (_, answers) => {
    const liar = await fixture.startServer({ ...missing, eth_call: contract(echo) })
    const honest = await fixture.startServer({ ...deployed, eth_call: contract(echo) })
    if (!answers) honest.intercept(() => ({ kind: 'reset' }))
    const { client, events } = fixture.startClient([liar.url, honest.url], { callBudgetMs: 500 })
    expect(await client.readContracts(readsOf(250), latest)).toEqual(returnedOf(250))
    expect([...sizesAskedOf(liar), ...sizesAskedOf(honest)].toSorted((a, b) => b - a)).toEqual([200, 50])
    expect(events.map(({ kind }) => kind)).not.toContain('multicallMissing')
  })

  test('of an address without code return nothing', async () => {
    const server = await fixture.startServer({ ...missing, eth_call: () => '0x' })
    const { client } = fixture.startClient([server.url])
    expect(await client.readContracts(readsOf(1), latest)).toEqual([{ kind: 'returned', data: '0x' }])
  })

  test('of a contract that answers nothing say so, by the code that stands at the same state', async () => {
    const server = await fixture.startServer({
      eth_getCode: (call) => (call.params[0] === multicall3Address ? '0x' : '0x6000'),
      eth_call: () => '0x',
    })
    const { client } = fixture.startClient([server.url])
    const answer = { kind: 'returned', data: '0x', codeExists: true }
    expect(await client.readContracts(readsOf(2), atHash)).toEqual([answer, answer])
    const codes = server.requests.flatMap(({ calls }) =>
      calls.filter(({ method }) => method === 'eth_getCode'),
    )
    const block = { blockHash: fakeHash(0xb0, 5), requireCanonical: true }
    expect(codes.slice(1).map(({ params }) => params[1])).toEqual([block, block])
  })

  test('at a replaced block fail within seconds, so that the newest head is read', async () => {
    const server = await fixture.startServer({ eth_call: () => rpcError(-32000, 'header not found') })
    const clock = createSleepingClock()
    const startedMs = clock.nowMs()
    const delays = { attemptsMax: 8, retryDelayMs: 250, retryDelayMaxMs: 8_000, random: () => 1 }
    const { client } = fixture.startClient([server.url], { clock, ...delays })
    expect(await failureOf(client.readContracts(readsOf(1), atHash))).toMatchObject({ code: 'RPC_MISSING' })
    expect(clock.nowMs() - startedMs).toBeLessThan(5_000)
  })

  test('of an endpoint that does not know the code of a contract leave open whether nothing is its answer', async () => {
    const server = await fixture.startServer({ eth_call: () => '0x' })
    const { client } = fixture.startClient([server.url])
    expect(await client.readContracts(readsOf(1), latest)).toEqual([{ kind: 'returned', data: '0x' }])
  })

  test('are proved to be nothing by another endpoint where one does not know the code', async () => {
    const unknowing = await fixture.startServer({ eth_call: () => '0x' })
    const knowing = await fixture.startServer({ eth_getCode: () => '0x6000', eth_call: () => '0x' })
    const { client } = fixture.startClient([unknowing.url, knowing.url])
    const answer = { kind: 'returned', data: '0x', codeExists: true }
    expect(await client.readContracts(readsOf(1), latest)).toEqual([answer])
  })

  test('of nothing ask nothing', async () => {
    const server = await fixture.startServer()
    const { client } = fixture.startClient([server.url])
    expect(await client.readContracts([], latest)).toEqual([])
    expect(server.requests).toHaveLength(0)
  })

  test.each([
    ['geth', rpcError(3, 'execution reverted: no', '0x08c379a0'), '0x08c379a0'],
    ['geth without data', rpcError(-32000, 'execution reverted'), '0x'],
    ['Nethermind', rpcError(-32015, 'VM execution error.', 'Reverted 0x7A933234'), '0x7a933234'],
    ['Nethermind with words', rpcError(-32015, 'VM execution error.', 'revert: NO'), '0x'],
    ['newer Nethermind', rpcError(-32000, 'execution reverted', '0xf4f28e99'), '0xf4f28e99'],
    [
      'a proxy',
      rpcError(-32603, 'Internal error: reverted', { originalError: { data: '0xaabb' } }),
      '0xaabb',
    ],
    ['an invalid opcode', rpcError(-32000, 'invalid opcode: opcode 0xfe not defined'), '0x'],
    ['a reason that sounds like a limit', rpcError(3, 'execution reverted: rate limit', '0x01'), '0x01'],
  ])('tell a revert of %s from a failure', async (_, error, data) => {
    const server = await fixture.startServer({
      ...missing,
      eth_call: (call) => (calldataOf(call).data.endsWith('0001') ? error : doubled(calldataOf(call).data)),
    })
    const { client } = fixture.startClient([server.url])
    expect(await client.readContracts(readsOf(3), latest)).toEqual([
      { kind: 'returned', data: '0x00000000' },
      { kind: 'reverted', data },
      { kind: 'returned', data: '0x00020002' },
    ])
  })

  test('read a revert that comes with a status of failure', async () => {
    const server = await fixture.startServer({ ...missing })
    server.intercept((request) => {
      const [call] = request.calls
      const error = { code: 3, message: 'execution reverted', data: '0x01' }
      return call?.method === 'eth_call'
        ? { kind: 'answer', status: 500, body: JSON.stringify({ jsonrpc: '2.0', id: call.id, error }) }
        : null
    })
    const { client } = fixture.startClient([server.url])
    expect(await client.readContracts(readsOf(1), latest)).toEqual([{ kind: 'reverted', data: '0x01' }])
  })
})

describe('a node that cannot read at a block', () => {
  test.each([
    'missing trie node 0123 (path )',
    'header for hash not found',
    'unknown block',
    'state is not available',
    'hash 0x12 is not currently canonical',
  ])('hands over to one that can: %s', async (message) => {
    const pruned = await fixture.startServer({ ...deployed, eth_call: () => rpcError(-32000, message) })
    const full = await fixture.startServer({ ...deployed, eth_call: contract(echo) })
    const { client } = fixture.startClient([pruned.url, full.url])
    expect(await client.readContracts(readsOf(3), atHash)).toEqual(returnedOf(3))
    const alone = fixture.startClient([pruned.url], { attemptsMax: 2 })
    const error = await failureOf(alone.client.readContracts(readsOf(3), atHash))
    expect(error).toMatchObject({ code: 'RPC_MISSING', retryable: true })
    expect(error.message).toContain('state of recent blocks')
  })

  test('says what is missing when it does not know EIP-1898', async () => {
    const refusal = rpcError(
      -32602,
      'invalid argument 1: json: cannot unmarshal object into Go value of type string',
    )
    const old = await fixture.startServer({ ...deployed, eth_call: () => refusal })
    const { client } = fixture.startClient([old.url])
    const error = await failureOf(client.readContracts(readsOf(3), atHash))
    expect(error).toMatchObject({ code: 'RPC_REFUSED', retryable: true })
    expect(error.message).toContain('EIP-1898')
    const able = await fixture.startServer({ ...deployed, eth_call: contract(echo) })
    const both = fixture.startClient([old.url, able.url])
    expect(await both.client.readContracts(readsOf(300), atHash)).toEqual(returnedOf(300))
    expect(sizesAskedOf(able).toSorted((a, b) => b - a)).toEqual([200, 100])
  })
})
