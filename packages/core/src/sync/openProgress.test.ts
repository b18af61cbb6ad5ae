import { expect, onTestFinished, test } from 'vitest'
import {
  numberedContract,
  numberedDeployment,
  silentDeployment,
} from '@attestry/test/harness/numberedRecords.ts'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { blockNumbers } from '../model/chainState.ts'
import { systemClock } from '../model/clock.ts'
import { parseAddress, type Address } from '../model/hex.ts'
import { unixMilliseconds } from '../model/time.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import type { IndexedDeployment } from './fetchEvents.ts'
import { openProgress } from './openProgress.ts'
import { createNumberedChain } from './testing/numberedChain.ts'

const chainId = 1
const unannounced = [] as const
const address = parseAddress(`0x${'c1'.repeat(20)}`) as Address

const first = numberedDeployment(7)
/** Another contract, with a registry beside it. */
function secondAt(startBlock: number, { deployment, adapter } = first): IndexedDeployment {
  return { deployment: { ...deployment, startBlock, address, portalRegistry: numberedContract }, adapter }
}

function createIndex() {
  const store = createSqliteTestStore({ rankThreshold: 100 })
  const writer = openSqliteWriter(store.path)
  onTestFinished(async () => {
    await writer.close()
    await store.remove()
  })
  const { client, headerOf } = createNumberedChain()
  const chain = { chainId, name: 'One', finality: 9, pollIntervalMs: 1, transactionSenders: true }
  const logged: string[] = []
  const log = (level: string, message: string) => void logged.push(`${level}: ${message}`)
  return {
    writer,
    logged,
    open: (...deployments: IndexedDeployment[]) => {
      const parts = { chain, deployments, client, writer, log }
      return openProgress(parts, { clock: systemClock, unannounced }, new AbortController().signal)
    },
    /** Indexes the blocks from 7 to 20, and remembers those from 13 on. */
    indexTo20: () =>
      writer.applyBlocks(chainId, {
        fromBlock: 7,
        checkpoint: { blockNumber: 20, timestamp: null },
        events: [],
        recentBlocks: blockNumbers(13, 20).map(headerOf),
        forgetBlocksBelow: 0,
        storedAt: unixMilliseconds(0),
      }),
  }
}

test('an empty index stands before the first block of the earliest of its contracts', async () => {
  const { open, writer } = createIndex()
  const { indexed } = await open(secondAt(11), first)
  expect(indexed).toEqual({ startBlock: 7, blockNumber: 6, recentBlocks: [] })
  const contracts = (await writer.listContracts(chainId)).map((contract) => ({ chainId, ...contract }))
  expect(contracts).toHaveLength(2)
  expect(contracts).toEqual(expect.arrayContaining([first.deployment, secondAt(11).deployment]))
})

test('an index continues from its checkpoint, and reverts blocks once that were not indexed for all contracts', async () => {
  const { open, indexTo20, logged } = createIndex()
  await open(first)
  await indexTo20()
  const stateWith = async (...deployments: IndexedDeployment[]) => {
    const { startBlock, blockNumber, recentBlocks } = (await open(...deployments)).indexed
    return [startBlock, blockNumber, recentBlocks.map(({ number }) => number)]
  }
  expect(await stateWith(first)).toEqual([7, 20, blockNumbers(13, 20)])
  expect(logged).toEqual([])
  expect(await stateWith(first, secondAt(15))).toEqual([7, 14, [13, 14]])
  expect(logged).toEqual([expect.stringMatching(/^warn: the contracts .* indexing again from block 15$/)])
  expect(await stateWith(first, secondAt(15))).toEqual([7, 14, [13, 14]])
  expect(logged).toHaveLength(1)
})

test('the source reads as the chain is configured, and knows the contracts that may be silent', async () => {
  const { source } = await createIndex().open(first, secondAt(11, silentDeployment(0)))
  expect(source).toMatchObject({ transactionSenders: true, finality: 9 })
  expect(source.unannounced).toBe(unannounced)
  expect(source.silent).toMatchObject([{ deployment: { startBlock: 11 } }])
})
