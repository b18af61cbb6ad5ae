import { StoreIncompatibleError, StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { advisoryLockKey } from '../postgres/advisoryLock.ts'
import { openConnection, transact, type Connection } from '../postgres/connection.ts'
import { databasePlace } from '../postgres/databasePlace.ts'
import { createReadPool } from '../postgres/readPool.ts'
import { createStatementTexts } from '../postgres/statementTexts.ts'
import { withOwnErrors } from '../postgres/translatePostgresError.ts'
import type { BesideDatabase, BesideLayout, BesideStatements } from './besideDatabase.ts'

const statementTimeoutMs = 10_000

/**
 * Opens the tables in a schema of their own, and makes them if they are missing. Connections come about on demand. A
 * pooler in transaction mode may stand before the server: every statement is part of a transaction with settings of its
 * own, and no statement has a name.
 */
export function openPostgresBeside(url: string, layout: BesideLayout): BesideDatabase {
  const { name, steps } = layout
  const newest = steps.length
  const namespace = `attestry_${name}`
  const lockKey = advisoryLockKey(`beside ${name}`)
  const place = databasePlace(url)
  const statements = createStatementTexts({ named: false })
  let isPrepared = false
  const pool = createReadPool({ open, connectionsMax: 4, waitMaxMs: 5_000 })

  async function open(): Promise<Connection> {
    const options = {
      url,
      applicationName: `attestry ${name}`,
      settings: { statement_timeout: statementTimeoutMs },
      setsByTransaction: true,
      statements,
      isPipelined: true,
    }
    return await openConnection(options, async (connection) => {
      if (isPrepared) return
      await prepare(connection)
      isPrepared = true
    })
  }

  async function prepare(connection: Connection): Promise<void> {
    const version = await transact(connection, () => makeTables(connection), lockKey)
    if (version <= newest) return
    throw new StoreIncompatibleError(
      `the schema ${namespace} of ${place} was made by a newer version of Attestry`,
    )
  }

  /** Resolves to the version of the tables that are there. */
  async function makeTables(connection: Connection): Promise<number> {
    const [row] = await connection.all<[boolean]>(`SELECT to_regclass('${namespace}.layout') IS NOT NULL`)
    if (row?.[0] !== true) {
      await assertMayCreate(connection)
      await connection.exec(
        `CREATE SCHEMA IF NOT EXISTS ${namespace}; CREATE TABLE ${namespace}.layout (version integer NOT NULL); ` +
          `INSERT INTO ${namespace}.layout VALUES (0)`,
      )
    }
    const [found] = await connection.all<[number]>(`SELECT version FROM ${namespace}.layout`)
    const version = found?.[0] ?? 0
    if (version >= newest) return version
    const words = {
      prefix: `${namespace}.`,
      integer: 'bigint',
      sequence: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    }
    for (const step of steps.slice(version)) await connection.exec(step(words))
    await connection.exec(`UPDATE ${namespace}.layout SET version = ${newest}`)
    return newest
  }

  async function assertMayCreate(connection: Connection): Promise<void> {
    const [row] = await connection.all<[boolean, string, string]>(
      "SELECT has_database_privilege(current_database(), 'CREATE') OR " +
        `to_regnamespace('${namespace}') IS NOT NULL, quote_ident(current_database()), quote_ident(current_user)`,
    )
    const [mayCreate, database, role] = row ?? []
    if (mayCreate === true) return
    throw new StoreUnavailableError(
      `the role ${role} lacks the right CREATE on the database ${place}, where the schema ${namespace} is to be ` +
        `made: let its owner run GRANT CREATE ON DATABASE ${database} TO ${role}`,
    )
  }

  const statementsOf = (connection: Connection): BesideStatements => ({
    all: async (sql, ...parameters) => (await connection.all(sql, ...parameters)) as never,
  })

  return {
    prefix: `${namespace}.`,
    all: (sql, ...parameters) =>
      withOwnErrors(place, () =>
        pool.use(async (connection) => {
          // One round trip: the server does not wait for answers to be read. A commit after a failure is a rollback.
          const [, rows] = await Promise.all([
            connection.begin(''),
            connection.all(sql, ...parameters),
            connection.exec('COMMIT'),
          ])
          return rows as never
        }),
      ),
    transact: (work) =>
      withOwnErrors(place, () =>
        pool.use((connection) => transact(connection, () => work(statementsOf(connection)), lockKey)),
      ),
    close: () => pool.close(),
  }
}
