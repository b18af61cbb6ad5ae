import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Client, type QueryArrayResult } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { traced } from '@attestry/core/model/traced.ts'
import type { KeyColumns, Reads } from '../port/reads.ts'
import { connectClient, type ConnectedClient } from './connectClient.ts'
import { postgresDialect } from './dialect.ts'
import type { CopyTarget } from './encodeCopy.ts'
import { settingStatements, type Settings } from './sessionSettings.ts'
import { sqlTypes } from './storedTables.ts'
import { foreignFormat, isForeignSession } from './translatePostgresError.ts'
import { createStatementTexts, type StatementTexts } from './statementTexts.ts'

/** A value as this store reads it: `int8` as a number, `bytea` as bytes, arrays of `int8` as arrays. */
export type SqlValue = null | number | string | boolean | Uint8Array | readonly number[]

/** The columns of a row, in the order of the select. */
export type SqlRow = readonly SqlValue[]

/** A parameter of a statement. Arrays become arrays of the column's type. */
export type SqlInput = null | number | bigint | string | boolean | Uint8Array | readonly SqlInput[]

/** One connection to the server. Statements are prepared under a name at their first use, and rows are arrays. */
export interface Connection extends Reads {
  /** The rows of a statement, whose parameters are written as `?`. `Row` is what the caller knows its columns to be. */
  all<Row extends SqlRow>(sql: string, ...parameters: readonly SqlInput[]): Promise<Row[]>
  get<Row extends SqlRow>(sql: string, ...parameters: readonly SqlInput[]): Promise<Row | undefined>
  /** Runs a statement for what it does; answers how many rows it touched. */
  run(sql: string, ...parameters: readonly SqlInput[]): Promise<number>
  /**
   * Queues a statement after those before, and does not wait for its end: the program makes the next rows meanwhile. If
   * it fails, every later call of the transaction throws its error, the commit included.
   */
  post(sql: string, ...parameters: readonly SqlInput[]): void
  /** Runs statements that have neither parameters nor rows. */
  exec(sql: string): Promise<void>
  /** Begins a transaction with settings of its own, and with those that the session cannot keep. */
  begin(characteristics: string, settings?: Settings): Promise<void>
  /**
   * Appends rows to a table by `COPY`, which takes `pieces` as `encodeCopy` makes them; appends none if that throws.
   */
  copy(target: CopyTarget, pieces: Iterable<Uint8Array>): Promise<void>
  /** The same without waiting for its end, as `post` does. `explain` makes the error to be thrown. */
  postCopy(target: CopyTarget, pieces: Iterable<Uint8Array>, explain: (error: unknown) => unknown): void
  /** Rolls back the running transaction, whatever became of the statements of it that were posted. */
  rollback(): Promise<void>
  /**
   * The rows of a statement by a cursor, some hundreds at a time and fewer if they are long, within the running
   * transaction: memory stays the same however many they are.
   */
  batches<Row extends SqlRow>(sql: string, ...parameters: readonly SqlInput[]): AsyncGenerator<Row[]>
  /** Called once when the connection is lost or ended. */
  onEnd(listener: () => void): void
  /** Whether the server can still be reached by it, as far as is known. */
  isOpen(): boolean
  /** Ends the statement that a process of the same server is running, over a connection of its own. */
  cancel(backendId: number): Promise<void>
  /** Ends it; a statement that is running is given up. */
  close(): Promise<void>
}

export interface ConnectionOptions {
  readonly url: string
  /** The name that the server shows for the connection. */
  readonly applicationName: string
  /** Settings of the session beside `sessionDefaults`. */
  readonly settings?: Settings
  /**
   * Whether the settings are those of each transaction instead: behind a pooler that gives sessions to clients by
   * transaction, the settings of a session would be those of other clients.
   */
  readonly setsByTransaction?: boolean
  /** The statements that several connections prepare; by default only those of this connection. */
  readonly statements?: StatementTexts
  /**
   * Whether statements are sent without waiting for those before them: then several may be under way at once, in their
   * order. Such a connection cannot copy.
   */
  readonly isPipelined?: boolean
  /** Called when statements come to other sessions than those before: see `isForeignSession`. */
  readonly onForeignSession?: () => void
  /** How long a connection may take to come about. */
  readonly connectTimeoutMs?: number
  /** After how long without an answer to a statement the server is taken to be gone; null, as by default: never. */
  readonly answerTimeoutMs?: number | null
}

const connectTimeoutMsDefault = 10_000

/** Rows that a cursor brings at a time, and at first, when nothing is known of their length. */
const cursorRowsMax = 500
const cursorRowsFirst = 50
/** About how much text and how many bytes it brings: if rows are longer than usual, they are fewer. */
const cursorLength = 2 * 2 ** 20

/**
 * Opens a connection and prepares it; it is closed if that throws. Throws what `pg` throws; callers translate it at
 * their edge.
 */
export async function openConnection(
  options: ConnectionOptions,
  prepare?: (connection: Connection) => Promise<void>,
): Promise<Connection> {
  const setsByTransaction = options.setsByTransaction === true
  const { applicationName, isPipelined = false, answerTimeoutMs = null, settings = {} } = options
  const connected = await connectClient(options.url, {
    application_name: applicationName,
    connectTimeoutMs: options.connectTimeoutMs ?? connectTimeoutMsDefault,
    pipeline: isPipelined,
    ...(answerTimeoutMs === null ? {} : { query_timeout: answerTimeoutMs }),
    types: { getTypeParser: typeParser },
  })
  const { client } = connected
  const statements = settingStatements(settings, setsByTransaction)
  let isReadOnly = false
  try {
    // Not as options of the connection itself, which poolers refuse.
    if (!setsByTransaction) await client.query(statements.join('; '))
    else isReadOnly = await isReadOnlyByDefault(client)
  } catch (error) {
    client.end().catch(() => undefined)
    throw error
  }
  const connection = wrapClient(connected, options.statements ?? createStatementTexts(), {
    onForeignSession: options.onForeignSession,
    characteristics: `ISOLATION LEVEL READ COMMITTED NOT DEFERRABLE${isReadOnly ? ' READ WRITE' : ''}`,
    locals: setsByTransaction ? statements : [],
  })
  try {
    await prepare?.(connection)
    return connection
  } catch (error) {
    await connection.close().catch(() => undefined)
    throw error
  }
}

/**
 * Runs work in a transaction, which is rolled back if the work throws.
 * @param lockKey an advisory lock that the transaction waits for first, and holds to its end.
 */
export async function transact<Result>(
  connection: Connection,
  work: () => Promise<Result>,
  lockKey: bigint | null = null,
): Promise<Result> {
  await connection.begin('')
  try {
    if (lockKey !== null) await connection.exec(`SELECT pg_advisory_xact_lock(${lockKey})`)
    const result = await work()
    await connection.exec('COMMIT')
    return result
  } catch (error) {
    if (connection.isOpen()) await connection.rollback().catch(() => undefined)
    throw error
  }
}

/** Whether a transaction has to ask for the right to write, on a server that can grant it. */
async function isReadOnlyByDefault(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ fixed: boolean }>(
    "SELECT current_setting('default_transaction_read_only') = 'on' AND NOT pg_is_in_recovery() AS fixed",
  )
  return rows[0]?.fixed === true
}

/** The types that this store's columns have (https://github.com/postgres/postgres, pg_type.dat). */
const typeId = { boolean: 16, bytes: 17, int8: 20, int2: 21, int4: 23, int8Array: 1016 } as const

function typeParser(oid: number): (text: string) => SqlValue {
  switch (oid) {
    case typeId.boolean:
      return (text) => text === 't'
    case typeId.bytes:
      return readBytes
    case typeId.int8:
    case typeId.int4:
    case typeId.int2:
      return Number
    case typeId.int8Array:
      return (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number))
    default:
      return (text) => text
  }
}

/**
 * Bytes in the format `hex`. Another session may have answered in another one, behind a pooler that changed its mode.
 */
function readBytes(text: string): Uint8Array {
  if (!text.startsWith('\\x')) throw new Error(foreignFormat)
  return Buffer.from(text.slice(2), 'hex')
}

interface SessionTraits {
  readonly onForeignSession: (() => void) | undefined
  /** The characteristics of a transaction that has no others. */
  readonly characteristics: string
  /** The statements that each transaction begins with. */
  readonly locals: readonly string[]
}

function wrapClient(
  { client, config }: ConnectedClient,
  statements: StatementTexts,
  { characteristics: usual, locals, onForeignSession }: SessionTraits,
): Connection {
  let open = true
  let isClosed = false
  for (const event of ['error', 'end'] as const) {
    client.once(event, () => {
      open = false
    })
  }

  /** The end of what was posted; it rejects with the first error, and so does all that follows it. */
  let posted: Promise<unknown> = Promise.resolve()
  const behind = <Result>(work: () => Promise<Result>): Promise<Result> => posted.then(work)

  function post(work: () => Promise<unknown>): void {
    posted = behind(work)
    posted.catch(() => undefined)
  }

  async function query(sql: string, parameters: readonly SqlInput[]): Promise<QueryArrayResult<never[]>> {
    const { name, text } = statements.prepare(sql)
    const named = name === null ? {} : { name }
    const run = () =>
      client
        .query<never[]>({ ...named, text, values: parameters.map(toSend), rowMode: 'array' })
        .catch(endIfForeign)
    if (!traced.statement.hasSubscribers) return await run()
    return await traced.statement.tracePromise(run, { system: 'postgresql', text })
  }

  /** Ends a connection whose statements go to other sessions than the one they were prepared in. */
  function endIfForeign(error: unknown): never {
    if (isForeignSession(error)) {
      open = false
      client.end().catch(() => undefined)
      onForeignSession?.()
    }
    throw error
  }

  const ask = (sql: string, parameters: readonly SqlInput[]) => behind(() => query(sql, parameters))

  async function allOf<Row extends SqlRow>(select: string, keys: KeyColumns): Promise<Row[][]> {
    const columns = Object.entries(keys)
    const found = Array.from(columns[0]?.[1].values ?? [], (): Row[] => [])
    if (found.length === 0) return found
    const types = columns.map(([, { type }]) => `?::${sqlTypes[type]}[]`).join(', ')
    const names = columns.map(([name]) => name).join(', ')
    const { rows } = await ask(
      `SELECT k.ordinal, r.* FROM unnest(${types}) WITH ORDINALITY AS k (${names}, ordinal) ` +
        `CROSS JOIN LATERAL (${select}) AS r`,
      columns.map(([, { values }]) => values),
    )
    for (const [ordinal, ...row] of rows as unknown as [ordinal: number, ...Row][]) {
      found[ordinal - 1]?.push(row)
    }
    return found
  }

  async function copyRows({ table, columns }: CopyTarget, pieces: Iterable<Uint8Array>): Promise<void> {
    const names = Object.keys(columns).join(', ')
    const stream = client.query(copyFrom(`COPY ${table} (${names}) FROM STDIN (FORMAT binary)`))
    await pipeline(Readable.from(pieces), stream)
  }

  return {
    dialect: postgresDialect,
    allOf,
    // By the limit each key is looked up by itself, whatever the statistics of the table say; a plan that was made for
    // an empty table would pass over all rows instead.
    firstOf: async <Row extends SqlRow>(select: string, keys: KeyColumns) =>
      (await allOf<Row>(`${select} LIMIT 1`, keys)).map(([row]) => row),
    // The shape of a row follows from the text of its statement, which no type can express: the one cast of this store.
    all: async <Row extends SqlRow>(sql: string, ...parameters: readonly SqlInput[]) =>
      (await ask(sql, parameters)).rows as unknown as Row[],
    get: async <Row extends SqlRow>(sql: string, ...parameters: readonly SqlInput[]) =>
      (await ask(sql, parameters)).rows[0] as unknown as Row | undefined,
    run: async (sql, ...parameters) => (await ask(sql, parameters)).rowCount ?? 0,
    post: (sql, ...parameters) => {
      post(() => query(sql, parameters))
    },
    exec: async (sql) => void (await behind(() => client.query(sql))),
    begin: async (characteristics, settings) => {
      const own = Object.entries(settings ?? {}).map(([name, value]) => `SET LOCAL ${name} = '${value}'`)
      const texts = [`BEGIN ${characteristics === '' ? usual : characteristics}`, ...locals, ...own]
      await behind(() => client.query(texts.join('; ')))
    },
    copy: (target, pieces) => behind(() => copyRows(target, pieces)),
    postCopy: (target, pieces, explain) => {
      post(() =>
        copyRows(target, pieces).catch((error: unknown) => {
          throw explain(error)
        }),
      )
    },
    rollback: async () => {
      posted = posted.catch(() => undefined)
      await behind(() => client.query('ROLLBACK'))
    },
    async *batches<Row extends SqlRow>(sql: string, ...parameters: readonly SqlInput[]) {
      const cursor = statements.nextCursor()
      const { text } = statements.number(sql)
      await behind(() => client.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${text}`, [...parameters]))
      let count = cursorRowsFirst
      try {
        for (;;) {
          const fetch = { text: `FETCH ${count} FROM ${cursor}`, rowMode: 'array' as const }
          const { rows } = await behind(() => client.query<never[]>(fetch))
          if (rows.length > 0) yield rows as unknown as Row[]
          if (rows.length < count) return
          count = nextCount(rows)
        }
      } finally {
        if (open) await behind(() => client.query(`CLOSE ${cursor}`)).catch(() => undefined)
      }
    },
    onEnd: (listener) => void client.once('end', listener),
    isOpen: () => open,
    cancel: async (backendId) => {
      const other = new Client(config)
      other.on('error', () => undefined)
      try {
        await other.connect()
        await other.query('SELECT pg_cancel_backend($1)', [backendId])
      } finally {
        other.end().catch(() => undefined)
      }
    },
    close: async () => {
      if (isClosed) return
      isClosed = true
      open = false
      await client.end()
    },
  }
}

/** The driver quotes each member of an array, for the server to remove the quotes: numbers need none. */
function toSend(value: SqlInput): SqlInput {
  if (!Array.isArray(value) || !value.every(isNumberOrNull)) return value
  return `{${value.map((each) => each ?? 'NULL').join(',')}}`
}

function isNumberOrNull(value: SqlInput): value is number | bigint | null {
  return value === null || typeof value === 'number' || typeof value === 'bigint'
}

/** How many rows of the length of these a cursor is to bring next. */
function nextCount(rows: readonly SqlRow[]): number {
  let length = 0
  for (const row of rows) {
    for (const value of row) {
      if (typeof value === 'string' || value instanceof Uint8Array) length += value.length
    }
  }
  return Math.max(1, Math.min(cursorRowsMax, Math.floor((cursorLength * rows.length) / Math.max(1, length))))
}
