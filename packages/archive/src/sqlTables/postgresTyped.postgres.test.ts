import { createPostgresIndex } from '@attestry/test/harness/postgresTestStore.ts'
import { allFields } from '@attestry/test/harness/fieldIndexing.ts'
import { migratePostgres } from '@attestry/store/postgres/migratePostgres.ts'
import { postgresLayout } from '@attestry/store/postgres/migrations.ts'
import { openPostgresReader } from '@attestry/store/postgres/openPostgresReader.ts'
import { openPostgresWriter } from '@attestry/store/postgres/openPostgresWriter.ts'
import { openPostgresTyped } from './postgresTyped.ts'
import { testTypedTables } from './testing/typedTableSuite.ts'

testTypedTables(async () => {
  const { url, remove } = await createPostgresIndex({ rankThreshold: 4 })
  return {
    openWriter: () => openPostgresWriter(url, { fields: allFields }),
    openReader: () => openPostgresReader(url),
    openTyped: () => openPostgresTyped(url),
    upgrade: async () => {
      const steps = [
        ...postgresLayout.steps,
        'ALTER TABLE attestation ALTER COLUMN data_location TYPE varchar',
      ]
      await migratePostgres(url, { layout: { ...postgresLayout, steps } })
    },
    remove,
  }
}, 2)
