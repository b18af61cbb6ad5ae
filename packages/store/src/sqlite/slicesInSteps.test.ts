import { expect, test } from 'vitest'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { everyAttestation } from '@attestry/core/index/indexQueries.ts'
import { generateBlocks } from '../testing/generatedChain.ts'
import { longLife } from '../testing/longLife.ts'
import { batchOf, identityOf } from '../testing/storeFactory.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'

test('other reads go on while a slice passes over many rows in vain', async () => {
  const store = createSqliteTestStore({ rankThreshold: 1_000 })
  const writer = openSqliteWriter(store.path)
  await writer.openChain(identityOf(5))
  await writer.applyBlocks(5, batchOf(generateBlocks(5, [], longLife, 'a')))
  const reader = openSqliteReader(store.path)
  let turns = 0
  setImmediate(() => (turns += 1))
  const found = await reader.sliceAttestations(
    {
      filter: { ...everyAttestation, dataLocation: 'ARWEAVE' },
      order: 'newestFirst',
      after: null,
      limit: 10,
    },
    { detail: false, schema: false },
  )
  expect(turns).toBe(1)
  expect(found).toEqual({ rows: [], hasMore: false, scannedTo: null })
  await reader.close()
  await writer.close()
  await store.remove()
})
