import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  bytesToString,
  decodeFunctionData,
  encodeFunctionResult,
  hexToBytes,
  encodeAbiParameters,
  parseAbi,
  type Hex,
} from 'viem'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { runAs } from '@attestry/core/shares/askers.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { createEns } from './createEns.ts'
import { createNames } from './createNames.ts'

const ada = '0x00000000000000000000000000000000000000aa' as Address
const eve = '0x00000000000000000000000000000000000000ee' as Address
const nobody = '0x0000000000000000000000000000000000000001' as Address
const zeros = '0x0000000000000000000000000000000000000000'

// The two questions of ENS's universal resolver, as viem asks them.
const abi = parseAbi([
  'function reverseWithGateways(bytes, uint256, string[]) returns (string, address, address)',
  'function resolveWithGateways(bytes, bytes, string[]) returns (bytes, address)',
])

/** Names that addresses claim, and addresses that names lead to. */
const claims: Record<string, string> = { [ada]: 'ada.eth', [eve]: 'ada.eth' }
const leads: Record<string, string> = { 'ada.eth': ada }

let calls = 0
let state: 'up' | 'down' | 'silent' | 'elsewhere' | 'odd' | 'refusing' = 'up'

const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString()))
  request.on('end', () => {
    calls++
    if (state === 'silent') return
    const { id, method, params } = JSON.parse(body) as {
      id: number
      method: string
      params: [{ data: Hex }]
    }
    response.writeHead(state === 'down' ? 503 : 200, { 'content-type': 'application/json' })
    const offchain = { code: 3, message: 'execution reverted', data: '0x556f1830' }
    if (state === 'down') return void response.end()
    const gas = { code: -32000, message: 'out of gas' }
    const outcome =
      method === 'eth_chainId'
        ? { result: '0x1' }
        : state === 'elsewhere'
          ? { error: offchain }
          : state === 'refusing'
            ? { error: gas }
            : { result: state === 'odd' ? '0x01' : answer(params[0].data) }
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }))
  })
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const rpc = `http://127.0.0.1:${(server.address() as AddressInfo).port}/s3cr3t`

function answer(data: Hex): Hex {
  const { functionName, args } = decodeFunctionData({ abi, data })
  if (functionName === 'reverseWithGateways') {
    const name = claims[args[0].toLowerCase()] ?? ''
    return encodeFunctionResult({ abi, functionName, result: [name, zeros, zeros] })
  }
  const lead = (leads[readPacket(args[0])] ?? zeros) as Hex
  const result = encodeAbiParameters([{ type: 'address' }], [lead])
  return encodeFunctionResult({ abi, functionName, result: [result, zeros] })
}

/** A name as DNS packs it: each label behind its length. */
function readPacket(packet: Hex): string {
  const bytes = hexToBytes(packet)
  const labels: string[] = []
  for (let at = 0; (bytes[at] ?? 0) > 0; at += 1 + (bytes[at] ?? 0)) {
    labels.push(bytesToString(bytes.slice(at + 1, at + 1 + (bytes[at] ?? 0))))
  }
  return labels.join('.')
}

const failures: string[] = []
let nowMs = 0
const open = () =>
  createEns({
    rpc,
    onFailure: (message) => failures.push(message),
    now: () => unixMilliseconds(nowMs),
    patienceMs: 60_000,
  })

beforeEach(() => {
  state = 'up'
  calls = 0
  failures.length = 0
})

test('a name counts only if it resolves to the address that claims it', async () => {
  const ens = await open()
  expect(await ens.findNames([ada, eve, nobody])).toEqual(new Map([[ada, 'ada.eth']]))
  expect([ens.known(ada), ens.known(eve), ens.known(nobody)]).toEqual(['ada.eth', null, null])
  const names = createNames([], ens)
  expect(names.find(ada.toUpperCase().replace('0X', '0x'))).toEqual({
    name: 'ada.eth',
    link: null,
    source: 'ens',
  })
  expect(names.find('onchain_evm_1_0x1')).toBeUndefined()
})

test('ignores a name that is not in the normal form of ENS', async () => {
  for (const claim of ['ADA.eth', 'ada​.eth', 'ada eth.eth']) {
    claims[ada] = claim
    leads[claim] = ada
    expect(await (await open()).findNames([ada])).toEqual(new Map())
  }
  claims[ada] = 'ada.eth'
})

test('a name that is too long is not compared with anything', async () => {
  const long = `${'a.'.repeat(10_000)}eth`
  claims[nobody] = long
  calls = 0
  const ens = await createEns({ rpc, onFailure: () => undefined, patienceMs: 60_000 })
  expect(await ens.findNames([nobody])).toEqual(new Map())
  // Nothing asks where the name leads.
  expect(calls).toBe(1)
  delete claims[nobody]
})

test('a search finds the address of a name in any letter case, beside labels with the text', async () => {
  const label = { id: nobody, name: 'The ada.eth fan club', link: null, source: 'tests' }
  const names = createNames([label], await open())
  const found = { id: '0x00000000000000000000000000000000000000AA', link: null, source: 'ens' }
  expect(await names.search('Ada.ETH')).toEqual([{ ...found, name: 'Ada.ETH' }, label])
  expect(await names.search('nobody.eth')).toEqual([])
  const before = calls
  expect(await names.search('ada')).toEqual([label])
  expect(calls).toBe(before)
})

test('a known name does not wait, and is refreshed once an hour', async () => {
  const ens = await open()
  expect([ens.known(ada), ens.known(ada)]).toEqual([null, null])
  await expect.poll(() => ens.known(ada)).toBe('ada.eth')
  expect(calls).toBe(2)
  nowMs += 3_599_000
  expect(ens.known(ada)).toBe('ada.eth')
  expect(calls).toBe(2)
  nowMs += 2_000
  claims[ada] = ''
  expect(ens.known(ada)).toBe('ada.eth')
  await expect.poll(() => ens.known(ada)).toBeNull()
  claims[ada] = 'ada.eth'
})

test('an endpoint that fails is left alone for a minute, and no name is lost', async () => {
  const ens = await open()
  await ens.findNames([ada])
  nowMs += 3_600_000
  state = 'down'
  expect(await ens.findNames([ada])).toEqual(new Map([[ada, 'ada.eth']]))
  const before = calls
  expect(await ens.resolve('ada.eth')).toBeNull()
  expect(await ens.findNames([ada, eve])).toEqual(new Map([[ada, 'ada.eth']]))
  expect(calls).toBe(before)
  expect(failures).toEqual([
    expect.stringMatching(/^The endpoint of ENS at 127\.0\.0\.1:\d+ does not answer\.$/),
  ])
  nowMs += 60_000
  state = 'up'
  expect(await ens.resolve('ada.eth')).toBe(ada)
})

test('a name that is kept off chain has no address, and its resolver chooses no URL', async () => {
  state = 'elsewhere'
  expect(await (await open()).resolve('ada.eth')).toBeNull()
  expect(failures).toEqual([])
})

test.each(['odd', 'refusing'] as const)(
  'a name whose resolver makes an %s answer has no address, and other names have theirs',
  async (answered) => {
    const ens = await open()
    state = answered
    expect(await ens.resolve('odd.eth')).toBeNull()
    state = 'up'
    expect(await ens.resolve('ada.eth')).toBe(ada)
    expect(failures).toEqual([])
    const before = calls
    expect(await ens.resolve('odd.eth')).toBeNull()
    expect(calls).toBe(before)
    leads['odd.eth'] = eve
    nowMs += 60_000
    expect(await ens.resolve('odd.eth')).toBe(eve)
    delete leads['odd.eth']
  },
)

test('a client with many slow names leaves places to others', async () => {
  const ens = await createEns({ rpc, onFailure: () => undefined, patienceMs: 0 })
  state = 'silent'
  const slow = Array.from({ length: 40 }, (_, number) => `slow-${number}.eth`)
  await runAs({ name: '192.0.2.1', hasKey: false }, () => Promise.all(slow.map((name) => ens.resolve(name))))
  await expect.poll(() => calls).toBe(9)
  await runAs({ name: '192.0.2.2', hasKey: false }, () => ens.resolve('ada.eth'))
  await expect.poll(() => calls).toBe(10)
})
