import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, test } from 'vitest'
import { createSqliteTestStore } from '../../../test/harness/sqliteTestStore.ts'
import { unixMilliseconds } from '../../model/time.ts'
import type { ChainDigest } from '../storedRecords.ts'
import { manyAnchors } from '../testing/generatedChain.ts'
import { batchOf, identityOf } from '../testing/storeFactory.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'

const store = createSqliteTestStore({ rankThreshold: 1_000 })
afterEach(() => store.remove())

test('a digest is made of stored events in steps, between which blocks come and go', async () => {
  const blocks = manyAnchors(1_200)
  const writer = openSqliteWriter(store.path)
  await writer.openChain(identityOf(5))
  await writer.applyBlocks(5, batchOf(blocks.slice(0, 1_100)))
  const wanted = await digestsAt([150, 1_099])
  forgetDigests()
  expect(await digestsAt([150, 1_099])).toEqual([null, null])

  expect(await writer.advanceDigest(5)).toBe(false)
  const [early, late] = await digestsAt([150, 1_099])
  expect(early).toEqual(wanted[0])
  expect(late).toBeNull()
  await writer.applyBlocks(5, batchOf(blocks.slice(1_100)))
  await writer.revertBlocks(5, 1_099, unixMilliseconds(1))
  expect(await writer.advanceDigest(5)).toBe(false)
  // Below what the digest has reached.
  await writer.revertBlocks(5, 149, unixMilliseconds(1))
  await writer.applyBlocks(5, batchOf(blocks.slice(150, 1_100)))
  while (!(await writer.advanceDigest(5)));
  expect(await digestsAt([150, 1_099])).toEqual(wanted)
  expect(await writer.advanceDigest(5)).toBe(true)
  await writer.close()
})

/** As a layout step leaves a database whose digests are to be made. */
function forgetDigests(): void {
  const database = new DatabaseSync(store.path)
  database.exec('UPDATE chain SET digest_block = NULL, digest_events = NULL, digest = NULL')
  database.exec('DELETE FROM chain_digest')
  database.close()
}

async function digestsAt(blocks: readonly number[]): Promise<(ChainDigest | null)[]> {
  const reader = openSqliteReader(store.path)
  const found: (ChainDigest | null)[] = []
  for (const block of blocks) found.push((await reader.findDigest(5, block))?.asked ?? null)
  await reader.close()
  return found
}
