import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreIncompatibleError, StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import {
  assertCurrent,
  assertJoined,
  assertState,
  assertUpgradable,
  newestLayout,
  stepsFrom,
  type Layout,
  type MigrateOptions,
} from '../layout/layoutSteps.ts'
import { checkTables } from './checkTables.ts'
import { withConnection, type Connection } from './connection.ts'
import { joiningStatements, projectedNames } from '../layout/projectionStatements.ts'
import type { Projection } from '../port/projection.ts'
import { sqliteLayout, sqliteWords } from './migrations.ts'
import { dropViews, makeViews } from './sqlViews.ts'
import { translatingErrors } from './translateSqliteError.ts'

/** `PRAGMA application_id` of our databases: "Atst" in ASCII. */
const applicationId = 0x41747374

/**
 * Brings the database at `path` to the layout of this version; makes the file and its directory if they are missing.
 * @throws StoreUnavailableError when the path cannot be written.
 * @throws StoreIncompatibleError when the file is another program's, a newer version's, of a layout that is too old, or
 * not what its layout says.
 */
export function migrateSqlite(path: string, options: MigrateOptions = {}): void {
  makeDirectory(path)
  translatingErrors(path, () =>
    withConnection(path, { readOnly: false, cacheMib: 16 }, (connection) => {
      const layout = options.layout ?? sqliteLayout
      const version = readLayoutVersion(connection, path)
      assertUpgradable(layout, version, path)
      const { projections = [] } = options
      if (version === newestLayout(layout) && !lacksPart(projections, missingIn(connection))) {
        return tryViews(connection, options)
      }
      connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
      migrate(connection, path, layout, projections)
      if (version === 0 && options.rankThreshold !== undefined) {
        connection.statement('UPDATE index_state SET rank_threshold = ?').run(options.rankThreshold)
      }
      tryViews(connection, options)
    }),
  )
}

/**
 * Makes sure that an open database has the layout of this version.
 * @throws StoreIncompatibleError when it has another one, or is another program's.
 */
export function checkLayout(
  connection: Connection,
  path: string,
  projections: readonly Projection[] = [],
): void {
  assertCurrent(sqliteLayout, readLayoutVersion(connection, path), path)
  assertJoined(lacksPart(projections, missingIn(connection)), path)
}

/**
 * Makes sure that an open database can be read and written: it has the layout of this version and the row of its state.
 * @throws StoreIncompatibleError
 */
export function checkDatabase(
  connection: Connection,
  path: string,
  projections: readonly Projection[] = [],
): void {
  checkLayout(connection, path, projections)
  const rows = connection.statement<[number]>('SELECT only FROM index_state').all()
  assertState(
    rows.map(([only]) => only),
    path,
  )
}

function migrate(
  connection: Connection,
  path: string,
  layout: Layout,
  projections: readonly Projection[],
): void {
  connection.exec('BEGIN IMMEDIATE')
  try {
    // Read again under the lock: another process may have been faster.
    const version = readLayoutVersion(connection, path)
    if (version > 0) {
      checkTables(connection, path, layout, version)
      dropViews(connection, projections)
    }
    for (const step of stepsFrom(layout, version)) connection.exec(step)
    const isMissing = missingIn(connection)
    if (lacksPart(projections, isMissing)) {
      connection.exec(joiningStatements(projections, sqliteWords, isMissing))
    }
    connection.exec(`PRAGMA user_version = ${newestLayout(layout)}; PRAGMA application_id = ${applicationId}`)
    connection.exec('COMMIT')
  } catch (error) {
    connection.exec('ROLLBACK')
    throw error
  }
}

function lacksPart(projections: readonly Projection[], isMissing: (name: string) => boolean): boolean {
  return projectedNames(projections, sqliteWords).some(isMissing)
}

/** Tells which tables and indexes a database lacks. */
function missingIn(connection: Connection): (name: string) => boolean {
  const held = new Set(
    connection
      .statement<[string]>("SELECT name FROM sqlite_schema WHERE type IN ('table', 'index')")
      .all()
      .map(([name]) => name),
  )
  return (name) => !held.has(name)
}

/**
 * Makes the views for SQL. The program does not read them: if the file takes no writes now, a later start makes
 * them.
 */
function tryViews(connection: Connection, { layout, projections = [] }: MigrateOptions): void {
  // The views are those of the newest layout.
  if (layout !== undefined) return
  try {
    makeViews(connection, projections)
  } catch {
    // See above.
  }
}

function readLayoutVersion(connection: Connection, path: string): number {
  const application = readNumber(connection, 'PRAGMA application_id')
  const version = readNumber(connection, 'PRAGMA user_version')
  const tables = readNumber(connection, 'SELECT count(*) FROM sqlite_schema')
  if (application !== applicationId && (application !== 0 || version !== 0 || tables !== 0)) {
    throw new StoreIncompatibleError(`${path} is a database of another program`, { facts: { path } })
  }
  return version
}

function readNumber(connection: Connection, sql: string): number {
  return connection.statement<[number]>(sql).get()?.[0] ?? 0
}

function makeDirectory(path: string): void {
  try {
    makeDirectories(dirname(path))
  } catch (error) {
    throw new StoreUnavailableError(`the directory of the database ${path} cannot be made`, {
      cause: error,
      facts: { path },
    })
  }
}

/** Not `mkdirSync` with `recursive`: that never returns below a directory that takes no others, as `/proc`. */
function makeDirectories(path: string): void {
  if (existsSync(path)) return
  makeDirectories(dirname(path))
  mkdirSync(path)
}
