import { hash } from 'node:crypto'
import { DatabaseError } from 'pg'
import { furtherViewTable, selectFurtherViews } from '../layout/furtherViews.ts'
import { allViewSelects } from '../layout/projectionStatements.ts'
import { timeSecondsMax, type ViewWords } from '../layout/sqlViews.ts'
import { viewComments, type ViewComments } from '../layout/viewComments.ts'
import type { Projection } from '../port/projection.ts'
import { migrationLockKey } from './advisoryLock.ts'
import { transact, type Connection } from './connection.ts'

/** The schema of the views. */
const viewSchema = 'attestry'

export const postgresViewWords: ViewWords = {
  hex: (bytes) => `encode(${bytes}, 'hex')`,
  time: (seconds) => `CASE WHEN ${seconds} <= ${timeSecondsMax} THEN to_timestamp(${seconds}) END`,
  timeOfDigits: (digits) =>
    `CASE WHEN length(${digits}) <= 12 THEN CASE WHEN ${digits}::bigint <= ${timeSecondsMax} ` +
    `THEN to_timestamp(${digits}::bigint) END END`,
  json: (text) => `${text}::json`,
  addressList: (text) =>
    `(SELECT '[' || coalesce(string_agg(CASE WHEN e.item::text ~ '^"0x[0-9A-Fa-f]{40}"$' THEN lower(e.item::text) ` +
    `ELSE e.item::text END, ',' ORDER BY e.at), '') || ']' FROM json_array_elements(${text}::json) ` +
    'WITH ORDINALITY AS e (item, at))::json',
  // The escapes of a NUL and of half a surrogate pair stand for no text of PostgreSQL.
  textOfJson: (text) =>
    String.raw`CASE WHEN ${text} ~ '(^|[^\\])(\\\\)*\\u(0000|d[89a-f])' THEN ${text} ELSE ${text}::json #>> '{}' END`,
  // A text that PostgreSQL cannot hold is a mark and the JSON form (textColumn.ts).
  chainText: (text) =>
    String.raw`coalesce(CASE WHEN left(${text}, 1) = E'\x01' THEN substr(${text}, 2) ELSE ${text} END, '')`,
  member: (json, name, type) => `(${json}::json ->> '${name}')::${type}`,
  flag: (condition) => condition,
}

/** The views of an index with projections. */
interface Views {
  readonly names: readonly string[]
  readonly statements: readonly (readonly [name: string, statement: string])[]
  /** The statements that comment on the views and their columns. */
  readonly comments: readonly string[]
  /** A digest of all statements. */
  readonly digest: string
}

function viewsFor(projections: readonly Projection[]): Views {
  const statements = allViewSelects(postgresViewWords, projections).map(
    ([name, select]) => [name, `CREATE OR REPLACE VIEW ${viewSchema}.${name} AS ${select}`] as const,
  )
  const comments = commentStatements(projections)
  const text = [...statements.map(([, statement]) => statement), ...comments].join(';')
  return {
    names: statements.map(([name]) => name),
    statements,
    comments,
    digest: hash('sha256', text).slice(0, 16),
  }
}

function commentStatements(projections: readonly Projection[]): readonly string[] {
  const all = [viewComments, ...projections.map((each) => each.viewComments)]
  return all
    .flatMap((comments) => Object.entries<ViewComments>(comments ?? {}))
    .flatMap(([name, { view, columns }]) => [
      `COMMENT ON VIEW ${viewSchema}.${name} IS '${view}'`,
      ...Object.entries(columns).map(
        ([column, text]) => `COMMENT ON COLUMN ${viewSchema}.${name}.${column} IS '${text}'`,
      ),
    ])
}

/**
 * Makes the views in a migrated database if they are missing or differ. Resolves with a sentence for the log if
 * they cannot be made: the program does not read them.
 */
export async function makeViews(
  connection: Connection,
  projections: readonly Projection[] = [],
): Promise<string | null> {
  const views = viewsFor(projections)
  const state = await readViews(connection, views)
  if (state === null || isCurrent(state, views)) return null
  if (state.mark !== null && !state.mark.startsWith(ownerOf(state.tables))) {
    return `the schema ${viewSchema} has the views of another index in this database, or is another program's`
  }
  try {
    const create = state.exists ? '' : `CREATE SCHEMA ${viewSchema};`
    const work = async () => {
      await connection.exec(create)
      await replaceViews(connection, views)
      await connection.exec(views.comments.join(';'))
      const made = (await readViews(connection, views)) ?? state
      await connection.exec(`COMMENT ON SCHEMA ${viewSchema} IS '${markOf(made, views)}'`)
    }
    await transact(connection, work, migrationLockKey)
    return null
  } catch (error) {
    if (!connection.isOpen()) throw error
    // Another process may have made them meanwhile.
    const now = await readViews(connection, views)
    if (now !== null && isCurrent(now, views)) return null
    const reason = error instanceof Error ? error.message : String(error)
    return `the views for SQL cannot be made in the schema ${viewSchema}, see docs/sql.md: ${reason}`
  }
}

/** Drops all views that wings and this package made, so that a step of the layout may change their tables. */
export async function dropViews(
  connection: Connection,
  projections: readonly Projection[] = [],
): Promise<void> {
  const views = viewsFor(projections)
  const state = await readViews(connection, views)
  if (state?.mark?.startsWith(ownerOf(state.tables)) !== true) return
  const drops = views.names.map((name) => `DROP VIEW IF EXISTS ${viewSchema}.${name}`).join('; ')
  await connection.exec(`${drops}; COMMENT ON SCHEMA ${viewSchema} IS '${ownerOf(state.tables)}'`)
  const [hasFurther] = (await connection.get<[boolean]>(
    `SELECT to_regclass('${furtherViewTable}') IS NOT NULL`,
  )) ?? [false]
  if (!hasFurther) return
  for (const [name] of await connection.all<[string]>(selectFurtherViews)) {
    await connection.exec(`DROP VIEW IF EXISTS ${viewSchema}."${name}"`)
  }
}

/** The name of the schema of the views if they are those of this index; null otherwise. */
export async function findViewSchema(connection: Connection): Promise<string | null> {
  const state = await readViews(connection, { names: [] })
  return state?.mark?.startsWith(ownerOf(state.tables)) === true ? viewSchema : null
}

/** Grants stay if a view only gets further columns at its end; otherwise that view is made anew. */
async function replaceViews(connection: Connection, { statements }: Views): Promise<void> {
  for (const [name, statement] of statements) {
    try {
      await connection.exec(`SAVEPOINT made; ${statement}`)
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== invalidTableDefinition) throw error
      await connection.exec(`ROLLBACK TO SAVEPOINT made; DROP VIEW ${viewSchema}.${name}; ${statement}`)
    }
  }
}

const invalidTableDefinition = '42P16'

interface ViewState {
  /** The schema of the tables. */
  readonly tables: string
  readonly exists: boolean
  readonly mark: string | null
  /** A digest of the views as the server has them; null without any. */
  readonly definitions: string | null
}

/** null without a layout. */
async function readViews(connection: Connection, { names }: Pick<Views, 'names'>): Promise<ViewState | null> {
  const row = await connection.get<[string, boolean, string | null, string | null]>(
    'SELECT n.nspname, v.oid IS NOT NULL, ' +
      `CASE WHEN v.oid IS NULL THEN NULL ELSE coalesce(obj_description(v.oid, 'pg_namespace'), '') END, ` +
      "(SELECT left(md5(string_agg(w.relname || ' ' || pg_get_viewdef(w.oid), ';' ORDER BY w.relname)), 16) " +
      "FROM pg_class w WHERE w.relnamespace = v.oid AND w.relkind = 'v' AND w.relname = ANY (?::text[])) " +
      'FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_namespace v ON v.nspname = ? ' +
      "WHERE c.oid = to_regclass('attestry_layout')",
    names,
    viewSchema,
  )
  if (row === undefined) return null
  const [tables, exists, mark, definitions] = row
  return { tables, exists, mark: mark === '' ? ownerOf(tables) : mark, definitions }
}

/** The start of the comment of the schema of the views, which names the schema of the tables. */
function ownerOf(tables: string): string {
  return `Attestry, of ${JSON.stringify(tables).replaceAll("'", '')}: `
}

/** The whole comment: it also holds digests of the statements and of what the server made of them. */
function markOf({ tables, definitions }: ViewState, { digest }: Views): string {
  return `${ownerOf(tables)}${digest} ${definitions}`
}

/** Whether all views are there as this version makes them: nobody has dropped or changed one. */
function isCurrent(state: ViewState, views: Views): boolean {
  return state.mark === markOf(state, views)
}
