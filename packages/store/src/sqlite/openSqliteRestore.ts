import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { StoreNotEmptyError } from '@attestry/core/errors/storeErrors.ts'
import type { IndexRestore, RestoreSettings } from '@attestry/core/index/indexRestore.ts'
import { noFieldIndexing } from '@attestry/core/index/fieldIndexing.ts'
import { openIndexRestore } from '../writing/openIndexRestore.ts'
import { mapMibDefault, openConnection, withConnection, type Connection } from './connection.ts'
import { dropDeferred } from './dropDeferred.ts'
import type { MigrateOptions } from '../layout/layoutSteps.ts'
import { migrateSqlite } from './migrateSqlite.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { createSqliteTables } from './tables.ts'
import { translatingErrors, withOwnErrors } from './translateSqliteError.ts'

/**
 * Restores into a database beside the one at `path`, which takes its place in `finish`: by a rename, so that the path
 * holds either nothing of the index or all of it. The caller holds the lock of the database.
 * @throws StoreNotEmptyError when the database at `path` holds a chain already, or is open elsewhere.
 * @throws StoreUnavailableError, StoreIncompatibleError
 */
export function openSqliteRestore(
  path: string,
  options: MigrateOptions & RestoreSettings = {},
): IndexRestore {
  assertReplaceable(path, options)
  removeLeftovers(path)
  const partial = `${path}.${process.pid}.import`
  const connection = translatingErrors(partial, () => openPartial(partial, options))
  const tables = createSqliteTables(connection)
  const deferred = dropDeferred(connection)
  let open = true
  let isWriting = false

  /** One transaction holds all steps: a commit of each would write pages that the next step changes again. */
  function begin(): void {
    if (!isWriting) connection.exec('BEGIN')
    isWriting = true
  }

  function commit(): void {
    if (isWriting) connection.exec('COMMIT')
    isWriting = false
  }

  function closeConnection(): void {
    if (open) connection.close()
    open = false
  }

  return openIndexRestore(
    {
      step: (work) =>
        withOwnErrors(partial, async () => {
          begin()
          return work(tables)
        }),
      prepareBuild: () =>
        withOwnErrors(partial, () => {
          commit()
          // Each index and each table passes over all rows: pages of a mapped file need no copy into the cache.
          connection.exec(`PRAGMA mmap_size = ${mapMibDefault * 2 ** 20}`)
          for (const sql of deferred.values()) connection.exec(sql)
        }),
      exportLines: async function* ({ program }) {
        await withOwnErrors(partial, commit)
        const reader = openSqliteReader(partial)
        try {
          yield* reader.exportLines({ program })
        } finally {
          await reader.close()
        }
      },
      finish: () =>
        withOwnErrors(path, () => {
          commit()
          connection.exec('PRAGMA journal_mode = WAL')
          closeConnection()
          assertReplaceable(path, options)
          syncToDisk(partial)
          renameSync(partial, path)
          removeLogs(path)
          removeLogs(partial)
          syncToDisk(dirname(path))
        }),
      abandon: () =>
        withOwnErrors(partial, () => {
          closeConnection()
          removeDatabase(partial)
        }),
    },
    options.fields ?? noFieldIndexing,
    options.projections,
  )
}

function openPartial(partial: string, options: MigrateOptions): Connection {
  migrateSqlite(partial, options)
  // Nobody needs the file until it is renamed: it is deleted after a crash or a failed step. A journal would hold every
  // page that a step changes, and in a large index that is nearly one for each row of an index. Rows are sorted in
  // temporary files: an index of 12 million rows of random numbers took 12 s and 78 MB, in memory 26 s and 827 MB.
  return openConnection(partial, { readOnly: false, cacheMib: 64, mapMib: 0 }, (connection) =>
    connection.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE'),
  )
}

/** There must be nothing at the path, or an index of no chain that no other process has open. */
function assertReplaceable(path: string, { projections }: MigrateOptions): void {
  if (!existsSync(path)) return
  translatingErrors(path, () => {
    migrateSqlite(path, { projections })
    withConnection(path, { readOnly: false, cacheMib: 1 }, (connection) => {
      const chains = connection.statement<[number]>('SELECT count(*) FROM chain').get()?.[0] ?? 0
      if (chains > 0) {
        throw new StoreNotEmptyError(
          `the database ${path} holds ${chains} chains already; import into a new one`,
          {
            facts: { path },
          },
        )
      }
      // Leaving the write-ahead log is given only to the one connection there is.
      connection.exec('PRAGMA busy_timeout = 0')
      leaveLog(connection, path)
    })
  })
}

function leaveLog(connection: Connection, path: string): void {
  try {
    connection.exec('PRAGMA journal_mode = DELETE')
  } catch (error) {
    throw new StoreNotEmptyError(`the database ${path} is open in another process; stop it first`, {
      cause: error,
      facts: { path },
    })
  }
}

/**
 * Removes the files that killed processes have left beside the database. The caller holds the lock of the database, so
 * no other process restores into it.
 */
function removeLeftovers(path: string): void {
  const folder = dirname(path)
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const rest = name.startsWith(`${basename(path)}.`) ? name.slice(basename(path).length) : ''
    if (/^\.[0-9]+\.import(?:-wal|-shm|-journal)?$/.test(rest)) rmSync(join(folder, name), { force: true })
  }
}

function removeDatabase(path: string): void {
  rmSync(path, { force: true })
  removeLogs(path)
}

function removeLogs(path: string): void {
  for (const suffix of ['-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true })
}

function syncToDisk(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
