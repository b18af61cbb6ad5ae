import type { AddressCounts } from '../layout/entries.ts'
import { countClass } from '../layout/countClass.ts'
import {
  columnsOf,
  nameOf,
  specOfTable,
  type AnyTable,
  type ColumnType,
  type RowOf,
} from '../layout/tables.ts'
import { takenIdError } from '../layout/takenIdError.ts'
import { columnType, decodeRows, selected, typedTables, type AnyRow } from '../port/anyTables.ts'
import type { SqlInput, SqlRow, SqlValue } from '../port/reads.ts'
import type { CountedValue, StoredStart, StoredState, Tables } from '../port/tables.ts'
import type { Connection, Statement } from './connection.ts'
import { decodeText, encodeText } from './textColumn.ts'
import { isUniqueViolation } from './translateSqliteError.ts'

/**
 * The tables of an index in the running transaction of a connection: each call is a loop over prepared statements,
 * which ends before the call returns. Three tables differ from the catalogue (storedTables.ts): `received` stands
 * twice, the class of a schema's count is written here, and `schema_text` is a full-text index beside the columns of
 * folded text.
 */
export function createSqliteTables(connection: Connection): Tables {
  return typedTables(connection, {
    run: async (sql, ...parameters) => Number(connection.statement(sql).run(...parameters).changes),
    gatherStatistics: async () => {},
    readStart: async () => readStart(connection),
    nextIds: async () => ({
      nextAddressId: nextId(connection, 'address'),
      nextSchemaId: nextId(connection, 'schema'),
    }),
    lockState: async () => lockState(connection),
    saveState: async (state, touched) => saveState(connection, state, touched),
    findBy: async (table, columns, by, values, and) => findBy(connection, table, columns, by, values, and),
    append: async (table, rows) => append(connection, table, rows),
    update: async (table, columns, rows) => update(connection, table, columns, rows),
    moveAddresses: async (rows) => moveAddresses(connection, rows),
    put: async (table, rows) => put(connection, table, rows),
    add: async (table, rows) => void addAndRead(connection, table, rows),
    addAndRead: async (table, rows) => addAndRead(connection, table, rows),
    addValues: async (rows) => addValues(connection, rows),
    remove: async (table, columns, keys) => remove(connection, table, columns, keys),
    decode,
  })
}

/**
 * Others that write are locked out by the transaction itself. A commit of theirs moves `data_version`, one of ours does
 * not.
 */
function readStart(connection: Connection): StoredStart {
  const [rankThreshold] = stateRow<[number]>(connection, 'rank_threshold')
  const revision = connection.statement<[number]>('PRAGMA data_version').get()?.[0] ?? 0
  return { rankThreshold, revision }
}

function lockState(connection: Connection): StoredState {
  const columns = 'version, attestation_count, schema_count'
  const [version, attestationCount, schemaCount] = stateRow<[number, number, number]>(connection, columns)
  return { version, attestationCount, schemaCount }
}

function stateRow<Row extends SqlRow>(connection: Connection, columns: string): Row {
  const row = connection.statement<Row>(`SELECT ${columns} FROM index_state`).get()
  if (row === undefined) throw new Error('the database has no row of its state')
  return row
}

/** Chains take turns: their ids are of one range, which leaves them short. */
function nextId(connection: Connection, table: 'address' | 'schema'): number {
  return (connection.statement<[number | null]>(`SELECT max(id) FROM ${table}`).get()?.[0] ?? 0) + 1
}

function saveState(connection: Connection, state: StoredState, touched: boolean): void {
  connection
    .statement('UPDATE index_state SET version = version + ?, attestation_count = ?, schema_count = ?')
    .run(touched ? 1 : 0, state.attestationCount, state.schemaCount)
}

function moveAddresses(connection: Connection, rows: readonly AnyRow[]): readonly AddressCounts[] {
  const select = connection.statement<[number, number, number, number]>(
    'SELECT schemas_created, created, received_other, received_self FROM address WHERE id = ?',
  )
  const update = connection.statement(
    'UPDATE address SET schemas_created = ?, created = ?, received_other = ?, received_self = ? WHERE id = ?',
  )
  return rows.map((row) => {
    const before = select.get(row.id as number)
    if (before === undefined) throw new Error(`the address ${String(row.id)} has no row`)
    const schemasCreated = before[0] + (row.schemas_created as number)
    const created = before[1] + (row.created as number)
    const receivedOther = before[2] + (row.received_other as number)
    const receivedSelf = before[3] + (row.received_self as number)
    update.get(schemasCreated, created, receivedOther, receivedSelf, row.id as number)
    return { schemasCreated, created, receivedOther, receivedSelf }
  })
}

function findBy(
  connection: Connection,
  table: AnyTable,
  columns: readonly string[],
  by: string,
  values: readonly unknown[],
  and?: { readonly chain_id: number },
): AnyRow[] {
  const statement = connection.statement<SqlRow>(
    `SELECT ${selected(table, columns)} FROM ${nameOf(table)} WHERE ${by} = ?${and === undefined ? '' : ' AND chain_id = ?'}`,
  )
  const more = and === undefined ? [] : [and.chain_id]
  const rows = values.flatMap((value) => statement.all(value as SqlInput, ...more))
  return decodeRows(table, columns, rows, decode)
}

function append(connection: Connection, table: AnyTable, rows: Iterable<AnyRow>): void {
  switch (table) {
    case 'received':
      return appendReceived(connection, rows)
    case 'schema':
      return insert(connection, 'schema', [...bound('schema', columnsOf('schema')), classColumn], rows)
    default:
      return insert(connection, nameOf(table), bound(table, columnsOf(table)), rows)
  }
}

/**
 * All rows of the one table come before those of the other, so that pages of each are written while they are at hand.
 */
function appendReceived(connection: Connection, rows: Iterable<AnyRow>): void {
  const all = [...rows]
  for (const [table, columns] of receivedTables) insert(connection, table, bound('received', columns), all)
}

const receivedTables = [
  ['received_by_chain', ['address_id', 'is_self', 'chain_id', 'attest_timestamp', 'id']],
  ['received_by_schema', ['address_id', 'is_self', 'schema_id', 'attest_timestamp', 'id']],
] as const

function insert(
  connection: Connection,
  table: string,
  columns: readonly BoundColumn[],
  rows: Iterable<AnyRow>,
): void {
  const names = columns.map(({ name }) => name)
  const statement = connection.statement(insertInto(table, names))
  for (const row of rows) {
    try {
      runWith(statement, columns, row)
    } catch (error) {
      if (table !== 'attestation' || !isUniqueViolation(error)) throw error
      throw takenIdError('attestation', `0x${String(row.local_id)}`, error)
    }
  }
}

function update(
  connection: Connection,
  table: AnyTable,
  columns: readonly string[],
  rows: readonly AnyRow[],
): void {
  const { key } = specOfTable(table)
  const more = table === 'schema' && columns.includes('attestation_count') ? [classColumn] : []
  const set = [...bound(table, columns), ...more]
  const given = [...set, ...bound(table, key)]
  const statement = connection.statement(
    `UPDATE ${nameOf(table)} SET ${set.map(({ name }) => `${name} = ?`).join(', ')} WHERE ${equals(key)}`,
  )
  for (const row of rows) runWith(statement, given, row)
}

function put(connection: Connection, table: AnyTable, rows: readonly AnyRow[]): void {
  if (table === 'schema_text') return putTexts(connection, rows)
  const columns = columnsOf(table)
  const given = bound(table, columns)
  const replaced = besideKey(table).map((column) => `${column} = excluded.${column}`)
  const statement = connection.statement(
    `${insertInto(nameOf(table), columns)} ON CONFLICT DO UPDATE SET ${replaced.join(', ')}`,
  )
  for (const row of rows) runWith(statement, given, row)
}

function putTexts(connection: Connection, rows: readonly AnyRow[]): void {
  const fold = connection.statement('UPDATE schema SET name_folded = ?, description_folded = ? WHERE id = ?')
  const remove = connection.statement('DELETE FROM schema_text WHERE rowid = ?')
  const insertText = connection.statement(
    'INSERT INTO schema_text (rowid, name, description) VALUES (?, ?, ?)',
  )
  for (const row of rows) {
    const [id, name, description] = [row.schema_id as number, String(row.name), String(row.description)]
    fold.run(name, description, id)
    remove.run(id)
    insertText.run(id, indexedText(name), indexedText(description))
  }
}

/** The tokenizer stops at a NUL; no keyword holds one, so that a space in its place finds neither more nor less. */
export function indexedText(folded: string): string {
  return folded.replaceAll('\0', ' ')
}

/** Reads the counts first: `RETURNING` makes a table of its own for each statement, which costs more than the read. */
function addAndRead(connection: Connection, table: AnyTable, rows: readonly AnyRow[]): readonly number[] {
  const { key } = specOfTable(table)
  const counts = besideKey(table)
  const keys = bound(table, key)
  const select = connection.statement<number[]>(
    `SELECT ${counts.join(', ')} FROM ${nameOf(table)} WHERE ${equals(key)}`,
  )
  const columns = columnsOf(table)
  const given = bound(table, columns)
  const moved = counts.map((count) => `${count} = ${count} + excluded.${count}`)
  const addition = connection.statement(
    `${insertInto(nameOf(table), columns)} ON CONFLICT DO UPDATE SET ${moved.join(', ')}`,
  )
  const gone: AnyRow[] = []
  const after = rows.map((row) => {
    const before = select.get(...valuesOf(keys, row))
    runWith(addition, given, row)
    const left = counts.map((count, index) => (before?.[index] ?? 0) + (row[count] as number))
    if (left.every((count) => count === 0)) gone.push(row)
    return left[0] ?? 0
  })
  if (gone.length > 0) remove(connection, table, key, gone)
  return after
}

function insertInto(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
}

/** The columns of a table that do not name its rows. */
function besideKey(table: AnyTable): readonly string[] {
  const { key } = specOfTable(table)
  return columnsOf(table).filter((column) => !key.includes(column))
}

function addValues(connection: Connection, rows: readonly RowOf<'field_value'>[]): readonly CountedValue[] {
  const addition = connection.statement(
    'INSERT INTO field_value (field_id, value_key, id, value, count) VALUES (?, ?, ?, ?, ?) ' +
      'ON CONFLICT DO UPDATE SET value = excluded.value, count = count + excluded.count',
  )
  const known = connection.statement<[number, number]>(
    'SELECT id, count FROM field_value WHERE field_id = ? AND value_key = ?',
  )
  const counted = rows.map(({ field_id, value_key, id, value, count }) => {
    const [storedId, before] = known.get(field_id, value_key) ?? [id, 0]
    addition.get(field_id, value_key, id, encodeText(value), count)
    return { id: storedId, count: before + count }
  })
  const gone = rows.filter((_, index) => counted[index]?.count === 0)
  if (gone.length > 0) remove(connection, 'field_value', specOfTable('field_value').key, gone)
  return counted
}

function remove(
  connection: Connection,
  table: AnyTable,
  columns: readonly string[],
  keys: readonly AnyRow[],
): void {
  if (table === 'received') {
    for (const [one, key] of receivedTables) deleteRows(connection, one, bound(table, key), keys)
    return
  }
  if (table === 'schema_text') return removeTexts(connection, keys)
  deleteRows(connection, nameOf(table), bound(table, columns), keys)
}

function deleteRows(
  connection: Connection,
  table: string,
  columns: readonly BoundColumn[],
  keys: readonly AnyRow[],
): void {
  const statement = connection.statement(
    `DELETE FROM ${table} WHERE ${equals(columns.map(({ name }) => name))}`,
  )
  for (const key of keys) runWith(statement, columns, key)
}

function removeTexts(connection: Connection, keys: readonly AnyRow[]): void {
  const unfold = connection.statement(
    'UPDATE schema SET name_folded = NULL, description_folded = NULL WHERE id = ?',
  )
  const removeText = connection.statement('DELETE FROM schema_text WHERE rowid = ?')
  for (const { schema_id } of keys) {
    unfold.run(schema_id as number)
    removeText.run(schema_id as number)
  }
}

/** Makes the text index one piece; every transaction that registers schemas adds another. */
export function mergeSchemaText(connection: Connection): void {
  connection.statement("INSERT INTO schema_text (schema_text) VALUES ('optimize')").run()
}

/** A column of a statement, with the parameter that it has of a row. */
interface BoundColumn {
  readonly name: string
  readonly encode: (row: AnyRow) => SqlInput
}

/** The class of a schema's count, which PostgreSQL computes itself. */
const classColumn: BoundColumn = {
  name: 'count_class',
  encode: (row) => countClass(row.attestation_count as number),
}

function bound(table: AnyTable, columns: readonly string[]): readonly BoundColumn[] {
  return columns.map((name) => ({ name, encode: encoderOf(columnType(table, name), name) }))
}

function encoderOf(type: ColumnType, name: string): BoundColumn['encode'] {
  switch (type) {
    case 'boolean':
      return (row) => (row[name] === null ? null : row[name] === true ? 1 : 0)
    case 'chainText':
      return (row) => (row[name] === null ? null : encodeText(row[name] as string))
    case 'int53List':
      return (row) => (row[name] as readonly number[]).join(',') || null
    default:
      return (row) => row[name] as SqlInput
  }
}

/** `get` takes 0.3 µs less than `run`, which makes an object of the number of changes and of the last row id. */
function runWith(statement: Statement<SqlRow>, columns: readonly BoundColumn[], row: AnyRow): void {
  statement.get(...valuesOf(columns, row))
}

function valuesOf(columns: readonly BoundColumn[], row: AnyRow): SqlInput[] {
  return columns.map(({ encode }) => encode(row))
}

function equals(columns: readonly string[]): string {
  return columns.map((column) => `${column} = ?`).join(' AND ')
}

function decode(type: ColumnType, value: SqlValue): unknown {
  switch (type) {
    case 'int53List':
      return typeof value === 'string' ? value.split(',').map(Number) : []
    case 'boolean':
      return value === null ? null : value === 1
    case 'chainText':
      return value === null ? null : decodeText(value)
    case 'int64':
      return typeof value === 'string' ? BigInt(value) : null
    default:
      return value
  }
}
