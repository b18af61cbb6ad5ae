import type { AddressCounts } from '../layout/entries.ts'
import { firstOwnId } from '../layout/rowId.ts'
import { takenIdError } from '../layout/takenIdError.ts'
import {
  columnsOf,
  nameOf,
  specOfTable,
  type AnyTable,
  type ColumnType,
  type RowOf,
} from '../layout/tables.ts'
import { columnType, decodeRows, selected, typedTables, type AnyRow } from '../port/anyTables.ts'
import type { SqlRow, SqlValue } from '../port/reads.ts'
import type { CountedValue, NextIds, StoredStart, StoredState, Tables } from '../port/tables.ts'
import type { Connection, SqlInput } from './connection.ts'
import { copyTarget, encodeCopy } from './encodeCopy.ts'
import { sqlTypes } from './storedTables.ts'
import { decodeText, encodeText } from './textColumn.ts'
import { uniqueViolation } from './translatePostgresError.ts'

/**
 * The tables of an index in the running transaction of a connection. New rows go by `COPY`, piece by piece, so that the
 * server works on one piece while the next is made. Any other change of many rows is one statement over `unnest`.
 * Statements that only write are posted: the writer gathers the next rows while the server works.
 */
export function createPostgresTables(connection: Connection): Tables {
  return typedTables(connection, {
    gatherStatistics: (tables) => connection.exec(`ANALYZE ${[...new Set(tables)].join(', ')}`),
    readStart: () => readStart(connection),
    nextIds: (ordinal) => nextIds(connection, ordinal),
    lockState: () => lockState(connection),
    saveState: async (state, touched) => saveState(connection, state, touched),
    findBy: (table, columns, by, values, and) => findBy(connection, table, columns, by, values, and),
    append: async (table, rows) => append(connection, table, rows),
    update: async (table, columns, rows) => update(connection, table, columns, rows),
    moveAddresses: (rows) => moveAddresses(connection, rows),
    put: async (table, rows) => put(connection, table, rows),
    add: async (table, rows) => void (await add(connection, table, rows, false)),
    addAndRead: (table, rows) => add(connection, table, rows, true),
    addValues: (rows) => addValues(connection, rows),
    remove: async (table, columns, keys) => remove(connection, table, columns, keys),
    decode,
    run: connection.run,
  })
}

async function readStart(connection: Connection): Promise<StoredStart> {
  const row = await connection.get<[number]>('SELECT rank_threshold FROM index_state')
  // Nobody else writes to a chain that the session has claimed.
  return { rankThreshold: found(row)[0], revision: 0 }
}

/** Another chain's writer gives ids at the same time: each has a range. */
async function nextIds(connection: Connection, ordinal: number): Promise<NextIds> {
  const [first, end] = [firstOwnId(ordinal), firstOwnId(ordinal + 1)]
  const last = (table: string) => `(SELECT max(id) FROM ${table} WHERE id >= ? AND id < ?)`
  const row = await connection.get<[number | null, number | null]>(
    `SELECT ${last('address')}, ${last('schema')}`,
    first,
    end,
    first,
    end,
  )
  const next = (id: number | null | undefined) => (id == null ? first : id + 1)
  return { nextAddressId: next(row?.[0]), nextSchemaId: next(row?.[1]) }
}

async function lockState(connection: Connection): Promise<StoredState> {
  const row = await connection.get<[number, number, number]>(
    'SELECT version, attestation_count, schema_count FROM index_state FOR UPDATE',
  )
  const [version, attestationCount, schemaCount] = found(row)
  return { version, attestationCount, schemaCount }
}

function found<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('the database has no row of its state')
  return row
}

function saveState(connection: Connection, state: StoredState, touched: boolean): void {
  connection.post(
    'UPDATE index_state SET version = version + ?, attestation_count = ?, schema_count = ?',
    touched ? 1 : 0,
    state.attestationCount,
    state.schemaCount,
  )
}

/**
 * The plan follows the given rows, so that writers of several chains lock the addresses that they share in one order.
 */
async function moveAddresses(
  connection: Connection,
  rows: readonly AnyRow[],
): Promise<readonly AddressCounts[]> {
  if (rows.length === 0) return []
  const counts = ['schemas_created', 'created', 'received_other', 'received_self']
  const given = ['id', ...counts]
  const moved = await connection.all<[number, number, number, number, number]>(
    `UPDATE address t SET ${counts.map((count) => `${count} = t.${count} + u.${count}`).join(', ')} ` +
      `FROM ${unnested('address', given)} AS u (${given.join(', ')}) WHERE t.id = u.id ` +
      `RETURNING t.id, ${counts.map((count) => `t.${count}`).join(', ')}`,
    ...columnArrays('address', given, rows),
  )
  const after = new Map(
    moved.map(([id, schemasCreated, created, receivedOther, receivedSelf]) => [
      id,
      { schemasCreated, created, receivedOther, receivedSelf },
    ]),
  )
  return rows.map(({ id }) => {
    const counted = after.get(id as number)
    if (counted === undefined) throw new Error(`the address ${String(id)} has no row`)
    return counted
  })
}

/**
 * `chain_id + 0` keeps the planner from the indexes that begin with the chain. While a table has no statistics, one of
 * them looks cheaper than the index of `by`, and the statement then passes over all records of the chain.
 */
async function findBy(
  connection: Connection,
  table: AnyTable,
  columns: readonly string[],
  by: string,
  values: readonly unknown[],
  and?: { readonly chain_id: number },
): Promise<AnyRow[]> {
  if (values.length === 0) return []
  const type = columnType(table, by)
  const rows = await connection.all<SqlRow>(
    `SELECT ${selected(table, columns)} FROM ${nameOf(table)} WHERE ${by} = ANY(?::${sqlTypes[type]}[])` +
      (and === undefined ? '' : ' AND chain_id + 0 = ?'),
    values.map((value) => encode(table, by, type, value)),
    ...(and === undefined ? [] : [and.chain_id]),
  )
  return decodeRows(table, columns, rows, decode)
}

function append(connection: Connection, table: AnyTable, rows: Iterable<AnyRow>): void {
  const iterator = rows[Symbol.iterator]()
  const first = iterator.next()
  if (first.done === true) return
  const target = copyTarget(table)
  connection.postCopy(target, encodeCopy(target, startingWith(first.value, iterator)), (error) => {
    const taken = uniqueViolation(error)
    if (taken?.index !== 'attestation_by_local_id') return error
    return takenIdError('attestation', `0x${taken.key.split(',')[0] ?? ''}`, error)
  })
}

function* startingWith<Row>(first: Row, rest: Iterator<Row>): Generator<Row> {
  yield first
  for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value
}

function update(
  connection: Connection,
  table: AnyTable,
  columns: readonly string[],
  rows: readonly AnyRow[],
): void {
  if (rows.length === 0) return
  const { key } = specOfTable(table)
  const given = [...key, ...columns]
  connection.post(
    `UPDATE ${nameOf(table)} t SET ${columns.map((column) => `${column} = u.${column}`).join(', ')} ` +
      `FROM ${unnested(table, given)} AS u (${given.join(', ')}) WHERE ${sameKey(key, 'u')}`,
    ...columnArrays(table, given, rows),
  )
}

function put(connection: Connection, table: AnyTable, rows: readonly AnyRow[]): void {
  if (rows.length === 0) return
  const { key } = specOfTable(table)
  const columns: readonly string[] = columnsOf(table)
  const replaced = columns.filter((column) => !key.includes(column))
  connection.post(
    `INSERT INTO ${nameOf(table)} (${columns.join(', ')}) SELECT * FROM ${unnested(table, columns)} ` +
      `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ` +
      replaced.map((column) => `${column} = excluded.${column}`).join(', '),
    ...columnArrays(table, columns, rows),
  )
}

/** The plan of the insert is one scan of the given rows, so that it returns the counts in their order. */
async function add(
  connection: Connection,
  table: AnyTable,
  rows: readonly AnyRow[],
  isRead: boolean,
): Promise<readonly number[]> {
  if (rows.length === 0) return []
  const { key } = specOfTable(table)
  const columns: readonly string[] = columnsOf(table)
  const counts = columns.filter((column) => !key.includes(column))
  const sql =
    `INSERT INTO ${nameOf(table)} AS t (${columns.join(', ')}) SELECT * FROM ${unnested(table, columns)} ` +
    `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ` +
    counts.map((column) => `${column} = t.${column} + excluded.${column}`).join(', ')
  const arrays = columnArrays(table, columns, rows)
  const returned = ` RETURNING ${counts.map((column) => `t.${column}`).join(', ')}`
  const after = isRead ? await connection.all<[number]>(sql + returned, ...arrays) : []
  if (!isRead) connection.post(sql, ...arrays)
  if (rows.some((row) => counts.some((column) => Number(row[column]) < 0))) {
    connection.post(
      `DELETE FROM ${nameOf(table)} t USING ${unnested(table, key)} AS u (${key.join(', ')}) WHERE ${sameKey(key, 'u')} ` +
        counts.map((column) => `AND t.${column} = 0`).join(' '),
      ...columnArrays(table, key, rows),
    )
  }
  return after.map(([count]) => count)
}

async function addValues(
  connection: Connection,
  rows: readonly RowOf<'field_value'>[],
): Promise<readonly CountedValue[]> {
  if (rows.length === 0) return []
  const { key } = specOfTable('field_value')
  const columns = columnsOf('field_value')
  const counted = await connection.all<[number, number]>(
    `INSERT INTO field_value AS t (${columns.join(', ')}) SELECT * FROM ${unnested('field_value', columns)} ` +
      `ON CONFLICT (${key.join(', ')}) DO UPDATE SET value = excluded.value, count = t.count + excluded.count ` +
      'RETURNING t.id, t.count',
    ...columnArrays('field_value', columns, rows),
  )
  const gone = rows.filter((_, index) => counted[index]?.[1] === 0)
  remove(connection, 'field_value', key, gone)
  return counted.map(([id, count]) => ({ id, count }))
}

function remove(
  connection: Connection,
  table: AnyTable,
  columns: readonly string[],
  keys: readonly AnyRow[],
): void {
  if (keys.length === 0) return
  connection.post(
    `DELETE FROM ${nameOf(table)} t USING ${unnested(table, columns)} AS u (${columns.join(', ')}) WHERE ${sameKey(columns, 'u')}`,
    ...columnArrays(table, columns, keys),
  )
}

/** `unnest(…)` of an array for each column. */
function unnested(table: AnyTable, columns: readonly string[]): string {
  return `unnest(${columns.map((column) => `?::${sqlTypes[columnType(table, column)]}[]`).join(', ')})`
}

function columnArrays(
  table: AnyTable,
  columns: readonly string[],
  rows: readonly AnyRow[],
): readonly SqlInput[] {
  return columns.map((column) => {
    const type = columnType(table, column)
    return rows.map((row) => encode(table, column, type, row[column]))
  })
}

function sameKey(key: readonly string[], other: string): string {
  return key.map((column) => `t.${column} = ${other}.${column}`).join(' AND ')
}

function encode(table: AnyTable, column: string, type: ColumnType | undefined, value: unknown): SqlInput {
  if (typeof value !== 'string') return value as SqlInput
  if (type === 'chainText') return encodeText(value)
  // PostgreSQL keeps no NUL; U+FFFF is no character either, and no keyword holds it.
  return table === 'schema_text' && column !== 'schema_id' ? value.replaceAll('\0', '\uffff') : value
}

function decode(type: ColumnType, value: SqlValue): unknown {
  if (typeof value !== 'string') return value
  if (type === 'int64') return BigInt(value)
  return type === 'chainText' ? decodeText(value) : value
}
