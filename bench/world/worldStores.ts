import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { startPostgresServer } from '@attestry/test/harness/postgresServer.ts'
import { treeCpuSeconds } from '../anonymousMemory.ts'
import { postgresSettings, type BenchStoreKind } from '../benchStore.ts'
import { openBenchDatabase } from '../openBenchDatabase.ts'

/** The databases of one store, in a folder that a later run reuses. */
export interface WorldStore {
  readonly kind: BenchStoreKind
  /** Creates an empty database of this name, or returns the database of an earlier run, filled or not. */
  prepare(name: string): Promise<WorldDatabase>
  /** Processor seconds of the database server so far; 0 if the database is in the process. */
  serverCpuSeconds(): number
  stop(): Promise<void>
}

export interface WorldDatabase {
  /** The URL of the database, as in a configuration. */
  readonly url: string
  /** The figures of the fill, once it is complete. */
  readonly filled: Kept<FillFigures>
  measureBytes(): Promise<number>
}

interface Kept<Value> {
  read(): Value | null
  write(value: Value): void
}

/** The figures of a fill. */
export interface FillFigures {
  readonly events: number
  /** Seconds spent in the store, without the generation of records. */
  readonly storeSeconds: number
  /** Processor seconds meanwhile, those of a database server included. */
  readonly cpuSeconds: number
  /** The size of the database after the fill. */
  readonly bytes: number
}

/** Files in a folder. */
export function openSqliteStore(folder: string): WorldStore {
  return {
    kind: 'sqlite',
    prepare: (name) => {
      const url = `sqlite:${join(folder, `${name}.db`)}`
      return Promise.resolve({
        url,
        filled: keep(join(folder, `${name}.json`)),
        measureBytes: async () => (await openBenchDatabase(url)).measureBytes() ?? 0,
      })
    },
    serverCpuSeconds: () => 0,
    stop: () => Promise.resolve(),
  }
}

/** A PostgreSQL server with the settings that `docs/grow.md` recommends. */
export async function startPostgresStore(folder: string): Promise<WorldStore> {
  const server = await startPostgresServer({
    durable: true,
    settings: postgresSettings,
    folder: join(folder, 'postgres'),
  })
  const pid = Number(
    readFileSync(join(folder, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n', 1)[0],
  )
  return {
    kind: 'postgres',
    prepare: async (name) => {
      if (!(await server.hasDatabase(name))) await server.createDatabase(name)
      const url = server.urlOf(name)
      return {
        url,
        filled: keep(join(folder, 'postgres', `${name}.json`)),
        measureBytes: () =>
          withTestConnection(url, async (connection) => {
            const row = await connection.get<[number]>('SELECT pg_database_size(current_database())')
            return row?.[0] ?? 0
          }),
      }
    },
    serverCpuSeconds: () => treeCpuSeconds(pid),
    stop: () => server.stop(),
  }
}

/** A value in a file beside the database. */
function keep<Value>(path: string): Kept<Value> {
  return {
    read: () => (existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Value) : null),
    write: (value) => writeFileSync(path, JSON.stringify(value)),
  }
}
