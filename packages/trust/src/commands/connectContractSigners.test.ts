import { bytesToHex } from '@noble/hashes/utils.js'
import { afterEach, expect, test } from 'vitest'
import { encodeAbiValues } from '@attestry/core/protocols/abi/encodeAbiValue.ts'
import { parseAbiParameters } from '@attestry/core/protocols/abi/parseAbiParameters.ts'
import { startScriptedRpcServer, type CallHandler } from '@attestry/test/harness/scriptedRpcServer.ts'
import { runAs } from '@attestry/core/shares/askers.ts'
import { parseAddress, parseHex, zeroAddress, zeroHash, noBytes, type Hex } from '@attestry/core/model/hex.ts'
import { silentLogger } from '@attestry/host/createLogger.ts'
import { connectContractSigners } from './connectContractSigners.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

const magic = `0x1626ba7e${'00'.repeat(28)}`
const signer = parseAddress(`0x${'ab'.repeat(20)}`) ?? zeroAddress
const garbage = parseHex(`0x${'01'.repeat(65)}`) ?? noBytes
const nowSeconds = 1_750_000_000

/** The answers of an endpoint: its head, the code of the signer, and the result of the call. */
interface Told {
  readonly head?: number
  readonly code?: string
  readonly answer?: string
}

const honest: Told = { head: 1_000, code: '0x', answer: '0x' }

/** A chain whose blocks are twelve seconds apart. */
function blockOf(number: number) {
  return {
    number: `0x${number.toString(16)}`,
    hash: `0x${number.toString(16).padStart(64, '0')}`,
    parentHash: `0x${(number - 1).toString(16).padStart(64, '0')}`,
    timestamp: `0x${(nowSeconds + number * 12).toString(16)}`,
    logsBloom: `0x${'00'.repeat(256)}`,
  }
}

async function open(told: readonly (Told | null)[], signerChains: readonly number[] = []) {
  const servers = await Promise.all(
    told.map((each) => {
      const { head = 1_000, code = '0x', answer = '0x' } = each ?? {}
      const handlers: Record<string, CallHandler> = {
        eth_getBlockByNumber: ({ params: [tag] }) => blockOf(tag === 'latest' ? head : Number(tag)),
        eth_getCode: () => code,
        eth_call: () => answer,
      }
      return startScriptedRpcServer(7, each === null ? {} : handlers)
    }),
  )
  const requests = { perSecond: 1_000, inFlight: 4 }
  const chain = { chainId: 7, rpc: servers.map(({ url }) => url), requests }
  const signers = connectContractSigners([chain], signerChains, silentLogger())
  cleanups.push(async () => {
    await signers.close()
    await Promise.all(servers.map((server) => server.close()))
  })
  const ask = (signature: Hex = garbage, chainId: number | null = 7) =>
    signers.ask({ chainId, signer, hash: zeroHash, signature })
  const calls = () => servers.flatMap((server) => server.callsOf('eth_call'))
  return { ask, calls, called: () => calls().length }
}

const liars: readonly Told[] = ['0x1', '0x01', `0x${'01'.padStart(64, '0')}`, magic].flatMap((answer) => [
  { code: '0x6000', answer },
  { code: '0x', answer },
  { head: 10, code: '0x6000', answer },
  { head: 100_000, code: '0x6000', answer },
])

test('one of two endpoints cannot make a signature of an account without code valid', async () => {
  for (const liar of liars) {
    for (const told of [
      [liar, honest],
      [honest, liar],
    ]) {
      const { ask } = await open(told)
      expect([liar, (await ask()).kind]).not.toEqual([liar, 'signed'])
    }
  }
})

test('nor does it while the other one has no answer, or among three', async () => {
  const liar = { code: '0x6000', answer: magic }
  expect(await (await open([liar, null])).ask()).toEqual({
    kind: 'unknown',
    reason: 'Too few endpoints of chain 7 answer, so that no contract there was asked.',
  })
  const { ask, called } = await open([liar, honest, honest])
  expect(await ask()).toEqual({ kind: 'notSigned', at: [{ chainId: 7, block: 1_000 }] })
  expect(called()).toBe(0)
})

test('an account without code is not asked', async () => {
  for (const told of [[honest], [honest, honest]]) {
    const { ask, called } = await open(told.map((each) => ({ ...each, answer: magic })))
    expect((await ask()).kind).toBe('notSigned')
    expect(called()).toBe(0)
  }
})

test('a signature that deploys its account does so only if the account has no code', async () => {
  const wrapper = encodeAbiValues(
    (parseAbiParameters('address factory, bytes call, bytes signature') ?? []).map(({ type }) => type),
    [`0x${'fa'.repeat(20)}`, '0xdead', garbage],
  )
  const wrapped = parseHex(`0x${bytesToHex(wrapper ?? new Uint8Array())}${'6492'.repeat(16)}`) ?? noBytes
  for (const [code, to] of [
    ['0x6000', signer],
    ['0x', undefined],
  ] as const) {
    const { ask, calls } = await open([{ code, answer: magic }])
    expect((await ask(wrapped)).kind).toBe('signed')
    const asked = calls().map(
      ({ params: [target] }) => target as { readonly to?: string; readonly data: string },
    )
    expect(asked.map((call) => [call.to, call.data.includes('dead')])).toEqual([[to, to === undefined]])
  }
})

test('a contract accepts by the magic value in 32 bytes, from two endpoints, at a block that both have', async () => {
  const contract = { code: '0x6000', answer: magic }
  const both = await open([
    { ...contract, head: 1_003 },
    { ...contract, head: 1_000 },
  ])
  expect(await both.ask()).toEqual({ kind: 'signed', at: { chainId: 7, block: 1_000 } })
  const others = [
    '0x',
    '0x01',
    '0x1626ba7e',
    `${magic}00`,
    `${magic}${'00'.repeat(32)}`,
    `0x${'ff'.repeat(32)}`,
  ]
  for (const answer of [...others, `0x${'1'.padStart(64, '0')}`]) {
    for (const told of [
      [{ ...contract, answer }],
      Array.from({ length: 2 }, () => ({ ...contract, answer })),
    ]) {
      expect([answer, (await (await open(told)).ask()).kind]).toEqual([answer, 'notSigned'])
    }
  }
  const differing = await open([contract, { ...contract, answer: `0x${'ff'.repeat(32)}` }])
  expect(await differing.ask()).toEqual({
    kind: 'unknown',
    reason: 'The endpoints of chain 7 disagree, so that it is not known what a contract there answers.',
  })
})

test('an endpoint does not choose an old state: two heads have to be close to each other', async () => {
  const contract = { code: '0x6000', answer: magic }
  const { ask } = await open([
    { ...contract, head: 900 },
    { ...contract, head: 1_000 },
  ])
  expect((await ask()).kind).toBe('unknown')
})

test('a statement that names no chain is held against the chains that the operator names', async () => {
  const contract = { code: '0x6000', answer: magic }
  expect(await (await open([contract, contract])).ask(garbage, null)).toEqual({
    kind: 'unknown',
    reason:
      'It names no chain, and offchain.signerChains of this server names none either, so that no contract was asked.',
  })
  expect(await (await open([contract, contract], [7])).ask(garbage, null)).toEqual({
    kind: 'signed',
    at: { chainId: 7, block: 1_000 },
  })
  expect((await (await open([honest, honest], [7])).ask(garbage, null)).kind).toBe('notSigned')
})

test('a client that has used its share of questions is sent away, and another one is answered', async () => {
  const signers = await open([{ code: '0x6000', answer: magic }])
  const ask = (name: string, hasKey = false) => runAs({ name, hasKey }, () => signers.ask())
  const askAll = async () => {
    for (;;) await ask('192.0.2.1')
  }
  await expect(askAll()).rejects.toMatchObject({ statusCode: 503 })
  await expect(ask('192.0.2.1')).rejects.toMatchObject({ code: 'API_OVERLOADED' })
  expect(await ask('192.0.2.2')).toMatchObject({ kind: 'signed' })
  expect(await ask('key gatekeeper', true)).toMatchObject({ kind: 'signed' })
})
