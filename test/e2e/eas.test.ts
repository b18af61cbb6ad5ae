import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type * as EasSdk from '@ethereum-attestation-service/eas-sdk'
import { JsonRpcProvider } from 'ethers'
import { encodeDeployData, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoAccount } from '../../demo/src/demoAccounts.ts'
import { createDevClient, deployContract } from '../../demo/src/devChain.ts'
import { startAnvil } from '../../demo/src/startAnvil.ts'
import { parseHex } from '../../src/model/hex.ts'
import { checkProof } from '../../src/proofs/checkProof.ts'
import { parseProof } from '../../src/proofs/parseProof.ts'
import { spawnAttestry } from '../harness/spawnAttestry.ts'

// The ES module of the official client imports names from a CommonJS package, which Node refuses; its CommonJS form
// loads.
const require = createRequire(import.meta.url)
const { EAS, NO_EXPIRATION, SchemaEncoder, SchemaRegistry, ZERO_ADDRESS, ZERO_BYTES32 } =
  require('@ethereum-attestation-service/eas-sdk') as typeof EasSdk

const chainId = 31_337
const attester = demoAccount(1).address
const recipient = demoAccount(5).address
const id = (localId: string): string => `onchain_evm_${chainId}_${localId}`

const folder = mkdtempSync(join(tmpdir(), 'attestry-eas-'))
const cleanups: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
let provider: JsonRpcProvider
let registryAddress = ''
let easAddress = ''
let url = ''

beforeAll(async () => {
  const anvil = await startAnvil({ chainId })
  cleanups.push(() => anvil.stop())
  const client = createDevClient(anvil.url)
  registryAddress = await deployContract(client, attester, bytecodeOf('SchemaRegistry'))
  const abi = parseAbi(['constructor(address registry)'])
  const args = [registryAddress as `0x${string}`] as const
  easAddress = await deployContract(
    client,
    attester,
    encodeDeployData({ abi, bytecode: bytecodeOf('EAS'), args }),
  )
  provider = new JsonRpcProvider(anvil.url, chainId, {
    staticNetwork: true,
    cacheTimeout: -1,
    pollingInterval: 20,
  })
  cleanups.push(() => provider.destroy())
  writeFileSync(
    join(folder, 'attestry.yaml'),
    [
      'database: sqlite:index.db',
      'server: { port: 0, workers: 1 }',
      'chains:',
      `  - chainId: ${chainId}`,
      `    rpc: ["${anvil.url}"]`,
      '    pollIntervalMs: 20',
      '    transactionSenders: true',
      '    contracts:',
      `      - { protocol: eas, address: "${easAddress}", schemaRegistry: "${registryAddress}", startBlock: 0 }`,
    ].join('\n'),
  )
  const attestry = spawnAttestry(['start'], { cwd: folder })
  cleanups.push(() => attestry.child.kill('SIGKILL'))
  const line = await attestry.waitForLine(/"msg":"serving"/)
  url = (JSON.parse(line) as { url: string }).url
})
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

test('what the official EAS client registers, attests, names and revokes is served as it was meant', async () => {
  const signer = await provider.getSigner(attester)
  const registry = new SchemaRegistry(registryAddress).connect(signer)
  const eas = new EAS(easAddress).connect(signer)
  const fields = 'uint8 score, string comment, address[] reviewers'
  const registerSchema = async (schema: string): Promise<string> => {
    const transaction = await registry.register({ schema, resolverAddress: ZERO_ADDRESS, revocable: true })
    return transaction.wait()
  }
  const attest = async (schema: string, data: string, to: string, refUID: string): Promise<string> => {
    const transaction = await eas.attest({
      schema,
      data: { recipient: to, expirationTime: NO_EXPIRATION, revocable: true, refUID, data, value: 0n },
    })
    return transaction.wait()
  }
  const schema = await registerSchema(fields)
  const naming = await registerSchema('bytes32 schemaId,string name')
  const data = new SchemaEncoder(fields).encodeData([
    { name: 'score', type: 'uint8', value: 97 },
    { name: 'comment', type: 'string', value: 'très bien' },
    { name: 'reviewers', type: 'address[]', value: [recipient] },
  ])
  const first = await attest(schema, data, recipient, ZERO_BYTES32)
  const second = await attest(schema, '0x', ZERO_ADDRESS, first)
  const name = new SchemaEncoder('bytes32 schemaId,string name').encodeData([
    { name: 'schemaId', type: 'bytes32', value: schema },
    { name: 'name', type: 'string', value: 'Review' },
  ])
  const named = await attest(naming, name, ZERO_ADDRESS, ZERO_BYTES32)
  await (await eas.revoke({ schema, data: { uid: second } })).wait()
  await (await eas.timestamp(first)).wait()
  await (await eas.revokeOffchain(first)).wait()

  await expect
    .poll(async () => (await get(`/scan/attestations/${id(second)}`))['revoked'], { timeout: 30_000 })
    .toBe(true)
  expect(await get(`/scan/schemas/${id(schema)}`)).toMatchObject({
    name: 'Review',
    description: '',
    registrant: attester,
    revocable: true,
    maxValidFor: 0,
    data: [
      { name: 'score', type: 'uint8' },
      { name: 'comment', type: 'string' },
      { name: 'reviewers', type: 'address[]' },
    ],
  })
  expect(await get(`/scan/attestations/${id(first)}?include=decoded`)).toMatchObject({
    attestationId: first,
    schemaId: schema,
    attester,
    recipients: [recipient],
    indexingValue: '',
    linkedAttestation: '',
    validUntil: '0',
    revoked: false,
    data,
    schema: { name: 'Review' },
    decodedData: [
      { name: 'score', value: '97' },
      { name: 'comment', value: 'très bien' },
      { name: 'reviewers', value: [recipient] },
    ],
  })
  expect(await get(`/scan/attestations/${id(second)}`)).toMatchObject({
    recipients: [],
    linkedAttestation: id(first),
    data: '0x',
    revoked: true,
    revokeReason: '',
  })

  await expect
    .poll(() => get(`/scan/addresses/${attester}/anchors`), { timeout: 30_000 })
    .toEqual({
      rows: [
        { chainId: '31337', event: 'RevokedOffchain', count: 1 },
        { chainId: '31337', event: 'Timestamped', count: 1 },
      ],
    })
  for (const path of [
    `/scan/schemas/${id(schema)}/proof`,
    `/scan/attestations/${id(first)}/proof`,
    `/scan/attestations/${id(second)}/proof?event=revocation`,
  ]) {
    const parsed = parseProof(JSON.stringify(await get(path)))
    expect(parsed.kind === 'proof' ? await checkProof(parsed.proof) : parsed).toEqual({ kind: 'valid' })
  }

  await (await eas.revoke({ schema: naming, data: { uid: named } })).wait()
  await expect
    .poll(async () => (await get(`/scan/schemas/${id(schema)}`))['name'], { timeout: 30_000 })
    .toBe('')
})

async function get(path: string): Promise<Record<string, unknown>> {
  const response = await fetch(url + path)
  return ((await response.json()) as { data: Record<string, unknown> }).data
}

/** The creation code of a contract, from its package. */
function bytecodeOf(contract: string): `0x${string}` {
  const path = require.resolve(
    `@ethereum-attestation-service/eas-contracts/artifacts/contracts/${contract}.sol/${contract}.json`,
  )
  const bytecode = parseHex((JSON.parse(readFileSync(path, 'utf8')) as { bytecode: string }).bytecode)
  if (bytecode === null) throw new Error(`${contract} has no bytecode`)
  return bytecode
}
