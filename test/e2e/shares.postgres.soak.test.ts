import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { exportedRecords } from '@attestry/hooks/testing/followMessages.ts'
import { differingLines } from '../harness/differingLines.ts'
import { withTestConnection } from '../harness/postgresConnection.ts'
import { createPostgresDatabase } from '../harness/postgresDatabase.ts'
import { readOutbox } from '../harness/readOutbox.ts'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'
import { comparableLines } from '../harness/withoutTimes.ts'
import { createSimulatedChain, signShape, type SimulatedChain } from '../simulator/simulatedChain.ts'
import { startSimulatorServer } from '../simulator/simulatorServer.ts'

const waitLimitMs = 120_000
const takeoverLimitMs = 30_000
const chainCount = 4

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

test('two indexers take half of the chains each, and one takes all over within 30 s where the other was killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-shares-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  const chains = await Promise.all(Array.from({ length: chainCount }, (_, index) => startChain(index)))
  const writeConfiguration = (outbox: string) =>
    writeFileSync(
      join(folder, 'attestry.yaml'),
      `chains:\n${chains.map(({ entry }) => entry).join('')}server: { explorer: false }\n${outbox}`,
    )
  writeConfiguration('outbox: {}\n')
  const start = (command: 'index' | 'export', database: string): SpawnedAttestry => {
    const spawned = spawnAttestry([command], { cwd: folder, environment: { DATABASE_URL: database } })
    cleanups.push(() => spawned.child.kill('SIGKILL'))
    return spawned
  }
  const exportOf = async (database: string) => {
    const { code, stdout } = await start('export', database).waitForExit(waitLimitMs)
    expect(code).toBe(0)
    return comparableLines(stdout)
  }
  const database = await createPostgresDatabase()
  cleanups.push(() => database.remove())

  const first = start('index', database.url)
  await expect.poll(() => claimsOf(database.url), { timeout: waitLimitMs }).toEqual([chainCount])
  const second = start('index', database.url)
  await expect.poll(() => claimsOf(database.url), { timeout: waitLimitMs }).toEqual([2, 2])
  for (const { chain } of chains) chain.reorganise(5, 8)
  first.child.kill('SIGKILL')
  const killedMs = performance.now()
  await expect
    .poll(() => claimsOf(database.url), { timeout: waitLimitMs, interval: 100 })
    .toEqual([chainCount])
  expect(performance.now() - killedMs).toBeLessThan(takeoverLimitMs)
  for (const { chain } of chains) chain.mine(40)
  const isAtHead = () =>
    withTestConnection(database.url, (connection) =>
      connection.all<[number]>('SELECT checkpoint_block FROM chain ORDER BY chain_id'),
    )
  await expect
    .poll(isAtHead, { timeout: waitLimitMs, interval: 200 })
    .toEqual(chains.map(({ chain }) => [chain.head()]))
  await expect
    .poll(async () => (await readOutbox(database.url)).known.length, { timeout: waitLimitMs, interval: 500 })
    .toBe(exportedRecords(await exportOf(database.url)).length)
  second.child.kill('SIGTERM')
  expect(await second.waitForExit(waitLimitMs)).toMatchObject({ code: 0 })

  // The outbox went on where the process that was killed had left it.
  const { known, resets } = await readOutbox(database.url)
  expect(known).toEqual(exportedRecords(await exportOf(database.url)))
  expect(resets).toBe(1)
  writeConfiguration('')

  const undisturbed = `sqlite:${join(folder, 'fresh.db')}`
  const fresh = start('index', undisturbed)
  for (const { chain } of chains) {
    const reached = `"chainId":${chain.chainId},"msg":"reached the head at block ${chain.head()}"`
    await fresh.waitForLine(new RegExp(reached), waitLimitMs)
  }
  fresh.child.kill('SIGTERM')
  await fresh.waitForExit(waitLimitMs)
  expect(differingLines(await exportOf(database.url), await exportOf(undisturbed))).toEqual([])
}, 400_000)

async function startChain(
  index: number,
): Promise<{ readonly chain: SimulatedChain; readonly entry: string }> {
  const name = `Simulated ${index}`
  const chain = createSimulatedChain({
    seed: index + 1,
    chainId: 31_337 + index,
    shape: signShape({ blocks: 30, eventBlocks: 6, attestations: 18 }),
  })
  chain.mine(2_000)
  const endpoint = await startSimulatorServer(chain, { logRangeMax: 150 })
  cleanups.push(() => endpoint.close())
  return {
    chain,
    entry:
      `  - chainId: ${chain.chainId}\n    name: ${name}\n    rpc: ["${endpoint.url}"]\n` +
      `    contracts: [{ protocol: sign, address: "${chain.contracts.sign}", startBlock: 0 }]\n` +
      '    finality: 12\n    pollIntervalMs: 50\n',
  }
}

/** How many chains each indexer has claimed, by the locks of its session; those that have none are left out. */
async function claimsOf(url: string): Promise<readonly number[]> {
  const rows = await withTestConnection(url, (connection) =>
    connection.all<[number]>(
      "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted " +
        'AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) GROUP BY pid ORDER BY 1',
    ),
  )
  return rows.map(([count]) => count)
}
