import { expect, test } from 'vitest'
import { withTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { createPostgresDatabase } from '@attestry/test/harness/postgresDatabase.ts'
import { parseColumnSpec, type ColumnSpec, type TableSpec } from '../layout/tables.ts'
import { migratePostgres } from './migratePostgres.ts'
import { sqlTypes, storedTables } from './storedTables.ts'

function sqlType(spec: ColumnSpec): string {
  const { type, isNullable } = parseColumnSpec(spec)
  return `${sqlTypes[type]}${isNullable ? ' null' : ''}`
}

test('a migrated database has the tables of the catalogue', async () => {
  const database = await createPostgresDatabase()
  try {
    await migratePostgres(database.url)
    const found = await withTestConnection(database.url, async (connection) => ({
      columns: await connection.all<[table: string, column: string, type: string]>(
        "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN '' ELSE ' null' END " +
          "FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = 'public'::regnamespace " +
          "AND c.relkind = 'r' AND c.relname <> 'attestry_layout' AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''",
      ),
      keys: await connection.all<[table: string, column: string]>(
        'SELECT c.relname, a.attname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid ' +
          'CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (number, at) ' +
          'JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number ' +
          "WHERE i.indisprimary AND c.relnamespace = 'public'::regnamespace ORDER BY c.relname, k.at",
      ),
    }))
    const tableNames = [...new Set(found.columns.map(([table]) => table))]
    const described = tableNames.map((name) => [
      name,
      {
        key: found.keys.filter(([table]) => table === name).map(([, column]) => column),
        columns: Object.fromEntries(
          found.columns.filter(([table]) => table === name).map(([, column, type]) => [column, type]),
        ),
      },
    ])
    const expected = Object.entries(storedTables).map(([table, { key, columns }]: [string, TableSpec]) => [
      table,
      {
        key,
        columns: Object.fromEntries(Object.entries(columns).map(([name, spec]) => [name, sqlType(spec)])),
      },
    ])
    expect(Object.fromEntries(described)).toEqual(Object.fromEntries(expected))
  } finally {
    await database.remove()
  }
})
