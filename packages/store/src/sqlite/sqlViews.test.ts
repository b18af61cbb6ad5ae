import fc from 'fast-check'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { allFields } from '@attestry/test/harness/fieldIndexing.ts'
import { expectViews } from '../testing/expectViews.ts'
import { histories, playHistory } from '../testing/playHistory.ts'
import { migrateSqlite } from './migrateSqlite.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'
import { encodeText } from './textColumn.ts'

test('each view of a SQLite database tells what the export tells, and has the columns of the docs', async () => {
  const store = createSqliteTestStore({ rankThreshold: 4 })
  const writer = openSqliteWriter(store.path, { fields: allFields })
  await playHistory(writer, fc.sample(histories, { numRuns: 12, seed: 5 }).flat())
  await writer.close()
  const reader = openSqliteReader(store.path)
  const analyst = new DatabaseSync(store.path, { readOnly: true })
  await expectViews(
    reader,
    (view, order) => {
      const statement = analyst.prepare(`SELECT * FROM attestry_${view} ORDER BY ${order}`)
      statement.setReadBigInts(true)
      return Promise.resolve(statement.all())
    },
    (text) => {
      const held = encodeText(text)
      return typeof held === 'string' ? held : `0x${Buffer.from(held).toString('hex')}`
    },
  )
  analyst.close()
  await reader.close()
  await store.remove()
})

test('views that differ are made anew, and other views stay', async () => {
  const store = createSqliteTestStore({ rankThreshold: 4 })
  const list = () => {
    const database = new DatabaseSync(store.path)
    const views = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'view' ORDER BY 1").all()
    database.close()
    return views
  }
  const made = list()
  expect(made.length).toBe(5)
  const other = new DatabaseSync(store.path)
  other.exec(
    'DROP VIEW attestry_chains; CREATE VIEW attestry_chains AS SELECT 1; CREATE VIEW mine AS SELECT 2',
  )
  other.close()
  migrateSqlite(store.path)
  expect(list().filter(({ name }) => name !== 'mine')).toEqual(made)
  expect(list().length).toBe(6)
  await store.remove()
})
