import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Address } from '@attestry/core/model/hex.ts'
import type { IndexedContract } from '@attestry/core/model/indexedContract.ts'
import { steadyClock } from '@attestry/core/model/clock.ts'
import { findProtocol } from '@attestry/core/protocols/registry.ts'
import type { ChainClient } from '@attestry/core/chain/chainClient.ts'
import { createEventSource } from '@attestry/core/sync/fetchEvents.ts'
import type { ChainConfig } from '@attestry/host/config/resolveChains.ts'
import { emptyDigest, formatSum } from '@attestry/store/layout/eventDigest.ts'
import { createManifest, manifestPath } from '../../chunks/manifest.ts'
import { createOpenPublished } from './openPublished.ts'

const chainId = 5
const sign: IndexedContract = {
  protocol: 'sign',
  address: `0x${'11'.repeat(20)}` as Address,
  schemaRegistry: null,
  startBlock: 10,
}
const eas: IndexedContract = {
  protocol: 'eas',
  address: `0x${'22'.repeat(20)}` as Address,
  schemaRegistry: `0x${'33'.repeat(20)}` as Address,
  startBlock: 20,
}
const place = mkdtempSync(join(tmpdir(), 'attestry-chunks-'))
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** Asks for the published events of a chain without events, of which `published` contracts were published up to 100. */
async function open(
  contracts: readonly IndexedContract[],
  published: readonly IndexedContract[],
  { fromBlock = 10, publishedChain = chainId, transactionSenders = false } = {},
) {
  const chain = {
    chainId: publishedChain,
    name: 'Five',
    contracts: [...published],
    transactionSenders: false,
    block: 100,
    timestamp: null,
    events: 0,
    digest: formatSum(emptyDigest),
    chunks: [],
  }
  writeFileSync(join(place, manifestPath), JSON.stringify(createManifest('test', [chain], [])))
  const deployments = contracts.map((contract) => ({ ...contract, chainId }))
  const config: ChainConfig = {
    chainId,
    name: 'Five',
    explorer: null,
    rpc: [],
    requests: { perSecond: 1, inFlight: 1 },
    deployments,
    finality: 0,
    pollIntervalMs: 1,
    transactionSenders,
    from: place,
  }
  const source = createEventSource(
    {} as ChainClient,
    deployments.flatMap((deployment) => {
      const adapter = findProtocol(deployment.protocol)
      return adapter === null ? [] : [{ deployment, adapter }]
    }),
    { transactionSenders, finality: 0, clock: steadyClock, unannounced: [] },
  )
  const logged: string[] = []
  const log = (level: string, message: string) => void logged.push(`${level}: ${message}`)
  const find = createOpenPublished(
    { chains: [config], environment: {}, log },
    { sample: 0, publicKey: null, from: null },
  )
  const { signal } = new AbortController()
  const opened = await find(chainId)?.(source, { fromBlock, toBlock: 90 }, signal)
  return { opened, logged }
}

test('chunks of the indexed contracts are taken up to the last final block', async () => {
  const { opened, logged } = await open([sign, eas], [eas, sign])
  expect(opened).toMatchObject({ place, toBlock: 90 })
  const ranges = opened?.read(30, new AbortController().signal) ?? []
  expect(await Array.fromAsync(ranges)).toEqual([{ toBlock: 90, events: [], share: 1 }])
  expect(logged.at(-1)).toMatch(/^info: blocks 10 to 90 of the chunks of .* are checked: none of its blocks/)
})

test.each([
  { what: 'a contract is missing', published: [sign], reason: `they lack eas ${eas.address}` },
  { what: 'a further contract is published', contracts: [sign], reason: `they hold eas ${eas.address} too` },
  {
    what: 'a contract has another address',
    published: [sign, { ...eas, address: sign.address }],
    reason: `they are of eas ${sign.address}, but ${eas.address} is configured`,
  },
  {
    what: 'a contract was published from a later block on',
    published: [sign, { ...eas, startBlock: 21 }],
    reason: 'eas begins at block 21 there, and at block 20 here',
  },
  { what: 'senders of transactions are missing', transactionSenders: true, reason: 'without the senders' },
])('chunks are refused if $what', async ({ contracts, published, reason, ...chain }) => {
  await expect(open(contracts ?? [sign, eas], published ?? [sign, eas], chain)).rejects.toThrow(reason)
})

test('a chain that is not published, or no further than it is indexed, is left to its endpoints', async () => {
  const other = await open([sign], [sign], { publishedChain: 6 })
  expect(other.opened).toBeNull()
  expect(other.logged).toEqual([
    `warn: chain 5 (Five) is not published in ${place}: it is indexed from its endpoints`,
  ])
  const behind = await open([sign], [sign], { fromBlock: 101 })
  expect(behind.opened).toBeNull()
  expect(behind.logged[0]).toMatch(/^info: the chunks of .* end at block 100, which is indexed/)
})
