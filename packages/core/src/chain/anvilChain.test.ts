import { createTestClient, http, publicActions, walletActions } from 'viem'
import { anvil as anvilChain } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAnvil, type Anvil } from '@attestry/demo/startAnvil.ts'
import { failureOf } from '@attestry/test/harness/chainClientFixture.ts'
import { noBytes, parseAddress, parseHash, parseHex } from '../model/hex.ts'
import type { ChainClient } from './chainClient.ts'
import { createChainClient } from './createChainClient.ts'
import { bloomMayContain } from '../model/logsBloom.ts'

/** A real node: what the scripted ones leave out. */
const topic = checked(parseHex(`0x${'77'.repeat(32)}`))
const contracts = {
  /** Returns `block.number`. */
  blockNumber: { address: checked(parseAddress(`0x${'a1'.repeat(20)}`)), code: '0x4360005260206000f3' },
  /** Emits an event with that topic and no data. */
  emitter: {
    address: checked(parseAddress(`0x${'a2'.repeat(20)}`)),
    code: `0x7f${'77'.repeat(32)}60006000a100`,
  },
  /** Reverts with one zero byte. */
  reverting: { address: checked(parseAddress(`0x${'a3'.repeat(20)}`)), code: '0x60016000fd' },
} as const

let anvil: Anvil
let client: ChainClient

function checked<Value>(value: Value | null): Value {
  if (value === null) throw new TypeError('broken fixture')
  return value
}

function blockWord(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`
}

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 31_337, genesisTimeS: 1_750_000_000 })
  const dev = createTestClient({ mode: 'anvil', chain: anvilChain, transport: http(anvil.url) })
    .extend(publicActions)
    .extend(walletActions)
  const [sender] = await dev.getAddresses()
  if (sender === undefined) throw new TypeError('anvil has no account')
  for (const { address, code } of Object.values(contracts)) await dev.setCode({ address, bytecode: code })
  for (let i = 0; i < 5; i++) {
    const hash = await dev.sendTransaction({
      account: sender,
      to: contracts.emitter.address,
      chain: anvilChain,
    })
    await dev.waitForTransactionReceipt({ hash, pollingInterval: 10 })
  }
  client = createChainClient({ chainId: 31_337, endpoints: [anvil.url], retryDelayMs: 1 })
})

afterAll(async () => {
  await client.close()
  await anvil.stop()
})

describe('anvil', () => {
  test('gives its head and headers', async () => {
    const head = await client.fetchHead()
    expect(head.number).toBe(5)
    const headers = await client.fetchHeaders(0, 5)
    expect(headers).toHaveLength(6)
    expect(headers[5]).toEqual(head)
    expect(headers[0]?.timestamp).toBe(1_750_000_000)
  })

  test('gives logs with their block’s time, and blooms that hold them', async () => {
    const filter = { addresses: [contracts.emitter.address], topics: [topic], fromBlock: 0, toBlock: 5 }
    const logs = await client.fetchLogs(filter)
    const headers = await client.fetchHeaders(1, 5)
    expect(logs.map((log) => [log.blockHash, log.blockTimestamp])).toEqual(
      headers.map((header) => [header.hash, header.timestamp]),
    )
    for (const header of headers) {
      expect(bloomMayContain(header.logsBloom ?? noBytes, filter.addresses, filter.topics)).toBe(true)
      expect(bloomMayContain(header.logsBloom ?? noBytes, [contracts.reverting.address], filter.topics)).toBe(
        false,
      )
    }
    const senders = await client.fetchTransactionSenders(logs.map((log) => log.transactionHash))
    expect(new Set(senders)).toEqual(new Set(['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266']))
  })

  test('is read at its newest block and at the block of a hash', async () => {
    const reads = Object.values(contracts).map(({ address }) => ({
      to: address,
      data: checked(parseHex('0x')),
    }))
    expect(await client.readContracts(reads, { kind: 'latest' })).toEqual([
      { kind: 'returned', data: blockWord(5) },
      { kind: 'returned', data: '0x', codeExists: true },
      { kind: 'reverted', data: '0x00' },
    ])
    const [header] = await client.fetchHeaders(3, 3)
    const at = { kind: 'blockHash', hash: checked(header?.hash ?? null) } as const
    expect(await client.readContracts(reads.slice(0, 1), at)).toEqual([
      { kind: 'returned', data: blockWord(3) },
    ])
  })

  test('says that it does not know a block', async () => {
    const impatient = createChainClient({
      chainId: 31_337,
      endpoints: [anvil.url],
      retryDelayMs: 1,
      attemptsMax: 2,
    })
    try {
      const at = { kind: 'blockHash', hash: checked(parseHash(`0x${'12'.repeat(32)}`)) } as const
      const reads = [{ to: contracts.blockNumber.address, data: checked(parseHex('0x')) }]
      expect(await failureOf(impatient.readContracts(reads, at))).toMatchObject({ code: 'RPC_MISSING' })
      expect(await failureOf(impatient.fetchHeaders(6, 6))).toMatchObject({ code: 'RPC_MISSING' })
    } finally {
      await impatient.close()
    }
  })
})
