import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { startPostgresServer } from '../../test/harness/postgresServer.ts'
import type { FillFigures } from '../fillIndex.ts'
import { postgresSettings } from '../benchStore.ts'
import { openBenchDatabase } from '../openBenchDatabase.ts'

export type StoreKind = 'sqlite' | 'postgres'

/** The databases of one kind, each of its size. */
export interface ScaleStore {
  readonly kind: StoreKind
  /** Makes an empty database for so many attestations, or answers the one that an earlier run left. */
  prepare(attestations: number): Promise<ScaleDatabase>
  stop(): Promise<void>
}

export interface ScaleDatabase {
  readonly attestations: number
  /** As a configuration names it. */
  readonly url: string
  /** What filling it took, where that is done. */
  filled(): FilledFigures | null
  markFilled(figures: FilledFigures): void
  measureBytes(): Promise<number>
}

/** What a fill took. */
export interface FilledFigures {
  /** All but the last batches. */
  readonly bulk: FillFigures
  /** Seconds that the store took for each of the last events, written in turns with those of the other database. */
  readonly lastSeconds: number
  readonly bytes: number
}

/** Files in a folder, which a later run finds again. */
export function openSqliteStore(folder: string): ScaleStore {
  return {
    kind: 'sqlite',
    prepare: (attestations) => {
      const path = join(folder, `${attestations}.db`)
      const figuresPath = join(folder, `${attestations}.json`)
      return Promise.resolve({
        attestations,
        url: `sqlite:${path}`,
        filled: () =>
          existsSync(path) && existsSync(figuresPath)
            ? (JSON.parse(readFileSync(figuresPath, 'utf8')) as FilledFigures)
            : null,
        markFilled: (figures) => writeFileSync(figuresPath, JSON.stringify(figures)),
        measureBytes: async () => (await openBenchDatabase(`sqlite:${path}`)).measureBytes() ?? 0,
      })
    },
    stop: () => Promise.resolve(),
  }
}

/** A server of its own, which is gone with the run. Its settings are those that `docs/operating.md` recommends. */
export async function startPostgresStore(): Promise<ScaleStore> {
  const server = await startPostgresServer({ durable: true, settings: postgresSettings })
  return {
    kind: 'postgres',
    prepare: async (attestations) => {
      const url = await server.createDatabase(`scale_${attestations}`)
      let known: FilledFigures | null = null
      return {
        attestations,
        url,
        filled: () => known,
        markFilled: (figures) => {
          known = figures
        },
        measureBytes: () => readDatabaseSize(url),
      }
    },
    stop: () => server.stop(),
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
