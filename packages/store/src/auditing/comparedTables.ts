import { tables, type TableKind, type TableSpec } from '../layout/tables.ts'

/** A stored table as it is compared with its shadow, and put in order by it. */
export interface ComparedTable {
  readonly name: string
  /** The columns that together name a row; none of them is ever NULL. */
  readonly key: readonly string[]
  /** The other columns. */
  readonly columns: readonly string[]
  /** Whether the database refuses a second row of the same key. */
  readonly isUnique: boolean
}

type Layout = Readonly<Record<string, TableSpec>>

/** The tables of events that no other row refers to: a row of no chain stands for nothing. */
export const rootTables = ['attestation', 'anchor', 'metadata', 'undecodable'] as const

/** The row of an attestation stands for an event; what contradicts the row is reported of the record. */
export function attestationTable(layout: Layout): ComparedTable {
  return comparedTable(layout, 'attestation')
}

/** Rows of schemas are compared by their ids; the keys of the shadow are copied from the stored rows. */
export function schemaTable(layout: Layout): ComparedTable {
  const table = comparedTable(layout, 'schema')
  const columns = table.columns.filter((column) => !['chain_id', 'local_id', 'protocol'].includes(column))
  return { ...table, columns }
}

/** The columns of a schema that follow from other rows, or from other columns of its row. */
export function schemaDerivedColumns(layout: Layout): readonly string[] {
  const own = schemaTable(layout).columns.filter((column) => !Object.hasOwn(tables.schema.columns, column))
  return ['name', 'attestation_count', 'attester_count', 'field_state', ...own]
}

/** Rows of other events, and rows that belong to attestations. */
export function eventTables(layout: Layout): readonly ComparedTable[] {
  return tablesOf(layout, 'event').filter(({ name }) => name !== 'attestation')
}

/**
 * The dictionaries with counters but that of schemas, what follows from the events, and which indexes of fields are
 * being built.
 */
export function derivedTables(layout: Layout): readonly ComparedTable[] {
  const dictionaries = tablesOf(layout, 'dictionary').filter(({ name }) => name !== 'schema')
  return [...dictionaries, ...tablesOf(layout, 'derived', 'counter'), comparedTable(layout, 'field_build')]
}

/** The counters and the digest of a chain: either they or the records are wrong, and only the chain can tell which. */
export const chainCounters: ComparedTable = {
  name: 'chain',
  key: ['chain_id'],
  columns: [
    'schema_count',
    'attestation_count',
    'revocation_count',
    'undecodable_count',
    'digest_block',
    'digest_events',
    'digest',
  ],
  isUnique: true,
}

function tablesOf(layout: Layout, ...kinds: readonly TableKind[]): ComparedTable[] {
  return Object.entries(layout).flatMap(([name, { kind }]) =>
    kinds.includes(kind) ? [comparedTable(layout, name)] : [],
  )
}

export function comparedTable(layout: Layout, name: string): ComparedTable {
  const { key, columns } = specOf(layout, name)
  const all = Object.keys(columns)
  if (key.length === 0) return { name, key: all, columns: [], isUnique: false }
  return { name, key, columns: all.filter((column) => !key.includes(column)), isUnique: true }
}

export function specOf(layout: Layout, name: string): TableSpec {
  const spec = layout[name]
  if (spec === undefined) throw new Error(`the layout has no table ${name}`)
  return spec
}
