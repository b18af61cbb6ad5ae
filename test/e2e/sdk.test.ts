import { decodeAbiParameters } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { createLiveIndex, type LiveIndex } from '../harness/liveIndex.ts'
import { startLocalChain, type LocalChain } from '../harness/localChain.ts'
import { createSignSdkClient, recipientsAsAddresses } from '../harness/signSdk.ts'
import { projections } from '../harness/projections.ts'

const chainId = 11_155_111
const id = (localId: string): string => `onchain_evm_${chainId}_${localId}`

let chain: LocalChain
let index: LiveIndex
let url: string
const cleanups: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  chain = await startLocalChain({ chainId })
  cleanups.push(() => chain.stop())
  await chain.setAutomine(true)
  index = createLiveIndex(
    { chainId, contract: chain.address, startBlock: chain.startBlock, head: () => chain.headNumber() },
    [chain.url],
    { finality: 2, pollIntervalMs: 20 },
  )
  cleanups.push(() => index.remove())
  index.start()
  const reader = openSqliteReader(index.path, { projections })
  cleanups.push(() => reader.close())
  const app = createServer({ reader, chainIds: [chainId] })
  cleanups.push(() => app.close())
  url = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

test('serves the schemas, attestations and revocations of the official client correctly', async () => {
  const sdk = createSignSdkClient(chain, 4)
  const attester = chain.account(4).address
  const first = chain.account(6).address
  const second = chain.account(7).address

  const registered = await sdk.createSchema({
    name: 'Course completed',
    description: 'Written by the official client',
    data: [
      { name: 'course', type: 'string' },
      { name: 'points', type: 'uint256' },
      { name: 'passed', type: 'bool' },
    ],
    revocable: true,
    maxValidFor: 0,
  })
  const given = { course: 'Ελληνικά 101', points: 97n, passed: true }
  const validUntil = 1_900_000_000
  const attested = await sdk.createAttestation({
    schemaId: registered.schemaId,
    data: given,
    // By default the client encodes every recipient as a string, addresses included.
    recipients: [first, 'did:key:z6Mk', second],
    indexingValue: 'course-101',
    validUntil,
  })
  const linked = await sdk.createAttestation(
    {
      schemaId: registered.schemaId,
      data: given,
      recipients: [second],
      indexingValue: second.toLowerCase(),
      linkedAttestationId: attested.attestationId,
    },
    recipientsAsAddresses,
  )
  const revoked = await sdk.revokeAttestation(attested.attestationId, { reason: 'Zeugnis zurückgezogen' })
  await index.reachHead(20_000)

  const schema = await getData(`/scan/schemas/${id(registered.schemaId)}`)
  expect(schema).toStrictEqual({
    id: id(registered.schemaId),
    mode: 'onchain',
    name: 'Course completed',
    description: 'Written by the official client',
    registrant: attester,
    registerTimestamp: await timeOf(registered.txHash),
    chainType: 'evm',
    chainId: String(chainId),
    schemaId: registered.schemaId,
    revocable: true,
    maxValidFor: 0,
    transactionHash: registered.txHash,
    data: [
      { name: 'course', type: 'string' },
      { name: 'points', type: 'uint256' },
      { name: 'passed', type: 'bool' },
    ],
  })

  const attestation = await getData(`/scan/attestations/${id(attested.attestationId)}`)
  expect(attestation).toMatchObject({
    attestationId: attested.attestationId,
    transactionHash: attested.txHash,
    schemaId: registered.schemaId,
    fullSchemaId: id(registered.schemaId),
    attester,
    attestTimestamp: String(await timeOf(attested.txHash)),
    recipients: [first, 'did:key:z6Mk', second],
    indexingValue: 'course-101',
    linkedAttestation: '',
    validUntil: String(validUntil),
    revoked: true,
    revokeTimestamp: String(await timeOf(revoked.txHash)),
    revokeReason: 'Zeugnis zurückgezogen',
    revokeTransactionHash: revoked.txHash,
    dataLocation: 'ONCHAIN',
    schema: { name: 'Course completed' },
  })
  // The payload decodes by the fields of the schema in the answer.
  const { data } = attestation as { data: `0x${string}` }
  expect(decodeAbiParameters([{ type: 'string' }, { type: 'uint256' }, { type: 'bool' }], data)).toEqual(
    Object.values(given),
  )

  expect(await getData(`/scan/attestations/${id(linked.attestationId)}`)).toMatchObject({
    linkedAttestation: id(attested.attestationId),
    recipients: [second],
    revoked: false,
    revokeReason: null,
  })
  expect(await getData(`/scan/addresses/${second}/statistics`)).toEqual({
    schemaCreated: 0,
    totalAttestations: 2,
    attestationCreated: 0,
    attestationReceived: 2,
  })
  expect(await getData('/scan/search?filter=attestation&keyword=course-101')).toMatchObject({
    queryResult: [{ total: 1, rows: [{ attestationId: attested.attestationId }] }],
  })
})

async function getData(path: string): Promise<unknown> {
  const response = await fetch(url + path)
  expect(response.status, path).toBe(200)
  return ((await response.json()) as { data: unknown }).data
}

async function timeOf(transactionHash: string | undefined): Promise<number> {
  const hash = (transactionHash ?? '0x') as `0x${string}`
  const { blockHash } = await chain.client.getTransactionReceipt({ hash })
  const { timestamp } = await chain.client.getBlock({ blockHash })
  return Number(timestamp)
}
