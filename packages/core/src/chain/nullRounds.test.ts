import { afterEach, expect, test } from 'vitest'
import { createChainClientFixture, failureOf } from '@attestry/test/harness/chainClientFixture.ts'
import { fakeAddress, fakeBlock, fakeTopic } from '@attestry/test/harness/fakeBlocks.ts'
import { rpcError, type CallHandler } from '@attestry/test/harness/scriptedRpcServer.ts'
import { parseAddress, parseHash, parseHex } from '../model/hex.ts'
import { createBlockFetcher } from './createBlockFetcher.ts'
import { isNullRound } from './nullRounds.ts'

const fixture = createChainClientFixture()
afterEach(() => fixture.stop())

/** A chain of 120 blocks that has none with these numbers. */
const passedOver = new Set([100, 103, 104, 105])
const head = 120

const lastMined = (upTo: number): number => (passedOver.has(upTo) ? lastMined(upTo - 1) : upTo)
const blockOf = (number: number) => ({
  ...fakeBlock(number),
  parentHash: fakeBlock(lastMined(number - 1))['hash'],
})

/** Answers of nodes for a number without a block. */
const forms: Readonly<Record<string, (number: number) => unknown>> = {
  'the error of Lotus': (number) =>
    rpcError(12, `requested epoch was a null round (${number})`, String(number)),
  'its error before 2024': () => rpcError(1, 'requested epoch was a null round'),
  null: () => null,
  'the block before': (number) => blockOf(lastMined(number)),
}

const answering =
  (form: (number: number) => unknown): CallHandler =>
  ({ params: [block] }) => {
    const number = block === 'latest' ? head : Number(block)
    if (number > head) return rpcError(1, "requested a future epoch (beyond 'latest')")
    return passedOver.has(number) ? form(number) : blockOf(number)
  }

const byHash: CallHandler = ({ params: [hash] }) => {
  const number = Number(BigInt(String(hash)) & 0xffffffn)
  return number <= head && !passedOver.has(number) ? blockOf(number) : null
}

function startServer(
  form: (number: number) => unknown,
  handlers: Readonly<Record<string, CallHandler>> = {},
) {
  return fixture.startServer({
    eth_getBlockByNumber: answering(form),
    eth_getBlockByHash: byHash,
    ...handlers,
  })
}

/** The empty block that stands for a null round after a block. */
const emptyAfter = (number: number, before: number) => {
  const { hash, timestamp } = fakeBlock(before)
  return { number, hash, parentHash: hash, timestamp: Number(timestamp), logsBloom: `0x${'0'.repeat(512)}` }
}

test.each(Object.entries(forms))(
  'a null round that is answered with %s is an empty block with the hash of the block before',
  async (_, form) => {
    const server = await startServer(form)
    const { client } = fixture.startClient([server.url], { attemptsMax: 1 })
    expect((await client.fetchHead()).number).toBe(head)
    const headers = await client.fetchHeaders(99, 106)
    expect(headers.map(({ number }) => number)).toEqual([99, 100, 101, 102, 103, 104, 105, 106])
    expect(headers[1]).toEqual(emptyAfter(100, 99))
    expect(headers.slice(4, 7)).toEqual([103, 104, 105].map((number) => emptyAfter(number, 102)))
    // At both ends of a range too, whose neighbours are not asked for.
    expect(await client.fetchHeaders(103, 104)).toEqual([emptyAfter(103, 102), emptyAfter(104, 102)])
    expect(await client.fetchHeadersOf([100, 105])).toEqual([emptyAfter(100, 99), emptyAfter(105, 102)])
  },
)

test('endpoints that answer in different ways agree on a null round', async () => {
  const servers = await Promise.all(Object.values(forms).map((form) => startServer(form)))
  const { client, events } = fixture.startClient(servers.map(({ url }) => url))
  await client.fetchHeaders(118, 120)
  expect(await client.fetchAgreedHeader(104, null)).toEqual(emptyAfter(104, 102))
  expect(events).toEqual([])
})

test('an endpoint with a block where the others have a null round is outvoted', async () => {
  const { client, events } = fixture.startClient(
    await Promise.all(
      [forms['the block before'], forms['its error before 2024'], fakeBlock].map(async (form) => {
        const { url } = await startServer(form ?? fakeBlock)
        return url
      }),
    ),
  )
  expect(await client.fetchAgreedHeader(100, null)).toEqual(emptyAfter(100, 99))
  expect(events.filter(({ kind }) => kind === 'quarantined')).toHaveLength(1)
})

test('a block that a node does not give is no null round: the next one names it as its parent', async () => {
  const server = await startServer(() => null)
  server.on('eth_getBlockByNumber', ({ params }) =>
    Number(params[0]) === 110
      ? rpcError(12, 'requested epoch was a null round')
      : answering(fakeBlock)({ id: 1, method: '', params }),
  )
  const { client } = fixture.startClient([server.url], { attemptsMax: 1 })
  await client.fetchHead()
  expect((await client.fetchHeaders(109, 111))[1]).toMatchObject({ hash: fakeBlock(110)['hash'] })
})

test('a block above the head, or one that no other follows, is missing rather than a null round', async () => {
  const server = await startServer(() => null)
  const { client } = fixture.startClient([server.url], { attemptsMax: 1 })
  await client.fetchHead()
  expect((await failureOf(client.fetchHeaders(121, 121))).code).toBe('RPC_MISSING')
  server.on('eth_getBlockByNumber', ({ params: [block] }) =>
    block === 'latest' ? blockOf(head) : rpcError(12, 'requested epoch was a null round'),
  )
  server.on('eth_getBlockByHash', () => null)
  expect((await failureOf(client.fetchHeaders(119, 119))).code).toBe('RPC_MISSING')
})

test('a null round has no logs and the code of the block before, though a node refuses to say so', async () => {
  const refuse = forms['the error of Lotus'] ?? fakeBlock
  const server = await startServer(refuse, {
    eth_getLogs: () => refuse(100),
    eth_getCode: ({ params: [, block] }) => (passedOver.has(Number(block)) ? refuse(Number(block)) : '0x60'),
  })
  const { client } = fixture.startClient([server.url], { attemptsMax: 1 })
  const [address, topic] = [parseAddress(fakeAddress), parseHex(fakeTopic)]
  if (address === null || topic === null) throw new TypeError('broken fixture')
  expect(
    await client.fetchLogs({ addresses: [address], topics: [topic], fromBlock: 100, toBlock: 100 }),
  ).toEqual([])
  expect(await client.fetchCode(address, 105)).toMatchObject({ exists: true })
})

test('a single header is that of the block before too', async () => {
  const server = await startServer(forms['the block before'] ?? fakeBlock)
  const options = { chainId: 7, endpoints: [server.url], attemptsMax: 1 }
  const fetcher = createBlockFetcher(options, () => Promise.resolve(() => false))
  const { signal } = new AbortController()
  expect(await fetcher.fetchHeader(104, signal)).toMatchObject(emptyAfter(104, 102))
  expect(await fetcher.fetchHeader(parseHash(String(fakeBlock(101)['hash'])) ?? 0, signal)).toMatchObject({
    number: 101,
  })
  await fetcher.close()
})

test.each([
  ['requested epoch was a null round (3847253)', 12, true],
  ['requested epoch was a null round', 1, true],
  ['block number 0x64 was a null round', -32_000, true],
  ["requested a future epoch (beyond 'latest')", 1, false],
  ['header not found', -32_000, false],
])('%s (%i) speaks of a null round: %j', (message, code, expected) => {
  expect(isNullRound({ code, message, data: null })).toBe(expected)
})
