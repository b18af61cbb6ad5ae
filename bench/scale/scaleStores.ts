import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { startPostgresServer } from '@attestry/test/harness/postgresServer.ts'
import type { FillFigures } from '../fillIndex.ts'
import { postgresSettings } from '../benchStore.ts'
import { openBenchDatabase } from '../openBenchDatabase.ts'

export type StoreKind = 'sqlite' | 'postgres'

/** The databases of one store, by size. */
export interface ScaleStore {
  readonly kind: StoreKind
  /** Creates an empty database for this many attestations, or returns the database of an earlier run, filled or not. */
  prepare(attestations: number): Promise<ScaleDatabase>
  stop(): Promise<void>
}

export interface ScaleDatabase {
  readonly attestations: number
  /** The URL of the database, as in a configuration. */
  readonly url: string
  /** Removes its content. */
  empty(): Promise<void>
  /** The figures of the fill, when it is complete. */
  filled(): FilledFigures | null
  markFilled(figures: FilledFigures): void
  measureBytes(): Promise<number>
}

/** The figures of a fill. */
export interface FilledFigures {
  /** Without the last events. */
  readonly bulk: FillFigures
  readonly cost: WriteCost
  readonly bytes: number
}

/** Seconds of the store per event of the last events, written alternately with those of the other database. */
export interface WriteCost {
  /** For 20,000 events of a backfill. */
  readonly backfillSeconds: number
  /** For the small commits at the head of a busy chain. */
  readonly headSeconds: number
}

/** Files in a folder, which a later run reuses. */
export function openSqliteStore(folder: string): ScaleStore {
  return {
    kind: 'sqlite',
    prepare: (attestations) => {
      const path = join(folder, `${attestations}.db`)
      const figures = keepFigures(join(folder, `${attestations}.json`))
      return Promise.resolve({
        attestations,
        url: `sqlite:${path}`,
        empty: () => {
          figures.remove()
          for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true })
          return Promise.resolve()
        },
        filled: () => (existsSync(path) ? figures.read() : null),
        markFilled: figures.write,
        measureBytes: async () => (await openBenchDatabase(`sqlite:${path}`)).measureBytes() ?? 0,
      })
    },
    stop: () => Promise.resolve(),
  }
}

/**
 * A PostgreSQL server with the settings that `docs/grow.md` recommends; its data stay in the folder for a later
 * run.
 */
export async function startPostgresStore(folder: string): Promise<ScaleStore> {
  const server = await startPostgresServer({
    durable: true,
    settings: postgresSettings,
    folder: join(folder, 'postgres'),
  })
  return {
    kind: 'postgres',
    prepare: async (attestations) => {
      const name = `scale_${attestations}`
      const figures = keepFigures(join(folder, `${name}.json`))
      if (!(await server.hasDatabase(name))) {
        figures.remove()
        await server.createDatabase(name)
      }
      const url = server.urlOf(name)
      return {
        attestations,
        url,
        empty: async () => {
          figures.remove()
          await server.dropDatabase(name)
          await server.createDatabase(name)
        },
        filled: figures.read,
        markFilled: figures.write,
        measureBytes: () => readDatabaseSize(url),
      }
    },
    stop: () => server.stop(),
  }
}

/** The file with the figures of a complete fill, beside its database. */
function keepFigures(path: string) {
  return {
    read: (): FilledFigures | null =>
      existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as FilledFigures) : null,
    write: (figures: FilledFigures): void => writeFileSync(path, JSON.stringify(figures)),
    remove: (): void => rmSync(path, { force: true }),
  }
}

async function readDatabaseSize(url: string): Promise<number> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ bytes: string }>(
      'SELECT pg_database_size(current_database()) AS bytes',
    )
    return Number(rows[0]?.bytes)
  } finally {
    await client.end()
  }
}
