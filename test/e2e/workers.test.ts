import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hashKey, newKey } from '@attestry/server/pipeline/access/apiKeys.ts'
import { createSimulatedChain, type SimulatedChain } from '../simulator/simulatedChain.ts'
import { startSimulatorServer, type SimulatorServer } from '../simulator/simulatorServer.ts'
import { isNightly, nightTest } from '../harness/nightly.ts'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'

/** Three processes load the program. */
const startLimitMs = 280_000

let folder = ''
let chain: SimulatedChain
let server: SimulatorServer
let total = 0
let program: SpawnedAttestry | null = null

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-workers-'))
  chain = createSimulatedChain({ seed: 7 })
  chain.mine(120)
  total = chain.count('signAttestation')
  server = await startSimulatorServer(chain)
})
afterEach(async () => {
  program?.child.kill('SIGKILL')
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

test('several workers answer as one: index, counts and limits of rates are those of all of them', async () => {
  const { url } = await serve('rateLimit: { max: 30, windowSeconds: 600 }, trustProxy: [loopback]')
  const ask = (client: string) => fetchOnce(`${url}/scan/attestations?size=1`, { 'x-forwarded-for': client })
  // Each request opens a connection, so that both workers receive requests.
  const statuses = (await Promise.all(Array.from({ length: 40 }, () => ask('192.0.2.1')))).map(
    ({ status }) => status,
  )
  expect(statuses.filter((status) => status === 200)).toHaveLength(30)
  expect(statuses.filter((status) => status === 429)).toHaveLength(10)
  expect(JSON.parse((await ask('192.0.2.2')).text)).toMatchObject({ data: { total } })
  for (let i = 0; i < 4; i++) {
    const figures = await readMetrics(url)
    expect(figures).toContain('attestry_http_requests_total{route="/scan/attestations",status="200"} 31\n')
    expect(figures).toContain('attestry_http_requests_total{route="/scan/attestations",status="429"} 10\n')
    expect(figures).toContain('attestry_chain_indexed_block')
    expect(figures).toMatch(/attestry_rpc_requests_total\{[^}]*\} [1-9]/)
  }
})

nightTest('the limit of a key holds over all workers, also if no other client has a limit', async () => {
  const key = newKey()
  const { url } = await serve(`keys: [{ name: gatekeeper, hash: "${hashKey(key)}", rate: 30 }]`)
  const ask = () => fetchOnce(`${url}/scan/attestations?size=1`, { 'x-api-key': key })
  const answers = await Promise.all(Array.from({ length: 40 }, ask))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(30)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(10)
})

test('the threads of each worker hear of a commit of the indexer', async () => {
  const module = new URL('../../packages/core/src/changes/commitHints.ts', import.meta.url)
  writeFileSync(
    join(folder, 'witness.mjs'),
    `import cluster from 'node:cluster'
import { onCommit } from '${module.href}'
if (cluster.isWorker) onCommit(() => console.error('heard by', process.pid))`,
  )
  const { attestry } = await serve('', { NODE_OPTIONS: '--import ./witness.mjs' })
  chain.mine(1)
  await expect.poll(() => new Set(attestry.stderr().match(/heard by \d+/g)).size).toBe(2)
})

/** Only Linux lists the child processes. */
const isBlind = platform() !== 'linux'

test.skipIf(isBlind)(
  'a worker that is killed is replaced, nobody waits for it, and the counts stay',
  async () => {
    const { url, attestry } = await serve('')
    const ask = () =>
      fetchOnce(`${url}/scan/attestations?size=1`).then(
        ({ status }) => status,
        () => null,
      )
    await Promise.all(Array.from({ length: 20 }, ask))
    const before = countOf(await readMetrics(url))
    expect(before).toBe(20)
    const [first = 0] = await listWorkers(attestry)
    let isOver = false
    const asked: (number | null)[] = []
    const asking = Array.from({ length: 4 }, async () => {
      while (!isOver) asked.push(await ask())
    })
    process.kill(first, 'SIGKILL')
    await attestry.waitForLine(/a worker of the API ended \(SIGKILL\) and is replaced/, startLimitMs)
    await expect
      .poll(async () => (await listWorkers(attestry)).filter((pid) => pid !== first).length, {
        timeout: startLimitMs,
      })
      .toBe(2)
    isOver = true
    await Promise.all(asking)
    // The killed worker cut off its open requests; all other requests were answered.
    expect(asked.filter((status) => status !== 200 && status !== null)).toEqual([])
    expect(asked.filter((status) => status === 200).length).toBeGreaterThan(0)
    expect(countOf(await readMetrics(url))).toBeGreaterThanOrEqual(before)
  },
)

test.skipIf(isBlind || !isNightly)(
  'all end on request, and no worker survives the main process',
  async () => {
    const asked = (await serve('')).attestry
    const workers = await listWorkers(asked)
    expect(workers).toHaveLength(2)
    asked.child.kill('SIGTERM')
    expect((await asked.waitForExit(20_000)).code).toBe(0)
    expect(workers.filter(isAlive)).toEqual([])

    const killed = (await serve('')).attestry
    const orphans = await listWorkers(killed)
    expect(orphans).toHaveLength(2)
    killed.child.kill('SIGKILL')
    await expect.poll(() => orphans.filter(isAlive)).toEqual([])
  },
)

async function serve(
  serverKeys: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly url: string; readonly attestry: SpawnedAttestry }> {
  writeFileSync(
    join(folder, 'attestry.yaml'),
    `database: sqlite:index.db
server: { port: 0, explorer: false, workers: 2, ${serverKeys} }
chains:
  - chainId: 31337
    rpc: ["${server.url}"]
    contracts: [{ protocol: sign, address: "${chain.contracts.sign}", startBlock: 0 }]
    finality: 12
    pollIntervalMs: 50
`,
  )
  const attestry = spawnAttestry(['start'], { cwd: folder, environment })
  program = attestry
  const { url } = JSON.parse(await attestry.waitForLine(/"serving"/, startLimitMs)) as {
    readonly url: string
  }
  await attestry.waitForLine(/reached the head/, startLimitMs)
  return { url, attestry }
}

/** Sends a request over a connection of its own. */
async function fetchOnce(url: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(url, {
    headers: { ...headers, connection: 'close' },
    signal: AbortSignal.timeout(20_000),
  })
  return { status: response.status, text: await response.text() }
}

async function readMetrics(url: string): Promise<string> {
  return (await fetchOnce(`${url}/metrics`)).text
}

function countOf(figures: string): number {
  const line = /attestry_http_requests_total\{route="\/scan\/attestations",status="200"\} (\d+)/.exec(figures)
  return Number(line?.[1] ?? 0)
}

/** The child processes of the main process, from /proc. */
async function listWorkers({ child }: SpawnedAttestry): Promise<number[]> {
  const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
  return children.trim().split(/\s+/).filter(Boolean).map(Number)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
