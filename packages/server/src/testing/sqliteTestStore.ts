import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import type { ApiTestStore } from './apiTestStore.ts'

export function createSqliteTestStore(): Promise<ApiTestStore> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-api-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path)
  return Promise.resolve({
    openWriter: () => openSqliteWriter(path),
    openReader: (limits) => openSqliteReader(path, { ...limits, decodePayload: decodeAttestedPayload }),
    remove: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  })
}
