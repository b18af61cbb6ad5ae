import { formatCompositeId, type LocalId } from '../../../model/compositeId.ts'
import { eventDifference, rowDifference, shown } from '../../audit/differences.ts'
import { damagedDifference } from '../../audit/readStoredEvent.ts'
import type { Difference } from '../../indexAudit.ts'
import { positionMask } from '../../layout/rowId.ts'
import type { ShadowIndex } from './shadowIndex.ts'
import {
  attestationTable,
  chainCounters,
  derivedTables,
  eventTables,
  schemaDerivedColumns,
  schemaTable,
  type StoredTable,
} from './storedTables.ts'

/**
 * Holds every stored table against its shadow. Where a record's own row is not what its event gives, what is derived from the
 * records is not compared: it follows from the one or the other, and which of them is right only the chain can tell.
 */
export async function* compareTables(shadow: ShadowIndex): AsyncGenerator<Difference> {
  // The writer's plans are for rows that are known by their keys; here whole tables are joined.
  await shadow.connection.exec(
    'SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on',
  )
  let isSound = true
  for await (const difference of compareRecords(shadow)) {
    if (difference.what === 'rendered') isSound = false
    yield difference
  }
  if (!isSound) return
  for (const table of [...eventTables, ...derivedTables]) yield* compareDerived(shadow, table)
  yield* compareTotals(shadow)
}

async function* compareRecords(shadow: ShadowIndex): AsyncGenerator<Difference> {
  for (const { range, damaged } of shadow.chains) {
    for (const event of damaged) yield damagedDifference(range.chainId, event)
  }
  yield* findOrphans(shadow)
  yield* compareAttestations(shadow)
  yield* compareSchemas(shadow)
}

/** Rows of no chain: no event of any chain is read from them. */
async function* findOrphans({ connection, stored }: ShadowIndex): AsyncGenerator<Difference> {
  const queries = [
    ...['attestation', 'anchor', 'undecodable'].map(
      (table) =>
        `SELECT '${table} (' || t.id || ')' FROM ${stored}.${table} t ` +
        'WHERE NOT EXISTS (SELECT FROM pg_temp.chain c WHERE c.ordinal = t.id >> 53)',
    ),
    ...['schema', 'recent_block'].map(
      (table) =>
        `SELECT '${table} (' || ${table === 'schema' ? 't.id' : "t.chain_id || ', ' || t.number"} || ')' FROM ${stored}.${table} t ` +
        'WHERE NOT EXISTS (SELECT FROM pg_temp.chain c WHERE c.chain_id = t.chain_id)',
    ),
  ]
  for (const query of queries) {
    for await (const rows of connection.batches<[string]>(query)) {
      for (const [subject] of rows)
        yield rowDifference('orphan', subject, { stored: 'a row of no chain', expected: null }, 'rebuild')
    }
  }
}

async function* compareAttestations(shadow: ShadowIndex): AsyncGenerator<Difference> {
  for await (const { stored, expected } of differingRows(shadow, attestationTable, [
    `s.id & ${positionMask}`,
    `(SELECT c.chain_id FROM pg_temp.chain c WHERE c.ordinal = s.id >> 53)`,
    's.local_id',
  ])) {
    const [position, chainId, localId] = stored?.more ?? []
    // A row without an event is one that is damaged or of no chain, of which was told.
    if (stored === null || expected === null || chainId === null || chainId === undefined) continue
    const key = { chainId: Number(chainId), localId: `0x${localId ?? ''}` as LocalId }
    const fields = new Set<string>()
    for (const [index, column] of attestationTable.columns.entries()) {
      const [is, should] = [stored.values[index] ?? null, expected.values[index] ?? null]
      const field = fieldNames[column] ?? camelCase(column)
      if (is === should || fields.has(field)) continue
      fields.add(field)
      const values = { field, stored: shown(is), expected: shown(should) }
      yield eventDifference(
        'rendered',
        key.chainId,
        Number(position),
        formatCompositeId(key),
        values,
        'reindex',
      )
    }
  }
}

async function* compareSchemas(shadow: ShadowIndex): AsyncGenerator<Difference> {
  for await (const { stored, expected } of differingRows(shadow, schemaTable, [
    's.position',
    's.chain_id',
    's.local_id',
    's.registered',
  ])) {
    if (stored === null) continue
    const [position, chainId, localId, registered] = stored.more
    const key = { chainId: Number(chainId), localId: `0x${localId ?? ''}` as LocalId }
    const subject = formatCompositeId(key)
    if (expected === null) {
      if (registered === 'true') continue
      const values = { stored: 'neither registered nor referred to', expected: null }
      yield rowDifference('orphan', `schema (${subject})`, values, 'rebuild')
      continue
    }
    const differing = schemaTable.columns.flatMap((column, index) => {
      const [is, should] = [stored.values[index] ?? null, expected.values[index] ?? null]
      return is === should ? [] : [{ column, stored: shown(is), expected: shown(should) }]
    })
    const isRenamed = differing.some(({ column }) => column === 'name')
    for (const { column, ...values } of differing) {
      // The summary holds the name.
      if (isRenamed && column === 'summary_json') continue
      const field = fieldNames[column] ?? camelCase(column)
      if (schemaDerivedColumns.includes(column))
        yield rowDifference('derived', subject, values, 'rebuild', field)
      else {
        const event = { field, ...values }
        yield eventDifference('rendered', key.chainId, Number(position ?? 0), subject, event, 'reindex')
      }
    }
  }
}

async function* compareDerived(shadow: ShadowIndex, table: StoredTable): AsyncGenerator<Difference> {
  for await (const { key, stored, expected } of differingRows(shadow, table)) {
    const subject = `${table.name} (${table.key.map((column, index) => `${column} ${key[index]}`).join(', ')})`
    const what = expected === null && isHanging(table) ? 'orphan' : 'derived'
    yield rowDifference(what, subject, { stored: rowText(stored), expected: rowText(expected) }, 'rebuild')
  }
}

/** Whether the rows of a table belong to records one by one. */
function isHanging({ name }: StoredTable): boolean {
  return ['received', 'value_posting', 'schema_name', 'revocation_claim', 'schema_text'].includes(name)
}

async function* compareTotals(shadow: ShadowIndex): AsyncGenerator<Difference> {
  const { connection, stored } = shadow
  for await (const row of differingRows(shadow, chainCounters)) {
    for (const [index, column] of chainCounters.columns.entries()) {
      const [is, should] = [row.stored?.values[index] ?? null, row.expected?.values[index] ?? null]
      if (is === should) continue
      const chainId = Number(row.key[0])
      const subject = `chain (${chainId})`
      const values = { field: column, stored: is, expected: should }
      yield { what: 'derived', chainId, blockNumber: null, subject, ...values, remedy: 'recount' }
    }
  }
  const columns = ['attestation_count', 'schema_count', 'next_address_id', 'next_schema_id']
  const both = await connection.get<number[]>(
    `SELECT ${columns.flatMap((column) => [`s.${column}`, `e.${column}`]).join(', ')} ` +
      `FROM ${stored}.index_state s, pg_temp.index_state e`,
  )
  for (const [index, column] of columns.entries()) {
    const [is, should] = [both?.[index * 2], both?.[index * 2 + 1]]
    if (is === should) continue
    const values = { stored: String(is), expected: String(should) }
    yield rowDifference('derived', 'index_state', values, 'rebuild', column)
  }
  const hours = `SELECT DISTINCT hour FROM pg_temp.schema_hour EXCEPT SELECT hour FROM ${stored}.hour_version`
  for (const [hour] of await connection.all<[number]>(hours)) {
    yield rowDifference('derived', `hour_version (${hour})`, { stored: null, expected: 'a row' }, 'rebuild')
  }
  const counts = await connection.get<[number, number]>(
    `SELECT (SELECT count(*) FROM ${stored}.received), (SELECT count(*) FROM pg_temp.received)`,
  )
  if (counts === undefined || counts[0] === counts[1]) return
  const values = { stored: `${counts[0]} rows`, expected: `${counts[1]} rows` }
  yield rowDifference('derived', 'received', values, 'rebuild')
}

interface DifferingRow {
  readonly key: readonly string[]
  readonly stored: RowTexts | null
  readonly expected: RowTexts | null
}

interface RowTexts {
  /** The columns of the table. */
  readonly values: readonly (string | null)[]
  /** What else was asked of the stored row. */
  readonly more: readonly (string | null)[]
}

/** The rows of a table that are not those of its shadow, as texts. */
async function* differingRows(
  { connection, stored }: ShadowIndex,
  { name, key, columns }: StoredTable,
  more: readonly string[] = [],
): AsyncGenerator<DifferingRow> {
  const texts = (row: 's' | 'e') =>
    `json_build_array(${columns.map((column) => `${row}.${column}::text`).join(', ')})`
  const whole = (row: 's' | 'e') => `(${[...key, ...columns].map((column) => `${row}.${column}`).join(', ')})`
  const [first] = key
  const batches = connection.batches<
    [key: string, stored: string | null, expected: string | null, more: string]
  >(
    `SELECT json_build_array(${key.map((column) => `coalesce(s.${column}, e.${column})::text`).join(', ')})::text, ` +
      `CASE WHEN s.${first} IS NOT NULL THEN ${texts('s')}::text END, ` +
      `CASE WHEN e.${first} IS NOT NULL THEN ${texts('e')}::text END, ` +
      `json_build_array(${more.map((column) => `(${column})::text`).join(', ')})::text ` +
      `FROM ${stored}.${name} s FULL JOIN pg_temp.${name} e ON ` +
      `${key.map((column) => `s.${column} = e.${column}`).join(' AND ')} WHERE ${whole('s')} IS DISTINCT FROM ${whole('e')}`,
  )
  const parse = (text: string) => JSON.parse(text) as (string | null)[]
  for await (const rows of batches) {
    for (const [keyText, storedText, expectedText, moreText] of rows) {
      yield {
        key: parse(keyText).map(String),
        stored: storedText === null ? null : { values: parse(storedText), more: parse(moreText) },
        expected: expectedText === null ? null : { values: parse(expectedText), more: [] },
      }
    }
  }
}

function rowText(row: RowTexts | null): string | null {
  if (row === null) return null
  return row.values.length === 0 ? 'a row' : shown(row.values.map((value) => value ?? 'nothing').join(', '))
}

/** What people know a column by. */
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

function camelCase(column: string): string {
  return column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
