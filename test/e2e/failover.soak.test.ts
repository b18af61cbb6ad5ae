import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPostgresDatabase } from '../harness/postgresDatabase.ts'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'
import { createSimulatedChain, signShape } from '../simulator/simulatedChain.ts'
import { startSimulatorServer } from '../simulator/simulatorServer.ts'

/** How often the active indexer is killed. */
const kills = Number(process.env.FAILOVER_KILLS ?? 20)
const waitLimitMs = 120_000
/** The longest takeover that this test accepts on an idle machine. */
const takeoverLimitMs = 10_000

test(`a standby takes over within ten seconds of a kill, ${kills} times in a row`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-takeover-'))
  const database = await createPostgresDatabase()
  const chain = createSimulatedChain({
    seed: 3,
    shape: signShape({ blocks: 30, eventBlocks: 6, attestations: 18 }),
  })
  chain.mine(500)
  const endpoint = await startSimulatorServer(chain, { logRangeMax: 150 })
  writeFileSync(
    join(folder, 'attestry.yaml'),
    `chains:
  - chainId: ${chain.chainId}
    rpc: ["${endpoint.url}"]
    contracts: [{ protocol: sign, address: "${chain.contracts.sign}", startBlock: 0 }]
    finality: 12
    pollIntervalMs: 50
`,
  )
  const running: SpawnedAttestry[] = []
  const start = () => {
    const spawned = spawnAttestry(['index'], { cwd: folder, environment: { DATABASE_URL: database.url } })
    running.push(spawned)
    return spawned
  }
  const tookMs: number[] = []
  try {
    let active = start()
    await active.waitForLine(/reached the head/, waitLimitMs)
    for (let kill = 0; kill < kills; kill++) {
      const next = start()
      await next.waitForLine(/standing by/, waitLimitMs)
      active.child.kill('SIGKILL')
      const killedMs = performance.now()
      await next.waitForLine(/taking the chain over/, waitLimitMs)
      tookMs.push(Math.round(performance.now() - killedMs))
      chain.mine(3)
      await next.waitForLine(/reached the head/, waitLimitMs)
      active = next
    }
    process.stdout.write(`took over after ${tookMs.join(', ')} ms\n`)
    expect(Math.max(...tookMs)).toBeLessThan(takeoverLimitMs)
  } finally {
    for (const { child } of running) child.kill('SIGKILL')
    await endpoint.close()
    await database.remove()
    rmSync(folder, { recursive: true, force: true })
  }
})
