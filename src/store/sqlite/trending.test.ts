import fc from 'fast-check'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unixMilliseconds } from '../../model/time.ts'
import type { IndexReader } from '../indexReader.ts'
import { generateBlocks, steps } from '../testing/generatedChain.ts'
import { batchOf, identityOf } from '../testing/storeFactory.ts'
import { migrateSqlite } from './migrateSqlite.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'

const chainId = 5
const trendingOf = async (reader: IndexReader) =>
  (await reader.listTrendingSchemas(10)).map(({ key, attestationCount }) => ({ key, attestationCount }))

test('a reader that keeps hours lists what one that reads them afresh lists, after every batch and revert', async () => {
  await fc.assert(
    fc.asyncProperty(steps(60), fc.integer({ min: 1, max: 8 }), fc.nat(20), async (life, cut, revert) => {
      const folder = mkdtempSync(join(tmpdir(), 'attestry-trending-'))
      const path = join(folder, 'index.db')
      migrateSqlite(path)
      const writer = openSqliteWriter(path)
      const keeping = openSqliteReader(path)
      const expectSame = async () => {
        const fresh = openSqliteReader(path)
        expect(await trendingOf(keeping)).toEqual(await trendingOf(fresh))
        await fresh.close()
        // Reads of one turn of the event loop see one state.
        await new Promise((resolve) => setImmediate(resolve))
      }
      const blocks = generateBlocks(chainId, [], life, 'a')
      await writer.openChain(identityOf(chainId))
      for (let from = 0; from < blocks.length; from += cut) {
        await writer.applyBlocks(chainId, batchOf(blocks.slice(from, from + cut)))
        await expectSame()
      }
      const last = blocks.at(-1)?.number ?? -1
      await writer.revertBlocks(chainId, Math.max(-1, last - revert), unixMilliseconds(2_000_000_000_000))
      await expectSame()
      await keeping.close()
      await writer.close()
      rmSync(folder, { recursive: true, force: true })
    }),
    { numRuns: 12, verbose: 1 },
  )
})
