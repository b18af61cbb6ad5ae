import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { StoreNotEmptyError } from '@attestry/core/errors/storeErrors.ts'
import { describeIndexTransfer } from '../testing/indexTransferContract.ts'
import { migrateSqlite } from './migrateSqlite.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { openSqliteRestore } from './openSqliteRestore.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'

describeIndexTransfer('the SQLite store', ({ rankThreshold }) => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-transfer-'))
  const path = join(folder, 'index.db')
  return Promise.resolve({
    openWriter: () => {
      migrateSqlite(path, { rankThreshold })
      return openSqliteWriter(path)
    },
    openReader: () => openSqliteReader(path),
    openRestore: () => openSqliteRestore(path, { rankThreshold }),
    remove: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  })
})

test('a database that another connection has open is not replaced, and nothing is left beside it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-transfer-'))
  const path = join(folder, 'index.db')
  try {
    migrateSqlite(path)
    const reader = openSqliteReader(path)
    expect(await reader.listChains()).toEqual([])
    expect(() => openSqliteRestore(path)).toThrow(StoreNotEmptyError)
    await reader.close()
    const restore = openSqliteRestore(path)
    await restore.abandon()
    expect(readdirSync(folder).filter((name) => name.includes('import'))).toEqual([])
    expect(existsSync(path)).toBe(true)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('what an import that was killed left beside the database is gone with the next one, and nothing else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-transfer-'))
  try {
    const others = ['index.db.12.important', 'index.dbs.1.import', 'other.db.1.import']
    for (const name of [...others, 'index.db.1.import', 'index.db.1.import-journal']) {
      writeFileSync(join(folder, name), 'x')
    }
    await openSqliteRestore(join(folder, 'index.db')).abandon()
    expect(readdirSync(folder).sort()).toEqual(others)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
