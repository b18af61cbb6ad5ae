import { furtherViewTable, selectFurtherViews } from '../layout/furtherViews.ts'
import { allViewSelects } from '../layout/projectionStatements.ts'
import { timeSecondsMax, type ViewWords } from '../layout/sqlViews.ts'
import type { Projection } from '../port/projection.ts'
import type { Connection } from './connection.ts'

const hex = (bytes: string) => `CASE WHEN ${bytes} IS NOT NULL THEN lower(hex(${bytes})) END`
const timeOf = (seconds: string) => `strftime('%Y-%m-%dT%H:%M:%SZ', ${seconds}, 'unixepoch')`

export const sqliteViewWords: ViewWords = {
  hex,
  time: (seconds) => `CASE WHEN ${seconds} <= ${timeSecondsMax} THEN ${timeOf(seconds)} END`,
  timeOfDigits: (digits) =>
    `CASE WHEN CAST(${digits} AS INTEGER) <= ${timeSecondsMax} THEN ${timeOf(`CAST(${digits} AS INTEGER)`)} END`,
  json: (text) => text,
  addressList: (text) =>
    `(SELECT '[' || coalesce(group_concat(CASE WHEN length(e.value) = 42 AND e.value GLOB '0x*' ` +
    `AND substr(e.value, 3) NOT GLOB '*[^0-9A-Fa-f]*' THEN '"' || lower(e.value) || '"' ` +
    `ELSE ${text} -> e.fullkey END, ','), '') || ']' FROM json_each(${text}) e)`,
  textOfJson: (text) => `json_extract(${text}, '$')`,
  // A text that is not well-formed is the bytes of its UTF-16 form (textColumn.ts).
  chainText: (text) =>
    `coalesce(CASE typeof(${text}) WHEN 'blob' THEN '0x' || ${hex(text)} ELSE ${text} END, '')`,
  member: (json, name) => `json_extract(${json}, '$.${name}')`,
  flag: (condition) => condition,
}

/** The statements that make the views, by name. SQLite has no schemas: the views have a prefix. */
function statementsFor(
  projections: readonly Projection[],
): readonly (readonly [name: string, sql: string])[] {
  return allViewSelects(sqliteViewWords, projections).map(([name, select]) => [
    `attestry_${name}`,
    `CREATE VIEW attestry_${name} AS ${select}`,
  ])
}

/** Makes the views in a migrated database if they are missing or differ. */
export function makeViews(connection: Connection, projections: readonly Projection[] = []): void {
  const made = connection
    .statement<[string, string]>("SELECT name, sql FROM sqlite_schema WHERE type = 'view'")
    .all()
  const isMade = (name: string, sql: string) => made.some((view) => view[0] === name && view[1] === sql)
  const statements = statementsFor(projections)
  if (statements.every(([name, sql]) => isMade(name, sql))) return
  connection.exec('BEGIN IMMEDIATE')
  try {
    dropOwnViews(connection, projections)
    for (const [, sql] of statements) connection.exec(sql)
    connection.exec('COMMIT')
  } catch (error) {
    connection.exec('ROLLBACK')
    throw error
  }
}

/** Drops all views that wings and this package made, so that a step of the layout may change their tables. */
export function dropViews(connection: Connection, projections: readonly Projection[]): void {
  dropOwnViews(connection, projections)
  const isThere = connection.statement("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
  if (isThere.get(furtherViewTable) === undefined) return
  for (const [name] of connection.statement<[string]>(selectFurtherViews).all()) {
    connection.exec(`DROP VIEW IF EXISTS "${name}"`)
  }
}

function dropOwnViews(connection: Connection, projections: readonly Projection[]): void {
  for (const [name] of statementsFor(projections)) connection.exec(`DROP VIEW IF EXISTS ${name}`)
}
