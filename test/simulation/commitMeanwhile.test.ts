import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqliteWriter } from '../../src/store/sqlite/openSqliteWriter.ts'
import { migrateSqlite } from '../../src/store/sqlite/migrateSqlite.ts'
import { createSimulatedChain, signShape } from '../simulator/simulatedChain.ts'
import { startSimulatorServer } from '../simulator/simulatorServer.ts'
import { indexChainWith } from '../verify/verifiedIndex.ts'

/** More than the ranges that are under way when a commit begins can ask for, and less than the events of one more commit take. */
const requestsMeanwhile = 25

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
    migrateSqlite(path)
    const writer = openSqliteWriter(path)
    let commits = 0
    await indexChainWith(
      {
        ...writer,
        applyBlocks: async (chainId, batch) => {
          commits += 1
          const from = requests
          // Only what is fetched meanwhile lets the first commit end.
          if (commits === 1) {
            await new Promise<void>((resolve) => {
              onRequest = () => {
                if (requests >= from + requestsMeanwhile) resolve()
              }
            })
          }
          return await writer.applyBlocks(chainId, batch)
        },
      },
      { chain, server },
    )
    expect(commits).toBeGreaterThan(1)
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
