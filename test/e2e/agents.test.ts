import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, zeroHash } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentAbi, agentDemo } from '@attestry/demo/agentDemo.ts'
import { demoAgents } from '@attestry/demo/content/agents.ts'
import { demoAccount } from '@attestry/demo/demoAccounts.ts'
import { createDevClient, type DevClient, mineTransactions, reorganise } from '@attestry/demo/devChain.ts'
import { startAnvil } from '@attestry/demo/startAnvil.ts'
import { contentIdOfFile } from '@attestry/core/model/contentId.ts'
import { runHere } from '../harness/runHere.ts'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'

const chainId = 31_337
const [contract] = agentDemo.contracts
const [first, second] = demoAgents
const account = (index: number | undefined) => demoAccount(index ?? 0).address

const folder = mkdtempSync(join(tmpdir(), 'attestry-agents-'))
const cleanups: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
const file = '{"name":"Late Reader","services":[{"name":"A2A","endpoint":"https://late.example"}]}'
const fileId = contentIdOfFile(Buffer.from(file))
let client: DevClient
let attestry: SpawnedAttestry
let url = ''

beforeAll(async () => {
  const anvil = await startAnvil({ chainId, manualMining: true })
  cleanups.push(() => anvil.stop())
  const gateway = createServer(({ url: asked = '' }, response) => {
    response.writeHead(asked.startsWith(`/ipfs/${fileId}`) ? 200 : 404)
    response.end(asked.startsWith(`/ipfs/${fileId}`) ? file : '')
  })
  gateway.listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  cleanups.push(() => gateway.close())
  client = createDevClient(anvil.url)
  await agentDemo.deploy(client, { from: account(0) })
  writeFileSync(
    join(folder, 'attestry.yaml'),
    [
      'database: sqlite:index.db',
      'server: { port: 0, workers: 1 }',
      `content: { ipfs: ["http://127.0.0.1:${(gateway.address() as AddressInfo).port}"] }`,
      'chains:',
      `  - chainId: ${chainId}`,
      `    rpc: ["${anvil.url}"]`,
      '    pollIntervalMs: 20',
      '    contracts:',
      `      - { protocol: erc8004, address: "${contract?.address}", reputationRegistry: "${contract?.reputationRegistry}", validationRegistry: "${contract?.validationRegistry}" }`,
    ].join('\n'),
  )
  attestry = spawnAttestry(['start'], { cwd: folder })
  cleanups.push(() => attestry.child.kill('SIGKILL'))
  url = (JSON.parse(await attestry.waitForLine(/"msg":"serving"/)) as { url: string }).url
  await attestry.waitForLine(/reached the head/)
})
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

test('agents that a registry of a real node registered are served with what was said of them', async () => {
  expect(await get('/scan/agents')).toMatchObject({ total: demoAgents.length })
  expect(await get(`/scan/agents/${chainId}:0`)).toMatchObject({
    name: first?.name,
    description: `${first?.description} Now around the clock.`,
    owner: account(first?.owner),
    wallet: account(first?.owner),
    active: true,
    uriState: 'read',
    feedbackCount: 4,
    revokedCount: 1,
    reviewerCount: 4,
    responseCount: 1,
    metadata: [{ key: 'agentWallet' }, { key: 'category', value: '0x7265736561726368' }],
  })
  expect(await get(`/scan/agents/${chainId}:1`)).toMatchObject({
    name: second?.name,
    owner: account(first?.owner),
    wallet: '',
  })
  expect(await get(`/scan/agents/${chainId}:2`)).toMatchObject({
    name: '',
    uriState: expect.stringMatching(/^(pending|missing)$/) as unknown,
  })
  expect(await get(`/scan/agents/${chainId}:0/feedback?tag1=starred&revoked=false`)).toMatchObject({
    total: 2,
  })
  expect(await get(`/scan/agents/${chainId}:0/responses`)).toMatchObject({
    rows: [{ responder: account(first?.owner), responseURI: 'https://agents.example/thanks.txt' }],
  })
  expect(await get(`/scan/agents/${chainId}:1/history`)).toMatchObject({
    rows: [{ change: 'transferred', from: account(second?.owner) }, { change: 'metadataSet' }, {}],
  })
  const validations = encodeURIComponent(
    '{ validations(orderBy: createdAt) { agent { id } status response tag } }',
  )
  expect(await get(`/erc8004/${chainId}/graphql?query=${validations}`)).toEqual({
    validations: [
      { agent: { id: `${chainId}:0` }, status: 'COMPLETED', response: 97, tag: 'audit' },
      { agent: { id: `${chainId}:1` }, status: 'PENDING', response: null, tag: null },
    ],
  })
})

test('a reorganisation reverts a transfer and the feedback of its block, and the index equals a new one', async () => {
  const buyer = account(12)
  const owner = account(first?.owner)
  await mineTransactions(client, [
    {
      from: owner,
      to: contract?.address ?? owner,
      data: encodeFunctionData({ abi: agentAbi, functionName: 'transferFrom', args: [owner, buyer, 0n] }),
    },
    {
      from: owner,
      to: contract?.reputationRegistry ?? owner,
      data: encodeFunctionData({
        abi: agentAbi,
        functionName: 'giveFeedback',
        args: [0n, -(2n ** 127n), 18, 'eas', '', '', '', zeroHash],
      }),
    },
  ])
  const agent = async () => get(`/scan/agents/${chainId}:0`)
  await expect.poll(agent).toMatchObject({ owner: buyer, wallet: '', feedbackCount: 5, reviewerCount: 5 })
  expect(await get(`/scan/agents/${chainId}:0/feedback?tag1=eas`)).toMatchObject({
    rows: [{ attester: owner, value: '-170141183460469231731.687303715884105728' }],
  })
  await reorganise(client, 1)
  await expect.poll(agent).toMatchObject({ owner, wallet: owner, feedbackCount: 4, reviewerCount: 4 })
})

test('a file behind the URI of an agent is fetched while the index follows the chain', async () => {
  const registration = { abi: agentAbi, functionName: 'register', args: [`ipfs://${fileId}`] } as const
  const from = account(first?.owner)
  await mineTransactions(client, [
    { from, to: contract?.address ?? from, data: encodeFunctionData(registration) },
  ])
  const endpoints = [{ name: 'A2A', endpoint: 'https://late.example', version: '' }]
  await expect
    .poll(() => get(`/scan/agents/${chainId}:${demoAgents.length}`))
    .toMatchObject({
      uriState: 'verified',
      name: 'Late Reader',
      endpoints,
      registration: { name: 'Late Reader' },
    })
})

test('the index agrees with its chain and itself, and an import of its export has the same agents', async () => {
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runHere(args, folder)
    expect([args, code, stderr]).toEqual([args, 0, expect.anything()])
    return stdout
  }
  await run('verify', '--all')
  const verification = { differences: 0, isComplete: true, at: expect.any(Number) as unknown }
  expect(await get('/scan/chains')).toMatchObject({ rows: [{ finality: expect.any(Number), verification }] })
  const exported = await run('export', '--comparable')
  expect(exported).toContain('"type":"metadata"')
  await run('export', '--output', 'agents.ndjson')
  const config = readFileSync(join(folder, 'attestry.yaml'), 'utf8')
  writeFileSync(join(folder, 'other.yaml'), config.replace('sqlite:index.db', 'sqlite:other.db'))
  await run('import', '--config', 'other.yaml', '--input', 'agents.ndjson')
  expect(await run('export', '--comparable', '--config', 'other.yaml')).toBe(exported)
  const other = spawnAttestry(['serve', '--config', 'other.yaml'], { cwd: folder })
  cleanups.push(() => other.child.kill('SIGKILL'))
  const served = JSON.parse(await other.waitForLine(/"msg":"serving"/)) as { url: string }
  for (const path of ['', '/feedback', '/responses', '/history', '/reputation']) {
    const asked = `/scan/agents/${chainId}:0${path}`
    expect(await get(asked, served.url)).toEqual(await get(asked))
  }
})

async function get(path: string, from = url): Promise<unknown> {
  const response = await fetch(`${from}${path}`)
  return ((await response.json()) as { data: unknown }).data
}
