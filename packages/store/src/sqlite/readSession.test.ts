import { closeSync, openSync, writeSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { openConnection, withConnection } from './connection.ts'
import { createReadSession } from './readSession.ts'

test('a read of a damaged page fails without affecting other reads: its snapshot ends, and they go on', async () => {
  const store = createSqliteTestStore({ rankThreshold: 4 })
  try {
    damageTable(store.path, 'schema')
    const connection = openConnection(store.path, { readOnly: true, cacheMib: 1 })
    const session = createReadSession(connection)
    const endOfTurn = () => new Promise((resolve) => setImmediate(resolve))
    session.begin()
    expect(() => connection.statement('SELECT * FROM schema').all()).toThrow('malformed')
    await endOfTurn()
    session.begin()
    expect(connection.statement('SELECT * FROM chain').all()).toEqual([])
    await endOfTurn()
    session.close()
  } finally {
    await store.remove()
  }
})

/** Overwrites the first page of a table. */
function damageTable(path: string, name: string): void {
  const [page = 0, size = 0] = withConnection(path, { readOnly: false, cacheMib: 1 }, (connection) => {
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    return (
      connection
        .statement<[number, number]>(
          'SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE name = ?',
        )
        .get(name) ?? []
    )
  })
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(size, 0x5a), 0, size, (page - 1) * size)
  closeSync(file)
}
