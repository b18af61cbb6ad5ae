import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { stepsFrom } from '../layout/layoutSteps.ts'
import { parseColumnSpec, type ColumnSpec, type ColumnType, type TableSpec } from '../layout/tables.ts'
import { sqliteLayout } from './migrations.ts'
import { storedTables } from './storedTables.ts'

const sqlTypes: Readonly<Record<ColumnType, string>> = {
  int32: 'INTEGER',
  int53: 'INTEGER',
  int64: 'INTEGER',
  boolean: 'INTEGER',
  bytes: 'BLOB',
  text: 'TEXT',
  key: 'TEXT',
  chainText: 'ANY',
  int53List: 'TEXT null',
}

function sqlType(spec: ColumnSpec): string {
  const { type, isNullable } = parseColumnSpec(spec)
  return `${sqlTypes[type]}${isNullable ? ' null' : ''}`
}

test('a migrated database has the tables of the catalogue', () => {
  const database = new DatabaseSync(':memory:', { defensive: false })
  for (const step of stepsFrom(sqliteLayout, 0)) database.exec(step)
  const found = database
    .prepare(
      'SELECT s.name AS "table", c.name, c.type, c."notnull" AS isRequired, c.pk FROM sqlite_schema s, ' +
        "pragma_table_info(s.name) c WHERE s.type = 'table' AND s.name NOT GLOB 'schema_text*'",
    )
    .all()
  database.close()
  const byTable = Object.groupBy(found, (column) => String(column['table']))
  const described = Object.entries(byTable).map(([table, columns = []]) => [
    table,
    {
      key: columns
        .filter(({ pk }) => Number(pk) > 0)
        .toSorted((a, b) => Number(a['pk']) - Number(b['pk']))
        .map(({ name }) => name),
      columns: Object.fromEntries(
        columns.map(({ name, type, isRequired, pk }) => [
          name,
          // A column of the primary key is never NULL, whether it says so or not.
          `${String(type)}${Number(isRequired) + Number(pk) > 0 ? '' : ' null'}`,
        ]),
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
})
