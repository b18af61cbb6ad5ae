import { StoreIncompatibleError } from '../../errors/storeErrors.ts'
import { openConnection, type Connection } from '../postgres/connection.ts'
import { databasePlace } from '../postgres/databasePlace.ts'
import { createReadPool } from '../postgres/readPool.ts'
import { translatePostgresError } from '../postgres/translatePostgresError.ts'
import type { BesideDatabase, BesideLayout, BesideStatements } from './besideDatabase.ts'

const statementTimeoutMs = 10_000

/** Opens the tables in a schema of their own, and makes them where there are none. Connections come about on demand. */
export function openPostgresBeside(url: string, layout: BesideLayout): BesideDatabase {
  const { name, number: lockKey, version: newest, tables: tablesOf } = layout
  const namespace = `attestry_${name}`
  const place = databasePlace(url)
  let isPrepared = false
  const pool = createReadPool({ open, connectionsMax: 4, waitMaxMs: 5_000 })

  async function open(): Promise<Connection> {
    const settings = { statement_timeout: statementTimeoutMs }
    return await openConnection(
      { url, applicationName: `attestry ${name}`, settings },
      async (connection) => {
        if (isPrepared) return
        await prepare(connection)
        isPrepared = true
      },
    )
  }

  async function prepare(connection: Connection): Promise<void> {
    await connection.exec('BEGIN')
    await connection.exec(`SELECT pg_advisory_xact_lock(${lockKey})`)
    const [row] = await connection.all<[boolean]>(`SELECT to_regclass('${namespace}.layout') IS NOT NULL`)
    if (row?.[0] !== true) {
      await connection.exec(
        `CREATE SCHEMA IF NOT EXISTS ${namespace}; CREATE TABLE ${namespace}.layout (version integer NOT NULL); ` +
          `INSERT INTO ${namespace}.layout VALUES (${newest});` +
          tablesOf({
            prefix: `${namespace}.`,
            integer: 'bigint',
            sequence: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
          }),
      )
    }
    const [version] = await connection.all<[number]>(`SELECT version FROM ${namespace}.layout`)
    await connection.exec('COMMIT')
    if ((version?.[0] ?? 0) <= newest) return
    throw new StoreIncompatibleError(
      `the schema ${namespace} of ${place} was made by a newer version of Attestry`,
    )
  }

  const statementsOf = (connection: Connection): BesideStatements => ({
    all: async (sql, ...parameters) => (await connection.all(sql, ...parameters)) as never,
  })

  async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      throw translatePostgresError(place, error)
    }
  }

  return {
    prefix: `${namespace}.`,
    all: (sql, ...parameters) =>
      translated(() => pool.use((connection) => statementsOf(connection).all(sql, ...parameters))),
    transact: (work) =>
      translated(() =>
        pool.use(async (connection) => {
          await connection.exec('BEGIN')
          try {
            await connection.exec(`SELECT pg_advisory_xact_lock(${lockKey})`)
            const result = await work(statementsOf(connection))
            await connection.exec('COMMIT')
            return result
          } catch (error) {
            if (connection.isOpen()) await connection.exec('ROLLBACK').catch(() => undefined)
            throw error
          }
        }),
      ),
    close: () => pool.close(),
  }
}
