import { existsSync, statSync } from 'node:fs'
import { openSqliteAudit } from '@attestry/store/sqlite/openSqliteAudit.ts'
import { openSqliteRepair } from '@attestry/store/sqlite/openSqliteRepair.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteRestore } from '@attestry/store/sqlite/openSqliteRestore.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { lockDatabase } from './lockDatabase.ts'
import { decodeIndexedPayload } from '@attestry/core/protocols/decodeIndexedPayload.ts'
import type { Projection } from '@attestry/store/port/projection.ts'
import type { Database } from './database.ts'
import { createFieldIndexing, fieldsDefault, readings } from './fieldSetting.ts'

/** The index in the file at `path`. */
export function createSqliteDatabase(path: string, projections: readonly Projection[] = []): Database {
  // Before anything opens the file: opening makes an empty one.
  const isEmpty = statSync(path, { throwIfNoEntry: false })?.size === 0
  return {
    place: path,
    migrate: () =>
      new Promise((resolve) => {
        migrateSqlite(path, { projections })
        resolve(isEmpty ? `the file ${path} was empty: a new index begins in it` : null)
      }),
    checkSessions: () => Promise.resolve([]),
    check: () => Promise.resolve([]),
    lock: () => lockDatabase(path),
    openWriter: ({ fields = fieldsDefault, journal } = {}) =>
      openSqliteWriter(path, { fields: createFieldIndexing(fields), journal, projections }),
    openReader: () => openSqliteReader(path, { decodePayload: decodeIndexedPayload, projections }),
    openOutbox: () => null,
    openRestore: (fields, isAlone = false) =>
      openSqliteRestore(path, { fields: createFieldIndexing(fields), isAlone, projections }),
    openAudit: () => openSqliteAudit(path, { ...readings, projections }),
    openRepair: () => openSqliteRepair(path, { ...readings, projections }),
    exists: () => existsSync(path),
    measureBytes: () => measureFiles(path),
  }
}

/** Bytes of the database and its write-ahead log; null while the file does not exist. */
function measureFiles(path: string): number | null {
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size === undefined) return null
  return size + (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0)
}
