import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeIndexedPayload } from '@attestry/core/protocols/decodeIndexedPayload.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteAudit } from '@attestry/store/sqlite/openSqliteAudit.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteRestore } from '@attestry/store/sqlite/openSqliteRestore.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { describeChunkExchange } from './testing/exchangeContract.ts'

describeChunkExchange('chunks from SQLite into SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-chunks-'))
  const path = join(folder, 'index.db')
  const options = { rankThreshold: 4 }
  return Promise.resolve({
    openWriter: () => {
      migrateSqlite(path, options)
      return openSqliteWriter(path)
    },
    openReader: () => {
      migrateSqlite(path, options)
      return openSqliteReader(path)
    },
    openRestore: () => openSqliteRestore(path, { ...options, isAlone: true }),
    openAudit: () => openSqliteAudit(path, { decodePayload: decodeIndexedPayload }),
    remove: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  })
})
