import { dirname } from 'node:path'
import { encodeFunctionData, keccak256, parseEventLogs, stringToHex, zeroHash, type Address } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoAccount } from '@attestry/demo/demoAccounts.ts'
import { deployVerax, veraxAbi, type VeraxContracts } from '@attestry/demo/deployVerax.ts'
import { createDevClient, type DevClient, mineTransactions } from '@attestry/demo/devChain.ts'
import { startAnvil } from '@attestry/demo/startAnvil.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { createLiveIndex, type FollowedChain, type LiveIndex } from '../harness/liveIndex.ts'
import { silenceImports } from '../harness/silentVerax.ts'
import { damage, verifyDatabase } from '../verify/verifiedIndex.ts'
import { projections } from '../harness/projections.ts'

// Registries of Verax before v4 stored imported attestations without an event. Only their numbers reveal them.

const chainId = 31_337
const finality = 12
const owner = demoAccount(0).address
const issuer = demoAccount(1).address
const chainPrefix = 5n << 240n
const schema = '(bool isHuman)'

let client: DevClient
let url = ''
let contracts: VeraxContracts
let portal: Address
let chain: FollowedChain
/** Follows the chain through the whole file. */
let live: LiveIndex
let stepS = 12
const cleanups: (() => unknown)[] = []

beforeAll(async () => {
  const anvil = await startAnvil({
    chainId,
    manualMining: true,
    genesisTimeS: 1_700_000_000,
    keptStates: 400,
  })
  cleanups.push(() => anvil.stop())
  url = anvil.url
  client = createDevClient(url)
  contracts = await deployVerax(client, { from: owner, nonce: 0, chainPrefix, nextTimestampS })
  await silenceImports(client, { from: owner, nonce: 0 })
  const logs = await call(issuer, contracts.portalRegistry, 'deployDefaultPortal', [
    [],
    'Portal',
    'A portal',
    true,
    'Issuer',
  ])
  const [made] = parseEventLogs({ abi: veraxAbi, logs, eventName: 'PortalRegistered' })
  portal = made?.args.portal ?? owner
  await call(issuer, contracts.schemaRegistry, 'createSchema', ['Human', 'Who is one', '', schema])
  chain = {
    chainId,
    protocol: 'verax',
    contract: contracts.attestationRegistry,
    schemaRegistry: contracts.schemaRegistry,
    head: async () => Number(await client.getBlockNumber({ cacheTime: 0 })),
  }
  live = createLiveIndex(chain, [url], { finality })
  cleanups.push(() => live.remove())
})
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

test('imports among final blocks are read from the registry, each in the block of its time', async () => {
  await importRecords(2)
  await attest()
  await importRecords(1)
  const secondOf = await importRecords(20)
  await attest()
  await mine(150)
  await attest()
  const last = await importRecords(1)
  await mine(finality + 1)
  live.start()
  await live.reachHead(30_000)
  const records = await recordsOf(live)
  expect(records.map(({ number }) => number)).toEqual(numbersUpTo(27))
  expect(records.filter(({ hasLog }) => !hasLog).map(({ number }) => number)).toEqual(
    numbersUpTo(27).filter((number) => ![3, 25, 26].includes(number)),
  )
  expect(records[23]).toMatchObject({ block: secondOf.number, time: secondOf.time, attester: owner })
  expect(records[26]).toMatchObject({ block: last.number, time: last.time })
})

test('imports near the head are found in their block, and reverted with it', async () => {
  await attest()
  await live.reachHead(30_000)
  const made = await importRecords(1)
  await live.reachHead(30_000)
  expect((await recordsOf(live)).at(-1)).toMatchObject({ number: 29, block: made.number, hasLog: false })
  await importRecords(2)
  await attest()
  await live.reachHead(30_000)
  expect((await recordsOf(live)).map(({ number }) => number)).toEqual(numbersUpTo(32))
  // The other branch gives the number 30 to another import, in another block.
  await client.request<RollbackRequest>({ method: 'anvil_rollback', params: [2] })
  stepS += 1
  await mine(1)
  const other = await importRecords(1, stringToHex('did:key:other'))
  await mine(1)
  await live.reachHead(30_000)
  const records = await recordsOf(live)
  expect(records.map(({ number }) => number)).toEqual(numbersUpTo(30))
  expect(records.at(-1)).toMatchObject({ block: other.number, recipients: ['did:key:other'] })
  await call(issuer, portal, 'revoke', [idOf(29)])
  await live.reachHead(30_000)
  expect((await recordsOf(live))[28]).toMatchObject({ number: 29, revoked: true })
})

test('a fresh index of the same chain is the same, whether the imports are final or not', async () => {
  for (const blocks of [0, 2 * finality]) {
    if (blocks > 0) await mine(blocks)
    await live.reachHead(30_000)
    const fresh = createLiveIndex(chain, [url], { finality })
    cleanups.push(() => fresh.remove())
    fresh.start()
    await fresh.reachHead(30_000)
    expect(await fresh.exportLines()).toEqual(await live.exportLines())
  }
})

test('no transaction and no proof of an import is served', async () => {
  const reader = openSqliteReader(live.path, { projections })
  const app = createServer({ reader })
  cleanups.push(() => reader.close())
  const id = `onchain_evm_${chainId}_${idOf(1)}`
  const attestation = await app.inject(`/scan/attestations/${id}`)
  expect(attestation.json()).toMatchObject({ data: { transactionHash: zeroHash, attester: owner } })
  const proof = await app.inject(`/scan/attestations/${id}/proof`)
  expect(proof.json()).toMatchObject({
    statusCode: 404,
    message: expect.stringContaining('has no log') as string,
  })
  expect((await app.inject(`/scan/transactions/${zeroHash}`)).statusCode).toBe(404)
  await app.close()
})

test('the verification agrees, and a repair reads a lost import again', async () => {
  await live.stop()
  // The index itself says which contracts are compared.
  const { attestationRegistry: eas, portalRegistry: sign, schemaRegistry } = contracts
  const asked = { chainId, contracts: { sign, eas, schemaRegistry }, head: () => 0 }
  const verify = (flags: { readonly repair?: boolean }) =>
    verifyDatabase(dirname(live.path), live.path, asked, [url], { all: true, ...flags })
  const before = await live.exportLines()
  expect(await verify({})).toMatchObject({ right: true })
  damage(live.path, `DELETE FROM attestation WHERE local_id = '${idOf(29).slice(2)}'`)
  expect(await verify({})).toMatchObject({ right: false })
  expect(await verify({ repair: true })).toMatchObject({ right: true })
  expect(await live.exportLines()).toEqual(before)
})

interface RollbackRequest {
  Method: 'anvil_rollback'
  Parameters: [depth: number]
  ReturnType: null
}

/** Mines empty blocks, each some seconds after the last. */
function mine(blocks: number) {
  return client.mine({ blocks, interval: stepS })
}

interface ImportedBlock {
  readonly number: number
  readonly time: number
}

/** Stores records without an event, in a block of their own. */
async function importRecords(count: number, subject: `0x${string}` = issuer): Promise<ImportedBlock> {
  const payloads = Array.from({ length: count }, () => payload(subject))
  await call(owner, contracts.attestationRegistry, 'massImport', [payloads, portal])
  const { number, timestamp } = await client.getBlock()
  return { number: Number(number), time: Number(timestamp) }
}

function attest() {
  return call(issuer, portal, 'attest', [payload(issuer), []])
}

function payload(subject: `0x${string}`) {
  const schemaId = keccak256(stringToHex(schema))
  return { schemaId, expirationDate: 0n, subject, attestationData: '0x01' } as const
}

async function call(from: Address, to: Address, functionName: string, args: readonly unknown[]) {
  const encode = encodeFunctionData as (request: unknown) => `0x${string}`
  const data = encode({ abi: veraxAbi, functionName, args })
  const [receipt] = await mineTransactions(client, [{ from, to, data }], await nextTimestampS())
  return receipt?.logs ?? []
}

async function nextTimestampS(): Promise<number> {
  return Number((await client.getBlock()).timestamp) + stepS
}

function idOf(number: number): `0x${string}` {
  return `0x${(chainPrefix + BigInt(number)).toString(16).padStart(64, '0')}`
}

function numbersUpTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}

/** The attestations of an index, in the order of their numbers. */
async function recordsOf(index: LiveIndex) {
  const lines = (await index.exportLines()).map((line) => JSON.parse(line) as Record<string, unknown>)
  return lines
    .filter(({ type }) => type === 'attestation')
    .map(
      ({ attestationId, blockNumber, attestTimestamp, transactionHash, recipients, revoked, attester }) => ({
        number: Number(BigInt(attestationId as string) - chainPrefix),
        block: blockNumber,
        time: Number(attestTimestamp),
        hasLog: transactionHash !== zeroHash,
        attester,
        recipients,
        revoked,
      }),
    )
    .sort((a, b) => a.number - b.number)
}
