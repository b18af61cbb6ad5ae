import { StoreIncompatibleError, StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import {
  assertCurrent,
  assertJoined,
  assertState,
  assertUpgradable,
  newestLayout,
  stepsFrom,
  type MigrateOptions,
} from '../layout/layoutSteps.ts'
import { migrationLockKey } from './advisoryLock.ts'
import { parseConnectionUrl } from './connectionUrl.ts'
import { openConnection, transact, type Connection } from './connection.ts'
import { databasePlace } from './databasePlace.ts'
import { joiningStatements, projectedNames } from '../layout/projectionStatements.ts'
import type { Projection } from '../port/projection.ts'
import { postgresLayout, postgresWords } from './migrations.ts'
import { dropViews, makeViews } from './sqlViews.ts'
import { createStatementTexts } from './statementTexts.ts'
import { isUnsupported, translatePostgresError } from './translatePostgresError.ts'

/** The result of bringing a database up to date. */
export interface MigrateSummary {
  /**
   * Whether schemas are searched by a trigram index; without it their texts are read one by one, with the same answers.
   */
  readonly hasTrigramIndex: boolean
  /** Reason why the views for SQL could not be made; null if they exist. */
  readonly viewProblem: string | null
}

/**
 * Brings the database to the layout of this version, gives it a trigram index if the server has the extension and
 * its user may use it, and makes the views for SQL. Processes that do so at once wait for one another.
 * @throws StoreUnavailableError when the server cannot be reached, or refuses the user.
 * @throws StoreIncompatibleError when the database has a newer version's layout or one that is too old, or tables of
 * another program.
 */
export async function migratePostgres(url: string, options: MigrateOptions = {}): Promise<MigrateSummary> {
  const place = databasePlace(url)
  try {
    const connection = await openConnection({
      url,
      applicationName: 'attestry migration',
      // A process that only serves may stand behind a pooler, where another session has names and settings.
      statements: createStatementTexts({ named: false }),
      setsByTransaction: true,
    })
    try {
      await migrate(connection, url, options)
      const hasTrigramIndex = await makeTrigramIndexes(connection, options.projections)
      return {
        hasTrigramIndex,
        viewProblem: options.layout === undefined ? await makeViews(connection, options.projections) : null,
      }
    } finally {
      await connection.close()
    }
  } catch (error) {
    throw translatePostgresError(place, error)
  }
}

/**
 * Makes sure that an open database has the layout of this version.
 * @throws StoreIncompatibleError when it has another one.
 */
export async function checkLayout(
  connection: Connection,
  place: string,
  projections: readonly Projection[] = [],
): Promise<void> {
  assertCurrent(postgresLayout, await readLayoutVersion(connection), place)
  assertJoined((await missingIn(connection, projections)).size > 0, place)
}

/**
 * Makes sure that an open database can be read and written: it has the layout of this version and the row of its state.
 * @throws StoreIncompatibleError
 */
export async function checkDatabase(
  connection: Connection,
  place: string,
  projections: readonly Projection[] = [],
): Promise<void> {
  await checkLayout(connection, place, projections)
  const rows = await connection.all<[boolean]>('SELECT is_only FROM index_state')
  assertState(
    rows.map(([isOnly]) => isOnly),
    place,
  )
}

async function migrate(
  connection: Connection,
  url: string,
  { rankThreshold, layout = postgresLayout, projections = [] }: MigrateOptions,
): Promise<void> {
  const place = databasePlace(url)
  const work = async () => {
    const version = await readLayoutVersion(connection)
    assertUpgradable(layout, version, place)
    if (version < newestLayout(layout)) await assertRights(connection, place)
    if (version === 0 && !namesSchema(url)) await assertNowhereElse(connection, place)
    if (version > 0 && version < newestLayout(layout)) await dropViews(connection, projections)
    for (const step of stepsFrom(layout, version)) await makeTables(connection, place, step)
    const missing = await missingIn(connection, projections)
    if (missing.size > 0) {
      if (version === newestLayout(layout)) await assertRights(connection, place)
      await makeTables(
        connection,
        place,
        joiningStatements(projections, postgresWords, (name) => missing.has(name)),
      )
    }
    if (version < newestLayout(layout)) {
      await connection.run('UPDATE attestry_layout SET version = ?', newestLayout(layout))
    }
    if (version === 0 && rankThreshold !== undefined) {
      await connection.run('UPDATE index_state SET rank_threshold = ?', rankThreshold)
    }
  }
  await transact(connection, work, migrationLockKey)
}

/** The tables and indexes of projections that a database lacks. */
async function missingIn(
  connection: Connection,
  projections: readonly Projection[],
): Promise<ReadonlySet<string>> {
  const names = projectedNames(projections, postgresWords)
  if (names.length === 0) return new Set()
  const missing = await connection.all<[string]>(
    'SELECT name FROM unnest(?::text[]) AS t (name) WHERE to_regclass(name) IS NULL',
    names,
  )
  return new Set(missing.map(([name]) => name))
}

/** Whether a URL chooses the schema of the index by itself. */
function namesSchema(url: string): boolean {
  const target = parseConnectionUrl(url)
  return !('reason' in target) && target.options?.includes('search_path') === true
}

/** Makes sure that the role may make tables. */
async function assertRights(connection: Connection, place: string): Promise<void> {
  const [schema, role, ...missing] =
    (await connection.get<[string, string, string | null, string | null]>(
      'SELECT quote_ident(s.name), quote_ident(current_user), ' +
        "CASE WHEN NOT has_schema_privilege(s.name, 'USAGE') THEN 'USAGE' END, " +
        "CASE WHEN NOT has_schema_privilege(s.name, 'CREATE') THEN 'CREATE' END " +
        "FROM (SELECT coalesce(current_schema()::text, 'public') AS name) AS s",
    )) ?? []
  const rights = missing.filter((right) => right !== null).join(', ')
  if (rights === '') return
  throw new StoreUnavailableError(
    `the role ${role} lacks the right ${rights} on the schema ${schema} of the database ${place}: let its owner run ` +
      `GRANT ${rights} ON SCHEMA ${schema} TO ${role}`,
    { facts: { database: place } },
  )
}

/** Makes sure that no second index begins because the role finds its tables in another schema than before. */
async function assertNowhereElse(connection: Connection, place: string): Promise<void> {
  const [other, own] =
    (await connection.get<[string, string]>(
      'SELECT quote_ident(n.nspname), quote_ident(current_schema()) FROM pg_class c ' +
        'JOIN pg_namespace n ON n.oid = c.relnamespace ' +
        "WHERE c.relname = 'attestry_layout' AND c.relkind = 'r' AND c.relpersistence <> 't' ORDER BY 1 LIMIT 1",
    )) ?? []
  if (other === undefined) return
  throw new StoreIncompatibleError(
    `the index of the database ${place} is in the schema ${other}, and the search_path of its role leads to ${own}: ` +
      `set it by ALTER ROLE … SET search_path = ${other}; or, for a second index, add ` +
      `?options=-csearch_path%3D${own} to the URL`,
    { facts: { database: place } },
  )
}

/** Runs a step, and reports if the server does not know what the step asks for. */
async function makeTables(connection: Connection, place: string, step: string): Promise<void> {
  try {
    await connection.exec(step)
  } catch (error) {
    if (!isUnsupported(error)) throw error
    throw new StoreIncompatibleError(
      `the server of the database ${place} cannot make the tables of this version: ${error.message}`,
      { cause: error, facts: { database: place } },
    )
  }
}

/** The layout of the database; 0 if it has no layout. */
async function readLayoutVersion(connection: Connection): Promise<number> {
  const [isThere] = (await connection.get<[boolean]>(
    "SELECT to_regclass('attestry_layout') IS NOT NULL",
  )) ?? [false]
  if (!isThere) return 0
  const row = await connection.get<[number]>('SELECT version FROM attestry_layout')
  return row?.[0] ?? 0
}

/** The tables whose texts are searched, with the columns of these. */
function searchedTables(
  projections: readonly Projection[],
): readonly (readonly [string, readonly string[]])[] {
  const searched = projections.flatMap((projection) => projection.searched ?? [])
  return [
    ['schema_text', ['name', 'description']],
    ...searched.map(({ table, text }) => [table, [text]] as const),
  ]
}

/**
 * Makes the trigram indexes that are missing; returns whether all exist. The extension is part of PostgreSQL's own
 * distribution, but not every server has it installed, nor lets every user create it: then no index is made. Written
 * rows go into the index at once. By default some megabytes of them would wait beside the index, and every search would
 * read them from end to end.
 */
async function makeTrigramIndexes(
  connection: Connection,
  projections: readonly Projection[] = [],
): Promise<boolean> {
  const searched = searchedTables(projections)
  const missing = await connection.all(
    "SELECT 1 FROM unnest(?::text[]) AS t (name) WHERE to_regclass(name || '_trigrams') IS NULL",
    searched.map(([table]) => table),
  )
  if (missing.length === 0) return true
  const indexes = searched.map(
    ([table, columns]) =>
      `CREATE INDEX IF NOT EXISTS ${table}_trigrams ON ${table} ` +
      `USING gin (${columns.map((column) => `${column} gin_trgm_ops`).join(', ')}) WITH (fastupdate = off)`,
  )
  try {
    await transact(
      connection,
      () => connection.exec(['CREATE EXTENSION IF NOT EXISTS pg_trgm', ...indexes].join(';')),
      migrationLockKey,
    )
    return true
  } catch (error) {
    if (!connection.isOpen()) throw error
    return false
  }
}
