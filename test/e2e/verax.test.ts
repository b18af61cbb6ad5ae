import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeAbiParameters, encodeFunctionData, keccak256, parseEventLogs, stringToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoAccount } from '../../src/demo/demoAccounts.ts'
import { deployVerax, veraxAbi } from '../../src/demo/deployVerax.ts'
import { createDevClient, type DevTransaction, mineTransactions } from '../../src/demo/devChain.ts'
import { startAnvil } from '../../src/demo/startAnvil.ts'
import { checkProof } from '../../src/proofs/checkProof.ts'
import { parseProof } from '../../src/proofs/parseProof.ts'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'

const chainId = 31_337
const chainPrefix = 5n << 240n
const owner = demoAccount(0).address
const issuer = demoAccount(1).address
const subject = demoAccount(5).address
const text = '(bool isHuman, string provider)'
const schemaId = keccak256(stringToHex(text))
const localId = (number: number) =>
  `0x${(chainPrefix + BigInt(number)).toString(16).padStart(64, '0')}` as const
const id = (local: string): string => `onchain_evm_${chainId}_${local}`

const folder = mkdtempSync(join(tmpdir(), 'attestry-verax-'))
const cleanups: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
let attestry: SpawnedAttestry
let url = ''
let portal = ''

beforeAll(async () => {
  const anvil = await startAnvil({ chainId, manualMining: true })
  cleanups.push(() => anvil.stop())
  const client = createDevClient(anvil.url)
  const send = async (transaction: DevTransaction) => mineTransactions(client, [transaction])
  const { attestationRegistry, schemaRegistry, portalRegistry } = await deployVerax(client, {
    from: owner,
    nonce: 0,
    chainPrefix,
  })
  const [deployed] = await send({
    from: issuer,
    to: portalRegistry,
    data: encodeFunctionData({
      abi: veraxAbi,
      functionName: 'deployDefaultPortal',
      args: [[], 'Human Portal', 'People', true, 'Issuer'],
    }),
  })
  const events = parseEventLogs({ abi: veraxAbi, logs: deployed?.logs ?? [], eventName: 'PortalRegistered' })
  const to = events[0]?.args.portal ?? owner
  portal = to
  await send({
    from: issuer,
    to: schemaRegistry,
    data: encodeFunctionData({
      abi: veraxAbi,
      functionName: 'createSchema',
      args: ['Human', 'Who is one', 'https://schema.org/Person', text],
    }),
  })
  const fields = [{ type: 'tuple', components: [{ type: 'bool' }, { type: 'string' }] }] as const
  const wrapped = encodeAbiParameters(fields, [[true, 'someone']])
  const flat = encodeAbiParameters(fields[0].components, [false, 'nobody'])
  const payload = (attestationData: `0x${string}`, to20: `0x${string}` = subject) =>
    ({ schemaId, expirationDate: 0n, subject: to20, attestationData }) as const
  await send({
    from: issuer,
    to,
    data: encodeFunctionData({
      abi: veraxAbi,
      functionName: 'bulkAttest',
      args: [
        [payload(wrapped), payload(flat), payload(wrapped, stringToHex('did:key:z6Mk'))],
        [[], [], []],
      ],
    }),
  })
  await send({
    from: issuer,
    to,
    data: encodeFunctionData({
      abi: veraxAbi,
      functionName: 'replace',
      args: [localId(1), payload(wrapped), []],
    }),
  })
  await send({
    from: issuer,
    to,
    data: encodeFunctionData({ abi: veraxAbi, functionName: 'revoke', args: [localId(2)] }),
  })
  await send({
    from: issuer,
    to: schemaRegistry,
    data: encodeFunctionData({
      abi: veraxAbi,
      functionName: 'updateContext',
      args: [schemaId, 'https://schema.org/Thing'],
    }),
  })
  // The records are old: their numbers are followed, and their counter witnesses that none is missing.
  await client.mine({ blocks: 300 })
  writeFileSync(
    join(folder, 'attestry.yaml'),
    [
      'database: sqlite:index.db',
      'server: { port: 0, workers: 1 }',
      'chains:',
      `  - chainId: ${chainId}`,
      `    rpc: ["${anvil.url}"]`,
      '    pollIntervalMs: 20',
      '    contracts:',
      `      - { protocol: verax, address: "${attestationRegistry}", schemaRegistry: "${schemaRegistry}", portalRegistry: "${portalRegistry}" }`,
    ].join('\n'),
  )
  attestry = spawnAttestry(['start'], { cwd: folder })
  cleanups.push(() => attestry.child.kill('SIGKILL'))
  url = (JSON.parse(await attestry.waitForLine(/"msg":"serving"/)) as { url: string }).url
  await attestry.waitForLine(/reached the head/)
}, 120_000)
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

test('what portals of Verax attest, replace and revoke is served as it was meant', async () => {
  expect(await get(`/scan/schemas/${id(schemaId)}`)).toMatchObject({
    name: 'Human',
    description: 'Who is one',
    context: 'https://schema.org/Thing',
    registrant: issuer,
    data: [
      { name: 'isHuman', type: 'bool' },
      { name: 'provider', type: 'string' },
    ],
  })
  expect(await get(`/scan/attestations/${id(localId(1))}`)).toMatchObject({
    attester: issuer,
    recipients: [subject],
    portal,
    portalName: 'Human Portal',
    portalOwner: issuer,
    portalOwnerName: 'Issuer',
    revoked: true,
    revokeReason: `replaced by ${id(localId(4))}`,
  })
  expect(await get(`/scan/attestations/${id(localId(2))}?include=decoded`)).toMatchObject({
    revoked: true,
    revokeReason: '',
    decodedData: [
      { name: 'isHuman', value: false },
      { name: 'provider', value: 'nobody' },
    ],
  })
  expect(await get(`/scan/attestations/${id(localId(3))}`)).toMatchObject({ recipients: ['did:key:z6Mk'] })
  expect(await get(`/scan/attestations/${id(localId(4))}?include=decoded`)).toMatchObject({
    linkedAttestation: id(localId(1)),
    revoked: false,
    decodedData: [
      { name: 'isHuman', value: true },
      { name: 'provider', value: 'someone' },
    ],
  })
  expect(await get(`/scan/attestations?portal=${portal.toLowerCase()}&revoked=false`)).toMatchObject({
    total: 2,
  })
  expect(await get(`/scan/attestations?portal=${issuer}`)).toMatchObject({ total: 0, rows: [] })
  expect(await get(`/scan/attestations?schemaId=${id(schemaId)}&field[provider]=someone`)).toMatchObject({
    total: 3,
  })
})

test('its records are proved from the receipts of their blocks', async () => {
  for (const path of [
    `/scan/schemas/${id(schemaId)}/proof`,
    `/scan/attestations/${id(localId(4))}/proof`,
    `/scan/attestations/${id(localId(1))}/proof?event=revocation`,
  ]) {
    const parsed = parseProof(JSON.stringify(await get(path)))
    expect(parsed.kind === 'proof' ? await checkProof(parsed.proof) : parsed).toEqual({ kind: 'valid' })
  }
})

test('the verification finds no difference to the chain', async () => {
  attestry.child.kill('SIGTERM')
  await attestry.waitForExit()
  const { code, stdout } = await spawnAttestry(['verify', '--all'], { cwd: folder }).waitForExit()
  expect(stdout).not.toContain('"type":"difference"')
  expect(code).toBe(0)
}, 60_000)

async function get(path: string): Promise<Record<string, unknown>> {
  const response = await fetch(url + path)
  return ((await response.json()) as { data: Record<string, unknown> }).data
}
