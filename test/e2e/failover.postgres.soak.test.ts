import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { exportedRecords, followMessages } from '@attestry/hooks/testing/followMessages.ts'
import { startReceiver, testSecret, type Receiver } from '@attestry/hooks/testing/startReceiver.ts'
import { differingLines } from '../harness/differingLines.ts'
import { withTestConnection } from '../harness/postgresConnection.ts'
import { startPostgresServer, type PostgresServer } from '../harness/postgresServer.ts'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'
import { comparableLines } from '../harness/withoutTimes.ts'
import { createSimulatedChain, signShape, type SimulatedChain } from '../simulator/simulatedChain.ts'
import { startSimulatorServer, type SimulatorServer } from '../simulator/simulatorServer.ts'

const finality = 12
const waitLimitMs = 120_000
/** The test waits several times, each time long on a slow machine. */
const testLimitMs = 400_000

const cleanups: (() => unknown)[] = []
let folder: string
let chain: SimulatedChain
let endpoint: SimulatorServer
let receiver: Receiver
let onRequest: () => void = () => undefined

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-failover-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  chain = createSimulatedChain({
    seed: 3,
    shape: signShape({ blocks: 30, eventBlocks: 6, attestations: 18 }),
  })
  endpoint = await startSimulatorServer(chain, { logRangeMax: 150, onRequest: () => onRequest() })
  cleanups.push(() => endpoint.close())
  receiver = await startReceiver()
  cleanups.push(() => receiver.close())
  writeFileSync(
    config(),
    `chains:
  - chainId: ${chain.chainId}
    name: Simulated
    rpc: ["${endpoint.url}"]
    contracts: [{ protocol: sign, address: "${chain.contracts.sign}", startBlock: 0 }]
    finality: ${finality}
    pollIntervalMs: 100
hooks: [{ name: all, url: "${receiver.url}", secret: "${testSecret}" }]
server: { explorer: false }
`,
  )
})

afterEach(async () => {
  onRequest = () => undefined
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

test(
  'of two indexers one stands by, and takes over where the other was killed',
  async () => {
    chain.mine(1_000)
    const url = await createDatabase(await startServer())
    const first = start('index', url)
    await first.waitForLine(/reached the head/, waitLimitMs)
    const second = start('index', url)
    await second.waitForLine(/standing by/, waitLimitMs)
    // The chain grows and is reorganised, so that the next indexer must start from an outdated index.
    chain.reorganise(5, 8)
    first.child.kill('SIGKILL')
    chain.mine(40)
    await second.waitForLine(/taking the chain over/, waitLimitMs)
    await second.waitForLine(new RegExp(`reached the head at block ${chain.head()}"`), waitLimitMs)
    await expectWhole(url, second)
  },
  testLimitMs,
)

test(
  'a server that is killed while it is written to and read from loses nothing, and all goes on when it is back',
  async () => {
    chain.mine(6_000)
    const server = await startServer()
    const url = await createDatabase(server)
    const serving = start('serve', url)
    const served = /"url":"([^"]+)"/.exec(await serving.waitForLine(/"serving"/, waitLimitMs))?.[1] ?? ''
    const reader = keepReading(`${served}/scan/attestations?size=1`)
    let killed = afterRequests(60)
    const indexer = start('index', url)
    for (let round = 0; round < 2; round++) {
      await killed
      await server.kill()
      await indexer.waitForLine(/trying again/, waitLimitMs)
      await server.restart()
      killed = afterRequests(40)
    }
    await killed
    await withFullDisk(url, async () => {
      chain.mine(60)
      await indexer.waitForLine(/cannot grow: the disk of its server is full/, waitLimitMs)
      await expect
        .poll(async () => (await readChain(served))?.lastError, { timeout: waitLimitMs })
        .toMatch(/cannot grow: the disk of its server is full$/)
      expect((await fetch(`${served}/healthz`)).status).toBe(200)
      const ready = await fetch(`${served}/readyz`)
      const { data } = (await ready.json()) as { readonly data: { readonly chains: readonly ShownChain[] } }
      expect(ready.status).toBe(data.chains[0]?.reachedHead === true ? 200 : 503)
      expect(data.chains[0]?.lastError).toMatch(/cannot grow: the disk of its server is full$/)
    })
    await untilIndexed(served, chain.head())
    const { statuses, totals } = await reader.stop()
    expect(statuses).toEqual(new Set([200, 503]))
    expect(totals).toEqual(totals.toSorted((a, b) => a - b))
    await expectWhole(url, indexer)
  },
  testLimitMs,
)

/** Lets the server refuse attestations for the time of some work, with the error of a full disk. */
async function withFullDisk(url: string, work: () => Promise<void>): Promise<void> {
  const run = (sql: string) => withTestConnection(url, (connection) => connection.exec(sql))
  await run(
    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE SQLSTATE '53100'; END $$; " +
      'CREATE TRIGGER refuse BEFORE INSERT ON attestation EXECUTE FUNCTION refuse()',
  )
  await work()
  await run('DROP TRIGGER refuse ON attestation; DROP FUNCTION refuse')
}

interface ShownChain {
  readonly indexedBlock: number | null
  readonly lastError: string | null
  readonly reachedHead?: boolean
}

async function readChain(served: string): Promise<ShownChain | undefined> {
  const { data } = (await (await fetch(`${served}/scan/chains`)).json()) as {
    readonly data: { readonly rows?: readonly ShownChain[] }
  }
  return data.rows?.[0]
}

/** Resolves when the index has a checkpoint. */
async function untilIndexed(served: string, block: number): Promise<void> {
  await expect
    .poll(async () => (await readChain(served))?.indexedBlock, { timeout: waitLimitMs, interval: 100 })
    .toBe(block)
}

/** Requests the total repeatedly and records each answer. */
function keepReading(url: string) {
  const statuses = new Set<number>()
  const totals: number[] = []
  let stopped = false
  const done = (async () => {
    while (!stopped) {
      await delay(50)
      const response = await fetch(url)
      statuses.add(response.status)
      const { data } = (await response.json()) as { readonly data: { readonly total?: number } }
      if (data.total !== undefined) totals.push(data.total)
    }
  })()
  // The caller that awaits the promise reports the error.
  done.catch(() => undefined)
  return {
    stop: async () => {
      stopped = true
      await done
      return { statuses, totals }
    },
  }
}

/**
 * Ends the indexer and compares its index, and what the receiver of its hook knows, with an undisturbed SQLite index of
 * the same chain.
 */
async function expectWhole(url: string, indexer: SpawnedAttestry): Promise<void> {
  const records = exportedRecords(await exportOf(url))
  await expect
    .poll(() => followMessages(receiver.messages), { timeout: waitLimitMs, interval: 500 })
    .toEqual(records)
  indexer.child.kill('SIGTERM')
  expect(await indexer.waitForExit(waitLimitMs)).toMatchObject({ code: 0 })
  const undisturbed = `sqlite:${join(folder, 'fresh.db')}`
  // Its index is without hooks.
  writeFileSync(config(), readFileSync(config(), 'utf8').replace(/^hooks:.*$/m, ''))
  const fresh = start('index', undisturbed)
  await fresh.waitForLine(new RegExp(`reached the head at block ${chain.head()}"`), waitLimitMs)
  fresh.child.kill('SIGTERM')
  await fresh.waitForExit(waitLimitMs)
  const [survived, expected] = [await exportOf(url), await exportOf(undisturbed)]
  expect(differingLines(survived, expected)).toEqual([])
  expect(survived.filter((line) => line.startsWith('{"type":"attestation"'))).toHaveLength(
    chain.count('signAttestation'),
  )
}

const config = () => join(folder, 'attestry.yaml')

async function exportOf(database: string): Promise<string[]> {
  const { code, stdout } = await start('export', database).waitForExit(waitLimitMs)
  expect(code).toBe(0)
  return comparableLines(stdout)
}

function start(command: 'index' | 'serve' | 'export', database: string): SpawnedAttestry {
  const spawned = spawnAttestry(command === 'serve' ? [command, '--port', '0'] : [command], {
    cwd: folder,
    environment: { DATABASE_URL: database },
  })
  cleanups.push(() => spawned.child.kill('SIGKILL'))
  return spawned
}

async function startServer(): Promise<PostgresServer> {
  const server = await startPostgresServer()
  cleanups.push(() => server.stop())
  return server
}

function createDatabase(server: PostgresServer): Promise<string> {
  return server.createDatabase('attestry')
}

/** Resolves when the endpoint has received this many further requests. */
function afterRequests(requests: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the indexer asks for nothing')), waitLimitMs)
    let left = requests
    onRequest = () => {
      left--
      if (left > 0) return
      clearTimeout(timer)
      resolve()
    }
  })
}
