import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { rememberRecent } from '@attestry/core/model/recentMap.ts'
import { traced } from '@attestry/core/model/traced.ts'
import type { KeyColumns, Reads, SqlInput, SqlRow } from '../port/reads.ts'
import { TooManyLooksError } from '@attestry/core/errors/storeErrors.ts'
import { createPrivateFile } from './createPrivateFile.ts'
import { refuseFunction, sqliteDialect } from './dialect.ts'

export type { SqlRow }

/** A prepared statement whose rows are arrays; making objects of rows costs more than reading them. */
export interface Statement<Row extends SqlRow> {
  run(...parameters: SQLInputValue[]): { readonly changes: number | bigint }
  get(...parameters: SQLInputValue[]): Row | undefined
  all(...parameters: SQLInputValue[]): Row[]
  iterate(...parameters: SQLInputValue[]): Iterable<Row>
}

/**
 * One connection to the database, with its prepared statements by their text. The promises of its reads are settled.
 */
export interface Connection extends Reads {
  /**
   * The statement of that text, prepared at its first use. `Row` is what the caller knows its columns to be. A bound of
   * rows that is a parameter is written `LIMIT +?`. SQLite plans by the value of a bare `LIMIT ?`, and would prepare
   * the statement again whenever it is bound anew, which costs more than most pages.
   */
  statement<Row extends SqlRow>(sql: string): Statement<Row>
  /** Runs statements that have neither parameters nor rows. */
  exec(sql: string): void
  close(): void
}

export interface ConnectionOptions {
  readonly readOnly: boolean
  readonly cacheMib: number
  /**
   * The size up to which the database file is mapped, in MiB. Pages of a mapped file need no copy into the cache, but
   * count as memory of the process. So a connection that passes over the whole file once maps none of it.
   */
  readonly mapMib?: number
}

/** Statements kept prepared. Texts that depend on the number of chains are few, but a bound costs nothing. */
const statementsMax = 512

/** How long a statement waits for a lock of another process before it fails. */
export const busyTimeoutMs = 10_000

/** Rows that `batches` brings at a time, and about how many characters and bytes. */
const batchRows = 500
const batchLength = 2 ** 20

/** As much as SQLite maps of any file (2 GiB less 64 KiB, `SQLITE_MAX_MMAP_SIZE`). */
export const mapMibDefault = 2048

/**
 * Opens a connection and prepares it; it is closed if that throws. Throws what `node:sqlite` throws; callers
 * translate it at their edge.
 */
export function openConnection(
  path: string,
  options: ConnectionOptions,
  prepare?: (connection: Connection) => void,
): Connection {
  const mapMib = options.mapMib ?? mapMibDefault
  // A step of the layout edits the texts of tables (migrations.ts), which SQLite refuses a defensive connection.
  const settings = { readOnly: options.readOnly, timeout: busyTimeoutMs, defensive: options.readOnly }
  if (!options.readOnly) createPrivateFile(path)
  const database = new DatabaseSync(path, settings)
  try {
    database.exec(
      `PRAGMA cache_size = -${options.cacheMib * 1024}; PRAGMA mmap_size = ${mapMib * 2 ** 20};` +
        'PRAGMA foreign_keys = OFF; PRAGMA temp_store = MEMORY;',
    )
    if (options.readOnly) database.exec('PRAGMA query_only = ON')
    database.function(refuseFunction, (condition) => {
      if (condition === 1) throw new TooManyLooksError('a condition takes more looks at records than it may')
      return 0
    })
    const connection = wrapDatabase(database)
    prepare?.(connection)
    return connection
  } catch (error) {
    database.close()
    throw error
  }
}

/** Does work on a connection that is open no longer than that. */
export function withConnection<Result>(
  path: string,
  options: ConnectionOptions,
  work: (connection: Connection) => Result,
): Result {
  const connection = openConnection(path, options)
  try {
    return work(connection)
  } finally {
    connection.close()
  }
}

function wrapDatabase(database: DatabaseSync): Connection {
  const statements = new Map<string, StatementSync>()

  function prepare(sql: string): StatementSync {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    // The result of a statement without rows holds the last row id of the connection. `node:sqlite` refuses to return a
    // number beyond 2^53. The ids of all chains but the first exceed that, and so do those inside the text index.
    if (statement.columns().length === 0) statement.setReadBigInts(true)
    if (statements.size >= statementsMax) statements.clear()
    statements.set(sql, statement)
    return statement
  }

  // The shape of a row follows from the text of its statement, which no type can express: the one cast of this store.
  const plain = <Row extends SqlRow>(sql: string) => prepare(sql) as unknown as Statement<Row>
  const statement = traced.statement.hasSubscribers
    ? <Row extends SqlRow>(sql: string) => traceStatement(plain<Row>(sql), sql)
    : plain

  return {
    dialect: sqliteDialect,
    get: async <Row extends SqlRow>(sql: string, ...parameters: readonly SqlInput[]) =>
      statement<Row>(sql).get(...parameters),
    all: async <Row extends SqlRow>(sql: string, ...parameters: readonly SqlInput[]) =>
      statement<Row>(sql).all(...parameters),
    ...lookupsOf(statement),
    async *batches<Row extends SqlRow>(sql: string, ...parameters: readonly SqlInput[]) {
      // A statement of its own: two walks may have the same text, and a statement has one walk at a time.
      const own = database.prepare(sql)
      own.setReturnArrays(true)
      const rows = (own as unknown as Statement<Row>).iterate(...parameters)
      let batch: Row[] = []
      let length = 0
      for (const row of rows) {
        batch.push(row)
        length += lengthOf(row)
        if (batch.length < batchRows && length < batchLength) continue
        yield batch
        batch = []
        length = 0
      }
      if (batch.length > 0) yield batch
    },
    statement,
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
  }
}

/** A statement that a tracer follows. Rows that are walked are read at the pace of whoever walks them. */
function traceStatement<Row extends SqlRow>(statement: Statement<Row>, text: string): Statement<Row> {
  const trace = <Result>(run: () => Result) => traced.statement.traceSync(run, { system: 'sqlite', text })
  return {
    run: (...parameters) => trace(() => statement.run(...parameters)),
    get: (...parameters) => trace(() => statement.get(...parameters)),
    all: (...parameters) => trace(() => statement.all(...parameters)),
    iterate: (...parameters) => statement.iterate(...parameters),
  }
}

/** One statement a key: a third faster than one statement that is given all keys as JSON. */
export function lookupsOf(statementOf: Connection['statement']): Pick<Reads, 'allOf' | 'firstOf'> {
  return {
    allOf: async <Row extends SqlRow>(select: string, keys: KeyColumns) => {
      const { all, names } = lookupOf(select)
      const statement = statementOf<Row>(all)
      return parametersOf(keys, names).map((parameters) => statement.all(...parameters))
    },
    firstOf: async <Row extends SqlRow>(select: string, keys: KeyColumns) => {
      const { first, names } = lookupOf(select)
      const statement = statementOf<Row>(first)
      return parametersOf(keys, names).map((parameters) => statement.get(...parameters))
    },
  }
}

/** The statements of a select by keys, and the columns of the key in the order of their parameters. */
interface Lookup {
  readonly all: string
  readonly first: string
  readonly names: readonly string[]
}

const lookupOf = rememberRecent(statementsMax, (select: string): Lookup => {
  const names: string[] = []
  const all = select.replaceAll(/\bk\.([a-z_]+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `?${names.indexOf(name) + 1}`
  })
  return { all, first: `${all} LIMIT 1`, names }
})

/** The values of each key. */
function parametersOf(keys: KeyColumns, names: readonly string[]): SqlInput[][] {
  const [first] = Object.values(keys)
  const count = first?.values.length ?? 0
  const columns = names.map((name) => keys[name]?.values ?? [])
  const all: SqlInput[][] = []
  for (let index = 0; index < count; index++) all.push(columns.map((values) => values[index] ?? null))
  return all
}

function lengthOf(row: SqlRow): number {
  let length = 0
  for (const value of row) {
    if (typeof value === 'string' || value instanceof Uint8Array) length += value.length
  }
  return length
}
