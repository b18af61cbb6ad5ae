import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runHere } from '../harness/runHere.ts'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'
import { createSimulatedChain, type SimulatedChain } from '../simulator/simulatedChain.ts'
import {
  startSimulatorServer,
  type SimulatorServer,
  type SimulatorServerOptions,
} from '../simulator/simulatorServer.ts'
import { nightTest } from '../harness/nightly.ts'

/** The documentation promises two seconds; a busy machine needs more. */
const stopLimitMs = 20_000
/** Every endpoint URL contains this secret, in its path and its query. No output may contain it. */
const secret = 'dont-print-7f3a9c'
const keys = `/v3/${secret}?key=${secret}`

let folder: string
const running: SpawnedAttestry[] = []
const servers: SimulatorServer[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-e2e-'))
})
afterEach(async () => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL')
  for (const server of servers.splice(0)) await server.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('of several chains', () => {
  test('chains with a working endpoint are indexed, and each other one reports its error', async () => {
    const healthy = await startChain(31_337)
    const spare = await startChain(31_338)
    const foreign = await startChain(999)
    const dead = `http://127.0.0.1:${await takeFreePort()}${keys}`
    writeConfig([
      { chain: healthy.chain, rpc: [healthy.server.url + keys] },
      // The indexer must use the third endpoint although the first two fail.
      { chain: spare.chain, rpc: [dead, foreign.server.url + keys, spare.server.url + keys] },
      { chain: createSimulatedChain({ seed: 1, chainId: 40_001 }), rpc: [dead] },
      { chain: createSimulatedChain({ seed: 1, chainId: 40_002 }), rpc: [foreign.server.url + keys] },
    ])
    const program = start(['start', '--port', '0'])
    const url = servingUrl(await program.waitForLine(/"serving"/))

    await expect
      .poll(async () =>
        (await readChains(url)).chains.map(({ chainId, phase, reachedHead, lastError }) =>
          phase === 'stopped' ? [chainId, phase, lastError] : [chainId, phase, reachedHead],
        ),
      )
      .toEqual([
        ['31337', 'following', true],
        ['31338', 'following', true],
        ['40001', 'retrying', false],
        ['40002', 'retrying', false],
      ])
    const { status, message, chains } = await readChains(url)
    expect(status).toBe(503)
    expect(message).toContain('40001, 40002')
    for (const { chain } of [healthy, spare]) {
      expect(chains.find(({ chainId }) => chainId === String(chain.chainId))).toMatchObject({
        reachedHead: true,
        indexedBlock: chain.head(),
        attestationCount: chain.count('signAttestation'),
        lastError: null,
      })
    }
    const [unreachable, wrong] = chains.slice(2)
    expect(unreachable).toMatchObject({ reachedHead: false, indexedBlock: null })
    expect(unreachable?.lastError).toContain(new URL(dead).host)
    expect(wrong).toMatchObject({ reachedHead: false, indexedBlock: null })
    expect(wrong?.lastError).toContain('999')

    // The healthy chains grow, and the API serves their new records.
    healthy.chain.mine(40)
    const total = healthy.chain.count('signAttestation') + spare.chain.count('signAttestation')
    await expect.poll(() => readTotal(url)).toBe(total)
    // The phase is saved after the blocks.
    await expect.poll(async () => (await readChains(url)).chains[0]?.phase).toBe('following')

    const table = await runHere(['status'], folder)
    expect(table.stdout).toMatch(/^.*40001.*retrying.*$/m)
    expect(table.stdout).toMatch(/^.*40002.*retrying.*$/m)
    expect(table.stdout).toMatch(/^.*31337.*following.*$/m)
    const json = await runHere(['status', '--json'], folder)
    expect(JSON.parse(json.stdout)).toMatchObject([
      { chainId: 31_337, phase: 'following', lastError: null },
      { chainId: 31_338, phase: 'following', lastError: null },
      { chainId: 40_001, phase: 'retrying', lastError: expect.stringContaining('127.0.0.1') },
      { chainId: 40_002, phase: 'retrying', lastError: expect.stringContaining('999') },
    ])

    // The log reports each fault, but an unreachable chain must not fill it.
    const complaints = program
      .stdout()
      .split('\n')
      .filter((line) => line.includes('"chainId":40001'))
    expect(complaints.length).toBeGreaterThan(0)
    expect(complaints.length).toBeLessThan(20)

    program.child.kill('SIGINT')
    const exited = await program.waitForExit(stopLimitMs)
    expect(exited).toMatchObject({ code: 0, stderr: '' })
    const answers = await runHere(['export'], folder)
    for (const text of [exited.stdout, table.stdout, json.stdout, answers.stdout, JSON.stringify(chains)]) {
      expect(text).not.toContain(secret)
    }
  })

  nightTest('one that was away is indexed once it is back', async () => {
    const port = await takeFreePort()
    const chain = createSimulatedChain({ seed: 3 })
    chain.mine(50)
    writeConfig([{ chain, rpc: [`http://127.0.0.1:${port}${keys}`] }])
    const program = start(['start', '--port', '0'])
    const url = servingUrl(await program.waitForLine(/"serving"/))
    await expect.poll(async () => (await readChains(url)).chains[0]?.phase).toBe('retrying')
    servers.push(await startSimulatorServer(chain, { port }))
    await expect.poll(async () => (await readChains(url)).status, { interval: 200 }).toBe(200)
    expect(await readTotal(url)).toBe(chain.count('signAttestation'))
    expect(program.stdout()).not.toContain(secret)
  })
})

nightTest('serve answers while another process is in the middle of a backfill', async () => {
  // The second half of the backfill waits for the readers: each of its answers comes after one more reading.
  const isServing = Promise.withResolvers<void>()
  let nextReading = Promise.withResolvers<void>()
  const { chain, server } = await startChain(31_337, {
    blocks: 5_000,
    logRangeMax: 100,
    latencyMs: 50,
    instead: async (body) => {
      const [, fromBlock = '0'] = /"eth_getLogs".*"fromBlock":"(0x[0-9a-f]+)"/.exec(body) ?? []
      if (Number(fromBlock) < 2_500) return null
      await isServing.promise
      await nextReading.promise
      return null
    },
  })
  writeConfig([{ chain, rpc: [server.url + keys] }])
  const indexer = start(['index'])
  await indexer.waitForLine(/indexing the final blocks/)
  const served = start(['serve', '--port', '0'])
  const url = servingUrl(await served.waitForLine(/"serving"/))
  isServing.resolve()
  // While the backfill commits, totals only grow, and each answer has as many rows as its total allows.
  const totals = [0]
  await expect
    .poll(
      async () => {
        totals.push(await readTotal(url))
        nextReading.resolve()
        nextReading = Promise.withResolvers()
        return (await readChains(url)).status
      },
      { interval: 20 },
    )
    .toBe(200)
  expect(totals).toEqual([...totals].sort((a, b) => a - b))
  expect(new Set(totals).size).toBeGreaterThan(2)
  expect(await readTotal(url)).toBe(chain.count('signAttestation'))
  for (const program of [served, indexer]) {
    program.child.kill('SIGTERM')
    expect(await program.waitForExit(stopLimitMs)).toMatchObject({ code: 0, stderr: '' })
  }
})

interface ChainEntry {
  readonly chain: SimulatedChain
  readonly rpc: readonly string[]
}

interface ReadyChain {
  readonly chainId: string
  readonly phase: string
  readonly reachedHead: boolean
  readonly lastError: string | null
}

function start(args: readonly string[]): SpawnedAttestry {
  const program = spawnAttestry(args, { cwd: folder })
  running.push(program)
  return program
}

async function startChain(
  chainId: number,
  options: SimulatorServerOptions & { readonly blocks?: number } = {},
): Promise<{ readonly chain: SimulatedChain; readonly server: SimulatorServer }> {
  const { blocks = 150, ...serverOptions } = options
  const chain = createSimulatedChain({ seed: chainId, chainId })
  chain.mine(blocks)
  const server = await startSimulatorServer(chain, serverOptions)
  servers.push(server)
  return { chain, server }
}

function writeConfig(entries: readonly ChainEntry[]): void {
  const chains = entries.map(
    ({ chain, rpc }) => `  - chainId: ${chain.chainId}
    rpc: ${JSON.stringify(rpc)}
    contracts: [{ protocol: sign, address: "${chain.contracts.sign}", startBlock: 0 }]
    finality: 12
    pollIntervalMs: 50
`,
  )
  writeFileSync(
    join(folder, 'attestry.yaml'),
    `database: sqlite:index.db\nserver: { workers: 1 }\nchains:\n${chains.join('')}`,
  )
}

/** A port on which nothing listens. */
async function takeFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

function servingUrl(line: string): string {
  return (JSON.parse(line) as { url: string }).url
}

async function readChains(
  url: string,
): Promise<{ status: number; message: string; chains: readonly ReadyChain[] }> {
  const response = await fetch(`${url}/readyz`)
  const { message, data } = (await response.json()) as {
    message: string
    data: { chains: readonly ReadyChain[] }
  }
  return { status: response.status, message, chains: data.chains }
}

async function readTotal(url: string): Promise<number> {
  const response = await fetch(`${url}/scan/attestations?size=1`)
  expect(response.status).toBe(200)
  const { data } = (await response.json()) as { data: { total: number; rows: readonly unknown[] } }
  expect(data.rows).toHaveLength(Math.min(1, data.total))
  return data.total
}
