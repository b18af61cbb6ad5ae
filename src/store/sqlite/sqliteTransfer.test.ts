import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { StoreNotEmptyError } from '../../errors/storeErrors.ts'
import { describeIndexTransfer } from '../indexTransferContract.ts'
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
