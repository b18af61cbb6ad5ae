import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { systemClock } from '@attestry/core/model/clock.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { createSimulatedChain, signShape } from '../simulator/simulatedChain.ts'
import { startSimulatorServer } from '../simulator/simulatorServer.ts'
import { indexChainWith } from '../verify/verifiedIndex.ts'
import { projections } from '../harness/projections.ts'

/**
 * Measured: the ranges in flight when the second commit begins make 14 more requests. The ranges of the next commit,
 * which may be in flight beside it, bring them to 129.
 */
const requestsMeanwhile = 60

test('the next blocks are fetched while a database that is another process commits', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-meanwhile-'))
  const chain = createSimulatedChain({
    seed: 5,
    shape: signShape({ blocks: 30, eventBlocks: 6, attestations: 18 }),
  })
  chain.mine(20_000)
  let requests = 0
  let onRequest: () => void = () => undefined
  const server = await startSimulatorServer(chain, {
    logRangeMax: 100,
    onRequest: () => {
      requests += 1
      onRequest()
    },
  })
  try {
    const path = join(folder, 'index.db')
    migrateSqlite(path, { projections })
    const writer = openSqliteWriter(path, { projections })
    const startMs = systemClock.nowMs()
    let commits = 0
    let held: Promise<void> | null = null
    await indexChainWith(
      {
        ...writer,
        applyBlocks: async (chainId, batch) => {
          commits += 1
          // Only requests release the second commit and the later ones.
          if (commits === 2) {
            const releaseAt = requests + requestsMeanwhile
            held = new Promise((resolve) => {
              onRequest = () => {
                if (requests >= releaseAt) resolve()
              }
            })
          }
          await held
          return await writer.applyBlocks(chainId, batch)
        },
      },
      { chain, server },
      // Its time stands still: only the number of events makes a commit due, however long they take.
      { ...systemClock, nowMs: () => startMs },
    )
    expect(commits).toBeGreaterThan(2)
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
