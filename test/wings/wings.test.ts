import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { protocolNames } from '@attestry/core/model/protocolNames.ts'
import { formatEditorSchema } from '@attestry/host/config/editorSchema.ts'
import { parseConfig } from '@attestry/host/config/loadConfig.ts'
import { knownProtocols } from '@attestry/host/config/resolveChains.ts'
import { runHere } from '../harness/runHere.ts'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'
import { createSimulatedChain } from '../simulator/simulatedChain.ts'
import { startSimulatorServer, type SimulatorServer } from '../simulator/simulatorServer.ts'
import * as composition from './wings.ts'

/** The program with one wing more, over two worker processes. No other file of the program knows the wing. */
const entry = fileURLToPath(new URL('main.ts', import.meta.url))

let folder = ''
const chain = createSimulatedChain({ seed: 7 })
let endpoint: SimulatorServer
let program: SpawnedAttestry
let url = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-wings-'))
  chain.mine(60)
  endpoint = await startSimulatorServer(chain)
  writeFileSync(join(folder, 'attestry.yaml'), configWith('stamp: { text: approved }'))
  program = spawn(['start', '--port', '0'])
  ;({ url } = JSON.parse(await program.waitForLine(/"serving"/)) as { url: string })
  await program.waitForLine(/reached the head/)
})
afterAll(async () => {
  program.child.kill('SIGKILL')
  await endpoint.close()
  rmSync(folder, { recursive: true, force: true })
})

const { wings } = composition
const options = { environment: {}, known: knownProtocols, parts: wings, endpointsNeeded: true }

test('its key stands in the schema for editors, and its mistakes are reported with their lines', () => {
  expect(JSON.parse(formatEditorSchema(protocolNames, wings))).toMatchObject({
    properties: { stamp: { properties: { text: { default: 'seen' } } } },
  })
  const mistakes = [
    ['stamp: { text: "" }', 'wrong.yaml line 1: stamp.text must have a word, but is empty'],
    ['stamp: { txt: a }', 'wrong.yaml line 1: stamp.txt is not a known key; did you mean text?'],
  ] as const
  for (const [text, sentence] of mistakes) {
    expect(() => parseConfig(configWith(text), 'wrong.yaml', options)).toThrow(sentence)
  }
})

test('its endpoint is a part of the interface that may be private', () => {
  const { access } = parseConfig(configWith('', '  private: [stamps, scan]'), 'right.yaml', options).server
  expect(access.private).toEqual({ stamps: ['/scan/stamps'], scan: ['/scan', '/badge', '/snapshot'] })
})

test('its command is listed and runs, and an environment variable sets its key', async () => {
  const { stdout } = await runHere(['--help'], folder, {}, composition)
  expect(stdout).toMatch(/^ {2}stamp \[options\] +print the stamp$/m)
  const environment = { ATTESTRY_STAMP_TEXT: 'refused' }
  const other = await runHere(['stamp'], folder, environment, composition)
  expect(other.stdout).toBe('refused\n')
})

test('its endpoint answers at both bases, and stands in the OpenAPI document and among the tools', async () => {
  for (const base of [url, `${url}/api`]) {
    expect(await get(`${base}/scan/stamps/onchain_evm_1_0x1`)).toMatchObject({ data: { stamp: 'approved' } })
  }
  const { paths } = (await get(`${url}/openapi.json`)) as { paths: Record<string, object> }
  expect(paths).toHaveProperty(['/scan/stamps/{id}', 'get', 'summary'], 'The stamp of a record')
  expect(await askAgent('tools/list', {})).toContain('"get_stamp"')
  const call = { name: 'get_stamp', arguments: { id: 'onchain_evm_1_0x1' } }
  expect(await askAgent('tools/call', call)).toContain('approved')
})

test('its include is one of the words, and adds its member to attestations', async () => {
  const listed = await get(`${url}/scan/attestations?size=2&include=protocol,stamp,names`)
  expect(listed).toMatchObject({ data: { rows: [{ stamp: 'approved', protocol: 'sign', names: {} }, {}] } })
  expect(await get(`${url}/scan/attestations?include=stamps`)).toMatchObject({
    message: expect.stringContaining('decoded, protocol, content, stamp, names') as string,
  })
})

test('its fields are part of the GraphQL schema', async () => {
  const query = '{ stamp pagedAttestations(page: 1, size: 1) { attestations { stamp } } }'
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  expect(await response.json()).toMatchObject({
    data: { stamp: 'approved', pagedAttestations: { attestations: [{ stamp: 'approved' }] } },
  })
})

test('the limit of rates holds for its endpoint', async () => {
  const headers = { 'x-forwarded-for': '192.0.2.9' }
  const ask = async () => (await fetch(`${url}/scan/stamps/onchain_evm_1_0x2`, { headers })).status
  const statuses = await Promise.all(Array.from({ length: 110 }, ask))
  expect(statuses.filter((status) => status === 429)).toHaveLength(10)
})

test('it follows the journal beside the writer, and its figure stands at /metrics', async () => {
  await expect
    .poll(async () => await (await fetch(`${url}/metrics`)).text())
    .toContain(`attestry_stamps_total{ink="blue"} ${chain.count('signAttestation')}\n`)
})

/** @param server a line of the block `server`. */
function configWith(text: string, server = ''): string {
  return `${text}
database: sqlite:index.db
server:
  workers: 2
  mcp: true
  explorer: false
  trustProxy: [loopback]
  rateLimit: { max: 100, windowSeconds: 600 }
${server}
chains:
  - chainId: 31337
    rpc: ["${endpoint.url}"]
    contracts: [{ protocol: sign, address: "${chain.contracts.sign}", startBlock: 0 }]
    finality: 12
    pollIntervalMs: 50
`
}

function spawn(args: readonly string[]): SpawnedAttestry {
  return spawnAttestry(args, { cwd: folder, entry })
}

/** The answer of `/mcp` to one message. */
async function askAgent(method: string, params: object): Promise<string> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return await response.text()
}

async function get(address: string): Promise<unknown> {
  return await (await fetch(address)).json()
}
