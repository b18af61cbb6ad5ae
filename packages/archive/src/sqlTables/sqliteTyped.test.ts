import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { allFields } from '@attestry/test/harness/fieldIndexing.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { sqliteLayout } from '@attestry/store/sqlite/migrations.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { openSqliteTyped } from './sqliteTyped.ts'
import { testTypedTables } from './testing/typedTableSuite.ts'

testTypedTables(async () => {
  const { path, remove } = createSqliteTestStore({ rankThreshold: 4 })
  return {
    openWriter: () => openSqliteWriter(path, { fields: allFields }),
    openReader: () => openSqliteReader(path),
    openTyped: async () => openSqliteTyped(path),
    upgrade: async () => {
      const steps = [...sqliteLayout.steps, 'ALTER TABLE attestation ADD COLUMN later text']
      migrateSqlite(path, { layout: { ...sqliteLayout, steps } })
    },
    remove,
  }
}, 5)
