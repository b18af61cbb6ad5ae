import { columnsOf, tables, type Table, type TableKind } from '../../layout/tables.ts'

/** A stored table as it is compared with its shadow, and put in order by it. */
export interface StoredTable {
  readonly name: string
  /** None of these is ever NULL, and together they name a row. */
  readonly key: readonly string[]
  /** The other columns. */
  readonly columns: readonly string[]
}

function storedTable(name: Table): StoredTable {
  const key: readonly string[] = tables[name].key
  return { name, key, columns: columnsOf(name).filter((column) => !key.includes(column)) }
}

function tablesOf(...kinds: readonly TableKind[]): StoredTable[] {
  const names = Object.keys(tables) as Table[]
  return names.filter((name) => kinds.includes(tables[name].kind)).map(storedTable)
}

/** Rows that stand for events. What contradicts them is told of their records. */
export const attestationTable = storedTable('attestation')

/** The columns of an attestation that later events move. */
export const revocationColumns = [
  'last_sync_at',
  'revoked_id',
  'revoke_timestamp',
  'revoke_reason',
  'revoke_transaction',
]

/** Rows are found by their ids, which are those of the stored rows, as chain and local id are. */
export const schemaTable: StoredTable = {
  ...storedTable('schema'),
  columns: storedTable('schema').columns.filter((column) => column !== 'chain_id' && column !== 'local_id'),
}

/** The columns of a schema that follow from other rows. */
export const schemaDerivedColumns = ['name', 'attestation_count', 'attester_count']

/** Rows of other events, and what hangs on attestations. */
export const eventTables = tablesOf('event').filter(({ name }) => name !== 'attestation')

/** What hangs on the records, and what is counted of them. */
export const derivedTables = [storedTable('address'), ...tablesOf('derived', 'counter')]

/** Counters of a chain: one of them and the records is wrong, and only the chain can tell which. */
export const chainCounters: StoredTable = {
  name: 'chain',
  key: ['chain_id'],
  columns: ['schema_count', 'attestation_count', 'revocation_count', 'undecodable_count'],
}
