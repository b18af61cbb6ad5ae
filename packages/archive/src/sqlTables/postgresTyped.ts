import { furtherViewTable } from '@attestry/store/layout/furtherViews.ts'
import { advisoryLockKey } from '@attestry/store/postgres/advisoryLock.ts'
import { openConnection, transact } from '@attestry/store/postgres/connection.ts'
import { findViewSchema, postgresViewWords } from '@attestry/store/postgres/sqlViews.ts'
import { createStatementTexts } from '@attestry/store/postgres/statementTexts.ts'
import { encodeText } from '@attestry/store/postgres/textColumn.ts'
import { quoted, type TypedDatabase, type TypedWords } from './typedDatabase.ts'

/** The recipient of a JSON value as text. */
const recipientOf = (json: string) =>
  `CASE WHEN (${json})::text ~ '^"0x[0-9A-Fa-f]{40}"$' THEN lower((${json}) #>> '{}') ` +
  `ELSE ${postgresViewWords.textOfJson(`((${json})::text)`)} END`

const words: TypedWords = {
  ...postgresViewWords,
  viewName: (name) => `attestry.${quoted(name)}`,
  types: {
    id: 'bigint',
    bytes: 'bytea',
    bigint: 'bigint',
    numeric: 'numeric',
    boolean: 'boolean',
    text: 'text',
    json: 'json',
  },
  systemColumns: ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'],
  hasComments: true,
  onlyRecipient:
    `CASE WHEN json_array_length(a.recipients_json::json) = 1 THEN ` +
    `${recipientOf('a.recipients_json::json -> 0')} END`,
  eachRecipient: 'LATERAL json_array_elements(a.recipients_json::json) AS r (item)',
  recipient: recipientOf('r.item'),
  plainText: (text) => {
    const held = encodeText(text)
    return held === text ? text : JSON.stringify(text)
  },
}

const lockKey = advisoryLockKey('typed tables')

/** Opens the database of an index. */
export async function openPostgresTyped(url: string): Promise<TypedDatabase> {
  const connection = await openConnection({
    url,
    applicationName: 'attestry typed tables',
    statements: createStatementTexts({ named: false }),
  })
  return {
    ...connection,
    words,
    transact: (work) => transact(connection, work, lockKey),
    refusal: async () =>
      (await findViewSchema(connection)) === null
        ? 'the schema attestry is missing, or has the views of another index, see docs/sql.md'
        : null,
    hasNotes: async () => {
      const [found] = await connection.all<[boolean]>(`SELECT to_regclass('${furtherViewTable}') IS NOT NULL`)
      return found?.[0] === true
    },
    holds: async (name) => {
      const [found] = await connection.all<[boolean]>(
        'SELECT to_regclass(?) IS NOT NULL',
        words.viewName(name),
      )
      return found?.[0] === true
    },
    dependents: async (views) => {
      const rows = await connection.all<[string]>(
        "SELECT DISTINCT CASE c.relkind WHEN 'm' THEN 'materialized view ' ELSE 'view ' END || c.oid::regclass::text " +
          'FROM pg_depend d JOIN pg_rewrite w ON w.oid = d.objid JOIN pg_class c ON c.oid = w.ev_class ' +
          "WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass " +
          'AND d.refobjid = ANY (?::text[]::regclass[]) AND NOT (c.oid = ANY (?::text[]::regclass[])) ORDER BY 1',
        views.map(words.viewName),
        views.map(words.viewName),
      )
      return rows.map(([name]) => name)
    },
  }
}
