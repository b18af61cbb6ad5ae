import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { startWriterThread } from '../src/cli/writer/connectWriter.ts'
import type { IndexWriter } from '../src/store/indexWriter.ts'
import { migratePostgres } from '../src/store/postgres/migratePostgres.ts'
import { migrateSqlite } from '../src/store/sqlite/migrateSqlite.ts'
import { startPostgresServer } from '../test/harness/postgresServer.ts'

/** The settings that `docs/operating.md` recommends, with a quarter of the memory for shared buffers. */
export const postgresSettings = {
  shared_buffers: `${Math.floor(totalmem() / 4 / 2 ** 20)}MB`,
  max_wal_size: '8GB',
  checkpoint_timeout: '15min',
}

export type BenchStoreKind = 'sqlite' | 'postgres'

/** An empty store with durable commits. A thread writes to it, as in the program. */
export interface BenchStore {
  readonly writer: IndexWriter
  remove(): Promise<void>
}

export function openBenchStore(kind: BenchStoreKind): Promise<BenchStore> {
  return kind === 'sqlite' ? openSqliteStore() : openPostgresStore()
}

async function openSqliteStore(): Promise<BenchStore> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-bench-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path)
  const { writer } = await startWriterThread({ kind: 'sqlite', path })
  return {
    writer,
    remove: async () => {
      await writer.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function openPostgresStore(): Promise<BenchStore> {
  const server = await startPostgresServer({ durable: true, settings: postgresSettings })
  const url = await server.createDatabase('bench')
  await migratePostgres(url)
  const { writer } = await startWriterThread({ kind: 'postgres', url, replicas: [] })
  return {
    writer,
    remove: async () => {
      await writer.close()
      await server.stop()
    },
  }
}
