import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { agedRowsMax } from '../layout/journal.ts'
import { generateBlocks, type Step } from '../testing/generatedChain.ts'
import { batchOf, identityOf } from '../testing/storeFactory.ts'
import { openConnection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'

test('the journal keeps a bounded number of rows, one for a batch, and none for a batch without records', async () => {
  const { path, remove } = createSqliteTestStore({ rankThreshold: 4 })
  const journal = { rowsMax: 10_000, ageMaxMs: 600_000 }
  const writer = openSqliteWriter(path, { journal })
  const reader = openSqliteReader(path)
  try {
    await writer.openChain(identityOf(5))
    const blocks = generateBlocks(5, [], attestations(20), 'a')
    await writer.applyBlocks(5, batchOf(blocks))
    const empty = generateBlocks(5, blocks, [], 'a')
    await writer.applyBlocks(5, batchOf(empty))
    await nextTurn()
    const connection = openConnection(path, { readOnly: false, cacheMib: 1 })
    const count = () => connection.statement<[number]>('SELECT count(*) FROM change').get()?.[0]
    expect(count()).toBe(2)
    connection.exec(
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10500) ' +
        'INSERT INTO change (sequence, written_at, chain_id, body_json) ' +
        `SELECT (SELECT max(sequence) FROM change) + i, ${sqliteDialect.nowMs}, 5, '[]' FROM n`,
    )
    const grown = generateBlocks(5, [...blocks, ...empty], attestations(3), 'b')
    await writer.applyBlocks(5, batchOf(grown))
    await nextTurn()
    expect(count()).toBe(10_000)
    // A transaction deletes some of the rows that are too old, and never the newest.
    connection.exec('UPDATE change SET written_at = written_at - 600000 - 1')
    await writer.applyBlocks(
      5,
      batchOf(generateBlocks(5, [...blocks, ...empty, ...grown], attestations(1), 'c')),
    )
    expect(count()).toBe(10_000 - agedRowsMax)
    connection.close()
    expect((await reader.newestChange()).sequence).toBeGreaterThan(1.7e12)
  } finally {
    await reader.close()
    await writer.close()
    await remove()
  }
})

/** Attestations, one a block. */
function attestations(length: number): Step[] {
  return Array.from({ length }, (_, what) => ({ kind: 19, gap: 1, who: what % 4, whom: 1, what, text: 3 }))
}
