import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { attesters, readDictionary } from '../reading/dictionaryGroups.ts'
import { openConnection } from './connection.ts'
import { migrateSqlite } from './migrateSqlite.ts'
import { createReadSession } from './readSession.ts'

test('the first groups of a dictionary are the same in steps of any length, and at any depth', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-dictionary-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path)
  const filling = openConnection(path, { readOnly: false, cacheMib: 8 })
  // Addresses in no order, many with the same count and some with none.
  filling
    .statement(
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) ' +
        "INSERT INTO address SELECT i, unhex(format('%040x', i * 7919 % 10007)), 0, i * 31 % 8, 0, 0 FROM n",
    )
    .run()
  filling.close()
  const connection = openConnection(path, { readOnly: true, cacheMib: 8 })
  const session = createReadSession(connection, 'whole')
  session.begin()
  const whole = await readDictionary(session, attesters, 1_000, { rowsMax: 1_000, pace: null })
  expect(whole?.top).toHaveLength(whole?.groups ?? 0)
  expect(whole?.groups).toBe(438)
  // Nothing but the group is remembered of it.
  expect(whole?.top[0]).toEqual({ key: expect.any(String) as string, count: 7 })
  for (const depth of [1, 3, 50, 1_000]) {
    for (const step of [1, 4, 1_000]) {
      const pace = { isShared: true, next: () => Promise.resolve(step), goOn: () => undefined }
      const found = await readDictionary(session, attesters, depth, { rowsMax: 1_000, pace })
      expect(found).toEqual({ groups: 438, top: whole?.top.slice(0, depth) })
    }
  }
  session.close()
  rmSync(folder, { recursive: true, force: true })
})
