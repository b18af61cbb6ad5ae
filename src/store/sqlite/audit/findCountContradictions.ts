import type { Difference } from '../../indexAudit.ts'
import type { Connection } from '../connection.ts'
import {
  aggregateTables,
  counterColumns,
  expectCounters,
  fillAggregates,
  type AggregateTable,
} from './aggregates.ts'
import { rowDifference } from '../../audit/differences.ts'

/**
 * Works out every counter from the records into temporary tables, and compares. A counter of a chain that is off may as well
 * be right and the records wrong: nothing here can tell.
 */
export function* findCountContradictions(connection: Connection): Generator<Difference> {
  expectCounters(connection)
  yield* compareColumns(connection)
  for (const { name } of aggregateTables) shadowTable(connection, name)
  fillAggregates(connection)
  for (const table of aggregateTables) yield* compareTable(connection, table)
  for (const { name } of aggregateTables) connection.exec(`DROP TABLE temp.${name}`)
}

function* compareColumns(connection: Connection): Generator<Difference> {
  for (const { table, id, columns } of counterColumns) {
    for (const column of columns) {
      const rows = connection
        .statement<[number, number | null, number | null]>(
          `SELECT ${id}, m.${column}, e.${column} FROM temp.expected_${table} e LEFT JOIN main.${table} m USING (${id}) ` +
            `WHERE m.${column} IS NOT e.${column}`,
        )
        .iterate()
      for (const [key, stored, expected] of rows) {
        const values = { stored: stored === null ? null : String(stored), expected: String(expected) }
        const subject = describeRow(connection, table, key)
        if (table === 'chain')
          yield { ...chainDifference(connection, key, subject), field: column, ...values }
        else yield rowDifference('derived', subject, values, 'rebuild', column)
      }
    }
  }
}

function chainDifference(connection: Connection, ordinal: number, subject: string) {
  const chainId = connection
    .statement<[number]>('SELECT chain_id FROM chain WHERE ordinal = ?')
    .get(ordinal)?.[0]
  return { what: 'derived', chainId: chainId ?? null, blockNumber: null, subject, remedy: 'recount' } as const
}

/** Names the row by what people know it by. */
function describeRow(connection: Connection, table: string, key: number): string {
  const named = nameQueries[table]
  const name = named === undefined ? undefined : connection.statement<[string]>(named).get(key)?.[0]
  return `${table} (${name ?? key})`
}

const nameQueries: Readonly<Record<string, string>> = {
  address: "SELECT '0x' || lower(hex(bytes)) FROM address WHERE id = ?",
  schema: "SELECT 'onchain_evm_' || chain_id || '_0x' || local_id FROM schema WHERE id = ?",
  chain: 'SELECT CAST(chain_id AS TEXT) FROM chain WHERE ordinal = ?',
}

/** Makes an empty temporary table like the stored one, and of its name: SQLite finds it first. */
function shadowTable(connection: Connection, name: string): void {
  const sql = connection
    .statement<[string]>("SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = ?")
    .get(name)?.[0]
  if (sql === undefined) throw new Error(`the table ${name} is missing`)
  connection.exec(`DROP TABLE IF EXISTS temp.${name}`)
  connection.exec(sql.replace(/^CREATE TABLE/, 'CREATE TEMP TABLE'))
}

function* compareTable(connection: Connection, { name, key, value }: AggregateTable): Generator<Difference> {
  const keys = key.join(', ')
  const shownKey = key
    .map((column) => `'${column} ' || ${column === 'attester' ? 'lower(hex(attester))' : column}`)
    .join(" || ', ' || ")
  const of = (schema: 'main' | 'temp') => `(SELECT ${keys}, ${value} AS value FROM ${schema}.${name})`
  const rows = connection
    .statement<[string, string | number | null, string | number | null]>(
      `SELECT ${shownKey}, m.value, e.value FROM ${of('main')} m LEFT JOIN ${of('temp')} e USING (${keys}) ` +
        `WHERE m.value IS NOT e.value UNION ALL ` +
        `SELECT ${shownKey}, NULL, e.value FROM ${of('temp')} e LEFT JOIN ${of('main')} m USING (${keys}) ` +
        'WHERE m.value IS NULL',
    )
    .iterate()
  for (const [subject, stored, expected] of rows) {
    const values = { stored: textOf(stored), expected: textOf(expected) }
    yield rowDifference('derived', `${name} (${subject})`, values, 'rebuild')
  }
}

function textOf(value: string | number | null): string | null {
  return value === null ? null : String(value)
}
