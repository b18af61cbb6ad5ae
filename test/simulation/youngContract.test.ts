import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migrateSqlite } from '../../src/store/sqlite/migrateSqlite.ts'
import { createRandom } from '../simulator/random.ts'
import { createSimulatedChain } from '../simulator/simulatedChain.ts'
import { createSimulatedEndpoint, plainCharacter } from '../simulator/simulatedEndpoint.ts'
import { createVirtualClock } from '../simulator/virtualClock.ts'
import { compareExport } from './compareExport.ts'
import { expectedIndex } from './expectedIndex.ts'
import { readExport } from './readExport.ts'
import { startSimulatedProcess } from './simulatedProcess.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-young-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('a contract younger than finality is indexed again from its first block when a reorganisation goes below it', async () => {
  const clock = createVirtualClock(1_750_000_000_000)
  const chain = createSimulatedChain({ seed: 5, blocks: 47, nowMs: clock.nowMs })
  const character = { ...plainCharacter, chainId: chain.chainId }
  const endpoints = new Map([
    ['e0.example', createSimulatedEndpoint(chain, () => character, createRandom(1))],
  ])
  const path = join(folder, 'index.db')
  migrateSqlite(path)
  const contracts = { name: 'Young', sign: 32, eas: null, transactionSenders: false }
  const process = startSimulatedProcess(
    path,
    {
      contracts,
      finality: 40,
      pollIntervalMs: 1_000,
      hosts: [...endpoints.keys()],
      logRangeInitialBlocks: 100,
      batchSizeMax: 100,
      readsPerCallMax: 100,
      concurrencyPerEndpoint: 4,
    },
    { chain, endpoints, clock, seed: 1, folder },
    null,
  )
  const reachesHead = () =>
    clock.runUntil(() => process.hasEnded() || process.indexer.status().indexedBlock === chain.head())

  await reachesHead()
  chain.reorganise(20, 21)
  await reachesHead()
  expect(process.indexer.status()).toMatchObject({ indexedBlock: 48, lastError: null })
  let stopped = false
  void process.stop().then(() => {
    stopped = true
  })
  await clock.runUntil(() => stopped)
  expect(compareExport(await readExport(path), expectedIndex(chain, contracts))).toEqual([])
})
