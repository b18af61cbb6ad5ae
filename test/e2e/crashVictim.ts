import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'

/** The database of a process that the test kills repeatedly, inspected before the next process recovers it. */
export interface CrashVictim {
  readonly url: string
  /** Whether the process has begun to create the database. */
  exists(): boolean | Promise<boolean>
  /** The checkpoint of the only chain; null before the first commit. */
  readCheckpoint(): number | null | Promise<number | null>
  /** `['ok']` when the database is intact. */
  checkIntegrity(): unknown[] | Promise<unknown[]>
}

export function createSqliteVictim(folder: string): Promise<CrashVictim> {
  const path = join(folder, 'killed.db')
  return Promise.resolve({
    url: `sqlite:${path}`,
    exists: () => existsSync(path),
    readCheckpoint: () => {
      const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
      try {
        const row = database.prepare('SELECT checkpoint_block FROM chain').get()
        return typeof row?.checkpoint_block === 'number' ? row.checkpoint_block : null
      } catch {
        // The process died before it created the tables.
        return null
      } finally {
        database.close()
      }
    },
    checkIntegrity: () => {
      const database = new DatabaseSync(path)
      try {
        return database
          .prepare('PRAGMA integrity_check')
          .all()
          .map((row) => row.integrity_check)
      } finally {
        database.close()
      }
    },
  })
}

/** An empty PostgreSQL database; the server keeps running when the writing process is killed. */
export function createPostgresVictim(url: string): CrashVictim {
  async function ask(sql: string): Promise<unknown> {
    const client = new Client(url)
    await client.connect()
    try {
      const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' })
      return rows[0]?.[0]
    } finally {
      await client.end()
    }
  }
  const exists = async () => (await ask("SELECT to_regclass('chain') IS NOT NULL")) === true
  return {
    url,
    exists,
    readCheckpoint: async () => {
      const block = (await exists()) ? await ask('SELECT checkpoint_block FROM chain') : null
      return typeof block === 'string' ? Number(block) : null
    },
    checkIntegrity: async () => {
      const counters =
        'SELECT (SELECT attestation_count FROM index_state) = (SELECT count(*) FROM attestation) ' +
        'AND (SELECT schema_count FROM index_state) = (SELECT count(*) FROM schema WHERE registered)'
      return [(await ask(counters)) === true ? 'ok' : 'the counters are not those of the rows']
    },
  }
}
