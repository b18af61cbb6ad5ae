import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projections } from '@attestry/test/harness/projections.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import type { ApiTestStore } from './apiTestStore.ts'

export function createSqliteTestStore(): Promise<ApiTestStore> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-api-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path, { projections })
  return Promise.resolve({
    openWriter: () => openSqliteWriter(path, { projections }),
    openReader: (limits) =>
      openSqliteReader(path, { ...limits, decodePayload: decodeAttestedPayload, projections }),
    remove: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  })
}
