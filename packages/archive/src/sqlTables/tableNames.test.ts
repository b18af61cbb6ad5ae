import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { MistakeFound } from '@attestry/host/config/mistakes.ts'
import { sqlTablesWing } from './sqlTablesWing.ts'
import { openSqliteTyped } from './sqliteTyped.ts'
import { assertNamesFree } from './tableNames.ts'
import { makeNotes } from './typedTable.ts'

const schema = 'onchain_evm_10_0x1a'

function resolve(...tables: readonly { readonly schema: string; readonly name: string }[]) {
  try {
    return sqlTablesWing.resolve?.({ file: { sql: { tables: [...tables] } } } as never)
  } catch (error) {
    if (error instanceof MistakeFound) return error.mistakes.map(({ path, text }) => [path.join('.'), text])
    throw error
  }
}

test('a table of the configuration has the id of a schema, and a name of its own', () => {
  expect(resolve({ schema, name: 'kyc' }, { schema: 'onchain_evm_10_0x1B', name: 'kyc_2' })).toMatchObject([
    { name: 'kyc', schemaId: schema, key: { chainId: 10, localId: '0x1a' } },
    { name: 'kyc_2', schemaId: 'onchain_evm_10_0x1b' },
  ])
  expect(
    resolve(
      { schema: '0x1a', name: 'kyc' },
      { schema, name: 'KYC' },
      { schema, name: 'attestations' },
      { schema, name: 'typed_kyc' },
      { schema, name: 'kyc_recipients' },
      { schema, name: 'kyc' },
    ),
  ).toEqual([
    ['sql.tables.0.schema', expect.stringContaining('must be the id of a schema')],
    ['sql.tables.1.name', expect.stringContaining('must be lower-case letters')],
    ['sql.tables.2.name', expect.stringContaining('that Attestry does not use itself')],
    ['sql.tables.3.name', expect.stringContaining('that Attestry does not use itself')],
    ['sql.tables.4.name', expect.stringContaining('must differ from the names of other tables')],
    ['sql.tables.5.name', expect.stringContaining('must differ from the names of other tables')],
  ])
})

test('a name that the database has already is refused, but not that of a typed table', async () => {
  const { path, remove } = createSqliteTestStore({ rankThreshold: 4 })
  const names = (...all: readonly string[]) =>
    assertNamesFree(
      { kind: 'sqlite', path },
      all.map((name) => ({ name })),
    )
  const database = new DatabaseSync(path)
  database.exec('CREATE VIEW mine AS SELECT 1; CREATE VIEW own_recipients AS SELECT 1')
  await names('kyc')
  await expect(names('kyc', 'mine')).rejects.toThrow(
    'sql.tables would make a view mine, but the database has another table or view of this name; choose another name',
  )
  await expect(names('own')).rejects.toThrow('would make a view own_recipients')
  const typed = openSqliteTyped(path)
  await makeNotes(typed)
  await typed.close()
  database.exec(
    "INSERT INTO sql_view VALUES ('own', 'own', 'x', 'x', 'x'), ('own_recipients', 'own', 'x', 'x', 'x')",
  )
  await names('own')
  database.close()
  await remove()
})
