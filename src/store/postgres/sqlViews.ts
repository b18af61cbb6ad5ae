import { hash } from 'node:crypto'
import { DatabaseError } from 'pg'
import { timeSecondsMax, viewNames, viewSelects, type ViewWords } from '../layout/sqlViews.ts'
import { migrationLockKey } from './advisoryLock.ts'
import { transact, type Connection } from './connection.ts'

/** The schema of the views. */
const viewSchema = 'attestry'

const words: ViewWords = {
  hex: (bytes) => `encode(${bytes}, 'hex')`,
  time: (seconds) => `CASE WHEN ${seconds} <= ${timeSecondsMax} THEN to_timestamp(${seconds}) END`,
  timeOfDigits: (digits) =>
    `CASE WHEN length(${digits}) <= 12 THEN CASE WHEN ${digits}::bigint <= ${timeSecondsMax} ` +
    `THEN to_timestamp(${digits}::bigint) END END`,
  json: (text) => `${text}::json`,
  // The escapes of a NUL and of half a surrogate pair stand for no text of PostgreSQL.
  textOfJson: (text) =>
    String.raw`CASE WHEN ${text} ~ '(^|[^\\])(\\\\)*\\u(0000|d[89a-f])' THEN ${text} ELSE ${text}::json #>> '{}' END`,
  // A text that PostgreSQL cannot hold is a mark and the JSON form (textColumn.ts).
  chainText: (text) =>
    String.raw`coalesce(CASE WHEN left(${text}, 1) = E'\x01' THEN substr(${text}, 2) ELSE ${text} END, '')`,
  member: (json, name, type) => `(${json}::json ->> '${name}')::${type}`,
  flag: (condition) => condition,
}

const statements = Object.entries(viewSelects(words)).map(
  ([name, select]) => `CREATE OR REPLACE VIEW ${viewSchema}.${name} AS ${select}`,
)

const digest = hash('sha256', statements.join(';')).slice(0, 16)

/**
 * Makes the views in a migrated database, where they are missing or differ. Resolves with a sentence for the log where
 * they cannot be made: the program does not read them.
 */
export async function makeViews(connection: Connection): Promise<string | null> {
  const state = await readViews(connection)
  if (state === null || state.mark === markOf(state.tables)) return null
  if (state.mark !== null && !state.mark.startsWith(ownerOf(state.tables))) {
    return `the schema ${viewSchema} has the views of another index in this database, or is another program's`
  }
  try {
    const create = state.exists ? '' : `CREATE SCHEMA ${viewSchema};`
    const work = async () => {
      await connection.exec(`${create} SAVEPOINT made`)
      await replaceViews(connection)
      await connection.exec(`COMMENT ON SCHEMA ${viewSchema} IS '${markOf(state.tables)}'`)
    }
    await transact(connection, work, migrationLockKey)
    return null
  } catch (error) {
    if (!connection.isOpen()) throw error
    // Another process may have made them meanwhile.
    const now = await readViews(connection)
    if (now?.mark === markOf(state.tables)) return null
    const reason = error instanceof Error ? error.message : String(error)
    return `the views for SQL cannot be made in the schema ${viewSchema}, see docs/sql.md: ${reason}`
  }
}

/** Drops the views of the index, so that a step of the layout may change what they are made of. */
export async function dropViews(connection: Connection): Promise<void> {
  const state = await readViews(connection)
  if (state?.mark?.startsWith(ownerOf(state.tables)) !== true) return
  await connection.exec(`${dropAll}; COMMENT ON SCHEMA ${viewSchema} IS '${ownerOf(state.tables)}'`)
}

const dropAll = viewNames.map((name) => `DROP VIEW IF EXISTS ${viewSchema}.${name}`).join('; ')

/** Grants stay where each view only gets further columns at its end; otherwise the views are made anew. */
async function replaceViews(connection: Connection): Promise<void> {
  try {
    await connection.exec(statements.join('; '))
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== invalidTableDefinition) throw error
    await connection.exec(`ROLLBACK TO SAVEPOINT made; ${dropAll}; ${statements.join('; ')}`)
  }
}

const invalidTableDefinition = '42P16'

interface ViewState {
  /** The schema of the tables. */
  readonly tables: string
  readonly exists: boolean
  readonly mark: string | null
}

/** null without a layout. */
async function readViews(connection: Connection): Promise<ViewState | null> {
  const row = await connection.get<[string, boolean, string | null]>(
    'SELECT n.nspname, v.oid IS NOT NULL, ' +
      `CASE WHEN v.oid IS NULL THEN NULL ELSE coalesce(obj_description(v.oid, 'pg_namespace'), '') END ` +
      'FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_namespace v ON v.nspname = ? ' +
      "WHERE c.oid = to_regclass('attestry_layout')",
    viewSchema,
  )
  if (row === undefined) return null
  const [tables, exists, mark] = row
  return { tables, exists, mark: mark === '' ? ownerOf(tables) : mark }
}

/** The comment of the schema of the views names the schema of the tables, and the statements of the views. */
function ownerOf(tables: string): string {
  return `Attestry, of ${JSON.stringify(tables).replaceAll("'", '')}: `
}

function markOf(tables: string): string {
  return ownerOf(tables) + digest
}
