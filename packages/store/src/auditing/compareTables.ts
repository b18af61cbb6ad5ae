import { setImmediate as nextTurn } from 'node:timers/promises'
import { formatCompositeId, type LocalId } from '@attestry/core/model/compositeId.ts'
import type { Difference } from '@attestry/core/index/indexAudit.ts'
import { ownIdShift, positionMask } from '../layout/rowId.ts'
import { parseColumnSpec } from '../layout/tables.ts'
import type { SqlRow, SqlValue } from '../port/reads.ts'
import {
  attestationTable,
  chainCounters,
  comparedTable,
  derivedTables,
  eventTables,
  rootTables,
  schemaDerivedColumns,
  schemaTable,
  specOf,
  type ComparedTable,
} from './comparedTables.ts'
import { damagedDifference, eventDifference, rowDifference, shown } from './differences.ts'
import type { ShadowIndex } from './shadowIndex.ts'

/**
 * Compares every stored table with its shadow. If the row of a record differs from its event, tables that derive from
 * the records are not compared. They follow from the row or from the event, and only the chain can tell which of the
 * two is right.
 */
export async function* compareTables(shadow: ShadowIndex): AsyncGenerator<Difference> {
  let isSound = true
  for await (const difference of compareRecords(shadow)) {
    if (difference.what === 'rendered') isSound = false
    yield difference
  }
  if (!isSound) return
  const { layout } = shadow
  for (const table of [...eventTables(layout), ...derivedTables(layout)]) {
    yield* compareDerived(shadow, table)
  }
  yield* shadow.compareBesides()
  yield* compareTotals(shadow)
  yield* compareDigests(shadow)
}

async function* compareRecords(shadow: ShadowIndex): AsyncGenerator<Difference> {
  for (const { range, damaged } of shadow.chains) {
    for (const event of damaged) yield damagedDifference(range.chainId, event)
  }
  yield* findOrphans(shadow)
  yield* compareAttestations(shadow)
  yield* compareSchemas(shadow)
}

/** Finds rows of no chain: no event of any chain is read from them. */
async function* findOrphans({ tables, stored, shadow }: ShadowIndex): AsyncGenerator<Difference> {
  const queries = [
    ...rootTables.map(
      (table) =>
        `SELECT concat('${table} (', t.id, ')') FROM ${stored}.${table} t ` +
        `WHERE NOT EXISTS (SELECT 1 FROM ${shadow}.chain c WHERE c.ordinal = t.id >> 53)`,
    ),
    ...[
      ['schema', 't.id'],
      ['recent_block', "t.chain_id, ', ', t.number"],
    ].map(
      ([table, name]) =>
        `SELECT concat('${table} (', ${name}, ')') FROM ${stored}.${table} t ` +
        `WHERE NOT EXISTS (SELECT 1 FROM ${shadow}.chain c WHERE c.chain_id = t.chain_id)`,
    ),
  ]
  for (const query of queries) {
    for await (const rows of tables.batches<[string]>(query)) {
      for (const [subject] of rows) {
        const values = { stored: 'a row of no chain', expected: null }
        yield rowDifference('orphan', subject, values, 'rebuild')
      }
    }
  }
}

async function* compareAttestations(shadow: ShadowIndex): AsyncGenerator<Difference> {
  const table = attestationTable(shadow.layout)
  for await (const { stored, expected } of differingRows(shadow, table, [
    `s.id & ${positionMask}`,
    `(SELECT c.chain_id FROM ${shadow.shadow}.chain c WHERE c.ordinal = s.id >> 53)`,
    's.local_id',
  ])) {
    const [position, chainId, localId] = stored?.more ?? []
    // A row without an event is damaged or of no chain, which is reported already.
    if (stored === null || expected === null || chainId === null || chainId === undefined) continue
    const key = { chainId: Number(chainId), localId: `0x${String(localId ?? '')}` as LocalId }
    const subject = formatCompositeId(key)
    const fields = new Set<string>()
    for (const { column, ...values } of differingColumns(table, stored, expected)) {
      const field = fieldOf(column)
      if (fields.has(field)) continue
      fields.add(field)
      yield eventDifference(
        'rendered',
        key.chainId,
        Number(position),
        subject,
        { field, ...values },
        'reindex',
      )
    }
  }
}

async function* compareSchemas(shadow: ShadowIndex): AsyncGenerator<Difference> {
  const table = schemaTable(shadow.layout)
  const derivedColumns = schemaDerivedColumns(shadow.layout)
  for await (const { stored, expected } of differingRows(shadow, table, [
    's.position',
    's.chain_id',
    's.local_id',
    's.registered',
  ])) {
    if (stored === null) continue
    const [position, chainId, localId, registered] = stored.more
    const key = { chainId: Number(chainId), localId: `0x${String(localId)}` as LocalId }
    const subject = formatCompositeId(key)
    if (expected === null) {
      if (registered === true || registered === 1) continue
      const values = { stored: 'neither registered nor referred to', expected: null }
      yield rowDifference('orphan', `schema (${subject})`, values, 'rebuild')
      continue
    }
    const differing = differingColumns(table, stored, expected)
    const isRenamed = differing.some(({ column }) => column === 'name')
    for (const { column, ...values } of differing) {
      // The summary holds the name.
      if (isRenamed && column === 'summary_json') continue
      const field = fieldOf(column)
      if (derivedColumns.includes(column)) yield rowDifference('derived', subject, values, 'rebuild', field)
      else {
        const event = { field, ...values }
        yield eventDifference('rendered', key.chainId, Number(position ?? 0), subject, event, 'reindex')
      }
    }
  }
}

async function* compareDerived(shadow: ShadowIndex, table: ComparedTable): AsyncGenerator<Difference> {
  for await (const { key, stored, expected } of differingRows(shadow, table)) {
    const subject = `${table.name} (${table.key.map((column, index) => `${column} ${key[index]}`).join(', ')})`
    const what = expected === null && isHanging(table) ? 'orphan' : 'derived'
    yield rowDifference(what, subject, { stored: rowText(stored), expected: rowText(expected) }, 'rebuild')
  }
}

/** Whether the rows of a table belong to records one by one. */
function isHanging({ name }: ComparedTable): boolean {
  return /^(?:received|value_posting|schema_name|revocation_claim|schema_text)/.test(name)
}

async function* compareTotals(shadow: ShadowIndex): AsyncGenerator<Difference> {
  const { tables, stored } = shadow
  for await (const row of differingRows(shadow, chainCounters)) {
    const chainId = Number(row.key[0])
    for (const { column, ...values } of differingColumns(chainCounters, row.stored, row.expected)) {
      const counter = { subject: `chain (${chainId})`, field: column, ...values }
      yield { what: 'derived', chainId, blockNumber: null, ...counter, remedy: 'recount' }
    }
  }
  yield* compareState(shadow)
  const hours = `SELECT DISTINCT hour FROM ${shadow.shadow}.schema_hour EXCEPT SELECT hour FROM ${stored}.hour_version`
  for (const [hour] of await tables.all<[number]>(hours)) {
    yield rowDifference('derived', `hour_version (${hour})`, { stored: null, expected: 'a row' }, 'rebuild')
  }
}

/** The lowest block of each chain whose kept digest is wrong: those above it follow from the same record. */
async function* compareDigests(shadow: ShadowIndex): AsyncGenerator<Difference> {
  const lowest = new Map<number, DifferingRow & { readonly block: number }>()
  for await (const row of differingRows(shadow, comparedTable(shadow.layout, 'chain_digest'))) {
    const [chainId, block] = [Number(row.key[0]), Number(row.key[1])]
    if (block <= (lowest.get(chainId)?.block ?? Number.POSITIVE_INFINITY))
      lowest.set(chainId, { ...row, block })
  }
  for (const [chainId, { block, stored, expected }] of lowest) {
    const values = { field: null, stored: rowText(stored), expected: rowText(expected) }
    yield {
      what: 'derived',
      chainId,
      blockNumber: block,
      subject: 'chain_digest',
      ...values,
      remedy: 'rebuild',
    }
  }
}

/** The columns of the one row of the state that follow from the records, and the guard that it is one. */
async function* compareState({ tables, stored, shadow, layout }: ShadowIndex): AsyncGenerator<Difference> {
  const { key, columns } = specOf(layout, 'index_state')
  const given = ['version', 'rank_threshold', 'write_count']
  const compared = [...key, ...Object.keys(columns).filter((column) => !key.includes(column))].filter(
    (column) => !given.includes(column),
  )
  const rowsOf = (schema: string) =>
    tables.all<SqlRow>(`SELECT ${compared.join(', ')} FROM ${schema}.index_state`)
  const [is, [should]] = [await rowsOf(stored), await rowsOf(shadow)]
  const [first] = is
  if (first === undefined || is.length > 1) {
    const values = { stored: is.length === 0 ? null : `${is.length} rows`, expected: 'a row' }
    yield rowDifference('derived', 'index_state', values, 'rebuild')
    return
  }
  for (const [index, column] of compared.entries()) {
    const [value, expected] = [first[index] ?? null, should?.[index] ?? null]
    if (value === expected) continue
    const values = { stored: shown(value), expected: shown(expected) }
    yield rowDifference('derived', 'index_state', values, 'rebuild', column)
  }
  for (const [chainId, next, last] of await tables.all<[number, number, number]>(
    `SELECT c.chain_id, c.next_field_id, max(u.id) FROM ${stored}.chain c JOIN ` +
      `(SELECT id FROM ${stored}.field UNION ALL SELECT id FROM ${stored}.field_value) AS u ` +
      `ON u.id >> ${ownIdShift} = c.ordinal GROUP BY c.chain_id, c.next_field_id HAVING max(u.id) >= c.next_field_id`,
  )) {
    const given = { stored: shown(next), expected: `more than ${last}` }
    yield rowDifference('derived', `chain (${chainId})`, given, 'rebuild', 'next_field_id')
  }
}

interface DifferingRow {
  readonly key: readonly string[]
  readonly stored: RowTexts | null
  readonly expected: RowTexts | null
}

interface RowTexts {
  /** The columns of the table. */
  readonly values: readonly (string | null)[]
  /** Further expressions that the caller asked for, of a stored row. */
  readonly more: SqlRow
}

/** The rows of a table that differ from those of its shadow, as texts. */
async function* differingRows(
  { tables, stored, shadow, layout }: ShadowIndex,
  { name, key, columns, isUnique }: ComparedTable,
  more: readonly string[] = [],
): AsyncGenerator<DifferingRow> {
  // Of a table without a key, rows that are alike are counted.
  const compared = isUnique ? columns : ['copies']
  const from = (schema: string) =>
    isUnique
      ? `${schema}.${name}`
      : `(SELECT ${key.join(', ')}, count(*) AS copies FROM ${schema}.${name} GROUP BY ${key.join(', ')})`
  const types = new Map(
    Object.entries(specOf(layout, name).columns).map(([column, spec]) => [
      column,
      parseColumnSpec(spec).type,
    ]),
  )
  // Integers beyond 2^53 and arrays leave the database as text.
  const selected = (row: 's' | 'e', names: readonly string[]) =>
    names.map((column) => {
      const type = types.get(column)
      return type === 'int64' || type === 'int53List' ? `CAST(${row}.${column} AS text)` : `${row}.${column}`
    })
  const whole = (row: 's' | 'e') =>
    `(${[...key, ...compared].map((column) => `${row}.${column}`).join(', ')})`
  const isSameKey = key.map((column) => `s.${column} = e.${column}`).join(' AND ')
  const textOf = (column: string | undefined, value: SqlValue): string | null => {
    if (value === null) return null
    if (value instanceof Uint8Array && types.get(column ?? '') === 'bytes') {
      return Buffer.from(value).toString('hex')
    }
    switch (types.get(column ?? '')) {
      case 'boolean':
        return String(value === true || value === 1)
      case 'chainText':
        return tables.dialect.decodeText(value)
      default:
        return String(value)
    }
  }
  const textsOf = (names: readonly string[], values: SqlRow) =>
    names.map((column, index) => textOf(column, values[index] ?? null))

  const [first = ''] = key
  const both =
    `SELECT ${[...selected('s', key), `e.${first} IS NULL`, ...selected('s', compared), ...selected('e', compared), ...more].join(', ')} ` +
    `FROM ${from(stored)} AS s LEFT JOIN ${from(shadow)} AS e ON ${isSameKey} ` +
    `WHERE ${whole('s')} IS DISTINCT FROM ${whole('e')}`
  for await (const rows of tables.batches<SqlRow>(both)) {
    for (const row of rows) {
      const values = row.slice(key.length + 1)
      const isMissing = row[key.length] === true || row[key.length] === 1
      yield {
        key: textsOf(key, row).map(String),
        stored: {
          values: textsOf(compared, values),
          more: values.slice(compared.length * 2),
        },
        expected: isMissing ? null : { values: textsOf(compared, values.slice(compared.length)), more: [] },
      }
    }
    await nextTurn()
  }
  const lost =
    `SELECT ${[...selected('e', key), ...selected('e', compared)].join(', ')} ` +
    `FROM ${from(shadow)} AS e LEFT JOIN ${from(stored)} AS s ON ${isSameKey} WHERE s.${first} IS NULL`
  for await (const rows of tables.batches<SqlRow>(lost)) {
    for (const row of rows) {
      const expected = { values: textsOf(compared, row.slice(key.length)), more: [] }
      yield { key: textsOf(key, row).map(String), stored: null, expected }
    }
    await nextTurn()
  }
}

/** The columns of a row that differ from those of its shadow. */
function differingColumns({ columns }: ComparedTable, is: RowTexts | null, should: RowTexts | null) {
  return columns.flatMap((column, index) => {
    const [stored, expected] = [is?.values[index] ?? null, should?.values[index] ?? null]
    return stored === expected ? [] : [{ column, stored: shown(stored), expected: shown(expected) }]
  })
}

function rowText(row: RowTexts | null): string | null {
  if (row === null) return null
  return row.values.length === 0 ? 'a row' : shown(row.values.map((value) => value ?? 'nothing').join(', '))
}

/** The public names of columns. */
const fieldNames: Readonly<Record<string, string>> = {
  local_id: 'attestationId',
  schema_id: 'schemaId',
  attester_id: 'attester',
  transaction_key: 'transactionHash',
  recipient_ids: 'recipients',
  linked_local_id: 'linkedAttestation',
  registrant_id: 'registrant',
  resolver_id: 'resolver',
  last_sync_at: 'revocation',
  revoked_id: 'revocation',
  revoke_timestamp: 'revocation',
  revoke_reason: 'revocation',
  revoke_transaction: 'revocation',
}

function fieldOf(column: string): string {
  return fieldNames[column] ?? column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
