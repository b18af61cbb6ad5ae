import { projections } from '@attestry/test/harness/projections.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { fieldsDefault, type FieldSetting } from '@attestry/host/fieldSetting.ts'
import { startWriterThread } from '@attestry/attestry/writer/connectWriter.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { migratePostgres } from '@attestry/store/postgres/migratePostgres.ts'
import { openConnection } from '@attestry/store/sqlite/connection.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { withTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { startPostgresServer } from '@attestry/test/harness/postgresServer.ts'

/** The settings that `docs/grow.md` recommends, with a quarter of the memory for shared buffers. */
export const postgresSettings = {
  shared_buffers: `${Math.floor(totalmem() / 4 / 2 ** 20)}MB`,
  max_wal_size: '8GB',
  checkpoint_timeout: '15min',
}

export type BenchStoreKind = 'sqlite' | 'postgres'

/** An empty store with durable commits. A thread writes to it, as in the program. */
export interface BenchStore {
  readonly writer: IndexWriter
  /** The size of the database, without a write-ahead log. */
  measureBytes(): Promise<number>
  remove(): Promise<void>
}

/** `fields`: the schemas whose decoded fields are indexed. */
export function openBenchStore(
  kind: BenchStoreKind,
  fields: FieldSetting = fieldsDefault,
): Promise<BenchStore> {
  return kind === 'sqlite' ? openSqliteStore(fields) : openPostgresStore(fields)
}

async function openSqliteStore(fields: FieldSetting): Promise<BenchStore> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-bench-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path, { projections })
  const { writer } = await startWriterThread({ database: { kind: 'sqlite', path }, fields })
  return {
    writer,
    measureBytes: async () => {
      const connection = openConnection(path, { readOnly: true, cacheMib: 1 })
      const row = await connection.get<[number]>(
        'SELECT c.page_count * s.page_size FROM pragma_page_count() c, pragma_page_size() s',
      )
      connection.close()
      return row?.[0] ?? 0
    },
    remove: async () => {
      await writer.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function openPostgresStore(fields: FieldSetting): Promise<BenchStore> {
  const server = await startPostgresServer({ durable: true, settings: postgresSettings })
  const url = await server.createDatabase('bench')
  await migratePostgres(url, { projections })
  const { writer } = await startWriterThread({ database: { kind: 'postgres', url }, fields })
  return {
    writer,
    measureBytes: () =>
      withTestConnection(url, async (connection) => {
        const row = await connection.get<[number]>('SELECT pg_database_size(current_database())')
        return row?.[0] ?? 0
      }),
    remove: async () => {
      await writer.close()
      await server.stop()
    },
  }
}
