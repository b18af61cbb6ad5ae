import { existsSync } from 'node:fs'
import { furtherViewTable } from '@attestry/store/layout/furtherViews.ts'
import { openConnection } from '@attestry/store/sqlite/connection.ts'
import { sqliteViewWords } from '@attestry/store/sqlite/sqlViews.ts'
import { encodeText } from '@attestry/store/sqlite/textColumn.ts'
import { BusyError, quoted, type TypedDatabase, type TypedWords } from './typedDatabase.ts'

const addressText = (text: string) =>
  `CASE WHEN length(${text}) = 42 AND ${text} GLOB '0x*' AND substr(${text}, 3) NOT GLOB '*[^0-9A-Fa-f]*' ` +
  `THEN lower(${text}) ELSE ${text} END`

const words: TypedWords = {
  ...sqliteViewWords,
  viewName: quoted,
  types: {
    id: 'INTEGER',
    bytes: 'BLOB',
    bigint: 'INTEGER',
    numeric: 'TEXT',
    boolean: 'BOOLEAN',
    text: 'TEXT',
    json: 'TEXT',
  },
  systemColumns: [],
  hasComments: false,
  onlyRecipient:
    'CASE WHEN json_array_length(a.recipients_json) = 1 THEN ' +
    `${addressText(`json_extract(a.recipients_json, '$[0]')`)} END`,
  eachRecipient: 'json_each(a.recipients_json) r',
  recipient: addressText('r.value'),
  plainText: (text) => {
    const held = encodeText(text)
    return typeof held === 'string' ? held : `0x${Buffer.from(held).toString('hex')}`
  },
}

const cacheMib = 4

/**
 * Opens the file of an index.
 * @throws Error if the file does not exist, since opening would create it.
 */
export function openSqliteTyped(path: string): TypedDatabase {
  if (!existsSync(path)) throw new Error(`there is no file ${path}`)
  // The writer of the index holds the file during a backfill: waiting here would stop the thread. It decides as well
  // when the write-ahead log moves into the file.
  const connection = openConnection(path, { readOnly: false, cacheMib }, (opened) => {
    opened.exec('PRAGMA busy_timeout = 0; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0')
  })
  const begin = () => {
    try {
      connection.exec('BEGIN IMMEDIATE')
    } catch (error) {
      throw isBusy(error) ? new BusyError('the file is being written', { cause: error }) : error
    }
  }
  const lacksTable = (view: string): Promise<boolean> =>
    connection.get(`SELECT 1 FROM ${quoted(view)} LIMIT 0`).then(
      () => false,
      (error: unknown) => error instanceof Error && error.message.startsWith('no such table'),
    )
  return {
    ...connection,
    words,
    transact: async (work) => {
      begin()
      try {
        await work()
        connection.exec('COMMIT')
      } catch (error) {
        connection.exec('ROLLBACK')
        throw error
      }
    },
    exec: async (sql) => connection.exec(sql),
    refusal: async () => null,
    hasNotes: async () =>
      (await connection.get('SELECT 1 FROM sqlite_schema WHERE name = ?', furtherViewTable)) !== undefined,
    holds: async (name) =>
      (await connection.get('SELECT 1 FROM sqlite_schema WHERE lower(name) = ?', name)) !== undefined,
    dependents: async (views) => {
      const names = new RegExp(String.raw`\b(?:${views.join('|')})\b`, 'i')
      const named = (
        await connection.all<[type: string, name: string, sql: string]>(
          "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('view', 'trigger') ORDER BY name",
        )
      ).filter(([, name, sql]) => !views.includes(name) && names.test(sql))
      if (named.length === 0) return []
      // Others may use the same word for a column: views that depend on these fail without them.
      begin()
      try {
        for (const view of views) connection.exec(`DROP VIEW ${quoted(view)}`)
        const dependents: string[] = []
        for (const [type, name] of named) {
          if (type === 'trigger' || (await lacksTable(name))) dependents.push(`${type} ${name}`)
        }
        return dependents
      } finally {
        connection.exec('ROLLBACK')
      }
    },
    close: async () => connection.close(),
  }
}

const sqliteBusy = 5

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === sqliteBusy
}
