import { StoreNotEmptyError } from '@attestry/core/errors/storeErrors.ts'
import type { IndexRestore, RestoreSettings } from '@attestry/core/index/indexRestore.ts'
import { noFieldIndexing } from '@attestry/core/index/fieldIndexing.ts'
import { exportLines } from '../transfer/exportLines.ts'
import { openIndexRestore } from '../writing/openIndexRestore.ts'
import { openConnection, type Connection } from './connection.ts'
import { dropDeferred } from './dropDeferred.ts'
import { databasePlace } from './databasePlace.ts'
import { assertOwnSessions } from './findPooler.ts'
import type { MigrateOptions } from '../layout/layoutSteps.ts'
import { projectedTables } from '../layout/projectionStatements.ts'
import { migratePostgres } from './migratePostgres.ts'
import type { Projection } from '../port/projection.ts'
import { storedTables } from './storedTables.ts'
import { createPostgresTables } from './tables.ts'
import { translatePostgresError } from './translatePostgresError.ts'
import { wholeTableSettings, writerSettings } from './writerSession.ts'

/**
 * Restores into the database at `url` within one transaction, which `finish` commits: the database holds either nothing
 * of the index or all of it. Meanwhile readers see the empty index, and other writers wait.
 */
export function openPostgresRestore(
  url: string,
  options: MigrateOptions & RestoreSettings = {},
): IndexRestore {
  const place = databasePlace(url)
  let opened: Promise<Connection> | null = null
  /** The statements that make the indexes which were dropped. */
  let deferred: ReadonlyMap<string, string> = new Map()

  /** Runs work in the transaction, which the first call begins. */
  async function inTransaction<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    try {
      opened ??= begin(url, place, options, (statements) => {
        deferred = statements
      })
      return await work(await opened)
    } catch (error) {
      throw translatePostgresError(place, error)
    }
  }

  function prepareBuild(): Promise<void> {
    return inTransaction(async (connection) => {
      for (const sql of deferred.values()) await connection.exec(sql)
      // The next statements are planned by statistics, and nobody else makes them of rows that are not committed.
      await connection.exec(`ANALYZE attestation, schema, address, anchor; ${wholeTableSettings}`)
    })
  }

  return openIndexRestore(
    {
      step: (work) => inTransaction((connection) => work(createPostgresTables(connection))),
      prepareBuild,
      exportLines: async function* ({ program }) {
        try {
          yield* exportLines(await inTransaction((connection) => Promise.resolve(connection)), { program })
        } catch (error) {
          throw translatePostgresError(place, error)
        }
      },
      finish: () =>
        inTransaction(async (connection) => {
          // Readers plan by statistics, and must not wait for them.
          await connection.exec('ANALYZE')
          await connection.exec('COMMIT')
          await vacuum(connection, options.projections)
          await connection.close()
        }),
      // The server takes everything back with the connection.
      abandon: async () => {
        const connection = await opened?.catch(() => null)
        await connection?.close().catch(() => undefined)
      },
    },
    options.fields ?? noFieldIndexing,
    options.projections,
  )
}

/**
 * Marks the pages of the tables whose rows all sessions see. Until then a read of nothing but an index reads each row as
 * well: a page in the middle of 230,265 agents took 82 ms. The server did so by itself after 11 minutes. The index is
 * complete whether this succeeds or not.
 */
async function vacuum(connection: Connection, projections: readonly Projection[] = []): Promise<void> {
  const names = Object.keys({ ...storedTables, ...projectedTables(projections) })
  await connection.exec(`VACUUM ${names.join(', ')}`).catch(() => undefined)
}

/** Begins the transaction on a connection of its own, and makes sure that the index is empty. */
async function begin(
  url: string,
  place: string,
  options: MigrateOptions & RestoreSettings,
  onDeferred: (statements: ReadonlyMap<string, string>) => void,
): Promise<Connection> {
  await assertOwnSessions(url)
  await migratePostgres(url, options)
  const connectionOptions = { url, applicationName: 'attestry import', settings: writerSettings }
  return openConnection(connectionOptions, async (connection) => {
    await connection.begin('')
    await createPostgresTables(connection).lockState()
    const [chains] = (await connection.get<[number]>('SELECT count(*) FROM chain')) ?? [0]
    if (chains > 0) {
      throw new StoreNotEmptyError(
        `the database ${place} holds ${chains} chains already; import into a new one`,
        { facts: { database: place } },
      )
    }
    if (options.isAlone === true) onDeferred(await dropDeferred(connection))
  })
}
