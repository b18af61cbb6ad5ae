import { StoreIncompatibleError } from '@attestry/core/errors/storeErrors.ts'
import { boundLog, type BoundLog } from '../sqlite/boundLog.ts'
import { openConnection, type Connection } from '../sqlite/connection.ts'
import { withOwnErrors } from '../sqlite/translateSqliteError.ts'
import type { BesideDatabase, BesideLayout, BesideStatements } from './besideDatabase.ts'

const cacheMib = 8

/** Pages in the write-ahead log before they are moved into the file, as by default. */
const logPages = 1_000

/** The file beside that of the index. */
export function besidePath(indexPath: string, { name }: BesideLayout): string {
  return `${indexPath}.${name}`
}

/**
 * Opens the tables in a file, and makes the file if it is missing. Connections come about with the first statement.
 * Reads have a connection of their own, which sees no transaction under way.
 */
export function openSqliteBeside(path: string, layout: BesideLayout): BesideDatabase {
  const { number: applicationId, steps } = layout
  const newest = steps.length
  let reader: Connection | null = null
  let writer: Connection | null = null
  let turn: Promise<unknown> = Promise.resolve()
  let log: BoundLog | null = null
  const openWriter = () => (writer ??= openConnection(path, { readOnly: false, cacheMib }, prepare))
  const openReader = (): Connection => {
    openWriter()
    return (reader ??= openConnection(path, { readOnly: true, cacheMib }))
  }

  function prepare(connection: Connection): void {
    const [application = 0, tables = 0, version = 0] = [
      'PRAGMA application_id',
      'SELECT count(*) FROM sqlite_schema',
      'PRAGMA user_version',
    ].map((sql) => connection.statement<[number]>(sql).get()?.[0])
    if (application !== applicationId && tables > 0) {
      throw new StoreIncompatibleError(`${path} is a database of another program`, { facts: { path } })
    }
    if (version > newest) {
      throw new StoreIncompatibleError(`${path} was made by a newer version of Attestry`, { facts: { path } })
    }
    connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    log = boundLog(connection)
    log.setBound(logPages)
    if (version === newest) return
    connection.exec('BEGIN IMMEDIATE')
    // Another process may have been faster.
    const found = connection.statement<[number]>('PRAGMA user_version').get()?.[0] ?? 0
    for (const step of steps.slice(found)) {
      connection.exec(step({ prefix: '', integer: 'integer', sequence: 'integer PRIMARY KEY AUTOINCREMENT' }))
    }
    connection.exec(`PRAGMA user_version = ${newest}; PRAGMA application_id = ${applicationId}`)
    connection.exec('COMMIT')
  }

  async function transact<Result>(work: (statements: BesideStatements) => Promise<Result>): Promise<Result> {
    const connection = openWriter()
    connection.exec('BEGIN IMMEDIATE')
    try {
      const result = await work(connection)
      connection.exec('COMMIT')
      log?.afterCommit()
      return result
    } catch (error) {
      // A full disk may have ended the transaction already.
      try {
        connection.exec('ROLLBACK')
      } catch {
        // There was no transaction to roll back.
      }
      throw error
    }
  }

  return {
    prefix: '',
    all: (sql, ...parameters) => withOwnErrors(path, async () => openReader().all(sql, ...parameters)),
    transact: (work) => {
      const mine = turn.then(() => withOwnErrors(path, () => transact(work)))
      turn = mine.catch(() => undefined)
      return mine
    },
    close: async () => {
      await turn
      reader?.close()
      writer?.close()
    },
  }
}
