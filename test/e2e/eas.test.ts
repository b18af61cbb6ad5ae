import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JsonRpcProvider } from 'ethers'
import { encodeDeployData, parseAbi, zeroAddress, zeroHash } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import contracts from '@attestry/demo/contracts/eas.json' with { type: 'json' }
import { demoAccount } from '@attestry/demo/demoAccounts.ts'
import { createDevClient, deployContract } from '@attestry/demo/devChain.ts'
import { startAnvil } from '@attestry/demo/startAnvil.ts'
import { checkProof } from '@attestry/trust/proofs/checkProof.ts'
import { parseProof } from '@attestry/trust/proofs/parseProof.ts'
import { spawnAttestry } from '../harness/spawnAttestry.ts'
import { createEasClient } from '../sdks/easClient.ts'

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
  registryAddress = await deployContract(client, attester, contracts.schemaRegistry as `0x${string}`)
  const abi = parseAbi(['constructor(address registry)'])
  const args = [registryAddress as `0x${string}`] as const
  easAddress = await deployContract(
    client,
    attester,
    encodeDeployData({ abi, bytecode: contracts.eas as `0x${string}`, args }),
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

test('serves the schemas, attestations, names and revocations of the official EAS client correctly', async () => {
  const signer = await provider.getSigner(attester)
  const eas = createEasClient(signer, easAddress, registryAddress)
  const fields = 'uint8 score, string comment, address[] reviewers'
  const names = 'bytes32 schemaId,string name'
  const schema = await eas.register(fields)
  const naming = await eas.register(names)
  const data = eas.encode(fields, [
    { name: 'score', type: 'uint8', value: 97 },
    { name: 'comment', type: 'string', value: 'très bien' },
    { name: 'reviewers', type: 'address[]', value: [recipient] },
  ])
  const first = await eas.attest(schema, data, recipient, zeroHash)
  const second = await eas.attest(schema, '0x', zeroAddress, first)
  const name = eas.encode(names, [
    { name: 'schemaId', type: 'bytes32', value: schema },
    { name: 'name', type: 'string', value: 'Review' },
  ])
  const named = await eas.attest(naming, name, zeroAddress, zeroHash)
  await eas.revoke(schema, second)
  await eas.timestamp(first)
  await eas.revokeOffchain(first)

  await expect.poll(async () => (await get(`/scan/attestations/${id(second)}`))['revoked']).toBe(true)
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
    .poll(() => get(`/scan/addresses/${attester}/anchors`))
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

  await eas.revoke(naming, named)
  await expect.poll(async () => (await get(`/scan/schemas/${id(schema)}`))['name']).toBe('')
})

async function get(path: string): Promise<Record<string, unknown>> {
  const response = await fetch(url + path)
  return ((await response.json()) as { data: Record<string, unknown> }).data
}
