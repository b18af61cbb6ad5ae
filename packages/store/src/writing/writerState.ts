import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import type { AddressEntry, ChainRow, SchemaEntry } from '../layout/entries.ts'
import { hexBytes, addressOfBytes } from '../layout/hexColumn.ts'
import type { FieldIndexing } from '@attestry/core/index/fieldIndexing.ts'
import { fieldState, type FieldState } from '../layout/fieldState.ts'
import { journalDefault, type JournalLimits } from '../layout/journal.ts'
import type { RowOf } from '../layout/tables.ts'
import type { Projection } from '../port/projection.ts'
import type { StoredStart, StoredState, Tables } from '../port/tables.ts'

/**
 * The state of a writer's transaction. The rows of one chain are written first: nobody else writes to the chain. The
 * rows that all chains share follow, and the index's state is locked last (`lockState`). From there to the commit
 * writers take turns, across processes and chains, so that versions and changes are numbered in the order of their
 * commits. A waiting writer waits only for the end of the other transaction, not for the whole of it.
 */
export interface WriterState {
  readonly tables: Tables
  readonly start: StoredStart
  readonly memory: WriterMemory
  readonly indexing: FieldIndexing
  /** Null until it is locked. */
  stored: StoredState | null
  /** Writes to the journal that run after the state is locked. */
  readonly journal: (() => Promise<void>)[]
}

/**
 * The dictionary rows that a writer has met, so that most of them need no read. They are valid while `revision` is that
 * of the session: nobody else has written to the chain, and no transaction of this writer has failed or reverted
 * blocks. Then the rows of a chain equal those of the database, and an address keeps its id.
 */
export interface WriterMemory {
  revision: number | null
  readonly addresses: Map<Address, AddressEntry>
  readonly schemas: Map<string, SchemaEntry>
  /** The length of the journal. */
  readonly journal: JournalLimits
  /** The projections that follow the index. */
  readonly projections: readonly Projection[]
}

/**
 * Entries remembered at most: some 250 bytes each. A larger map is emptied between two transactions. An entry that is
 * needed again is read from the database, by its key. Most addresses receive once, and are not needed again.
 */
const entriesMax = { addresses: 10_000, schemas: 50_000 } as const

export function createWriterMemory({
  journal = journalDefault,
  projections = [],
}: {
  readonly journal?: JournalLimits | undefined
  readonly projections?: readonly Projection[] | undefined
} = {}): WriterMemory {
  return { revision: null, addresses: new Map(), schemas: new Map(), journal, projections }
}

/** Reads what a transaction starts from. */
export async function openState(
  tables: Tables,
  memory: WriterMemory,
  indexing: FieldIndexing,
): Promise<WriterState> {
  const start = await tables.readStart()
  if (memory.revision !== start.revision) {
    memory.addresses.clear()
    memory.schemas.clear()
  }
  // Nothing is known until the transaction has succeeded.
  memory.revision = null
  return { tables, start, memory, indexing, stored: null, journal: [] }
}

/** Locks the index's state until the transaction ends; what a chain has for itself is to be written before. */
export async function lockState(state: WriterState): Promise<StoredState> {
  return (state.stored ??= await state.tables.lockState())
}

/** Forgets the entries of maps that have grown too large; to be called when everything is written. */
export function trimMemory({ memory: { addresses, schemas } }: WriterState): void {
  if (addresses.size > entriesMax.addresses) addresses.clear()
  if (schemas.size > entriesMax.schemas) schemas.clear()
}

/** To be called when the work of a transaction is kept: its entries are those of the database from now on. */
export function keepMemory(state: WriterState): void {
  state.memory.revision = state.start.revision
  trimMemory(state)
}

/** Writes the journal and the state; the version moves if an answer may have changed. */
export async function writeState(state: WriterState, touched: boolean): Promise<void> {
  const stored = await lockState(state)
  for (const write of state.journal.splice(0)) await write()
  await state.tables.saveState(stored, touched)
}

/** Reads the dictionary rows of these addresses. Resolves to those without a row, which get an id of the chain. */
export async function loadAddresses(
  state: WriterState,
  { ordinal }: ChainRow,
  addresses: Iterable<Address>,
): Promise<readonly AddressEntry[]> {
  const { tables, memory } = state
  const missing = new Set<Address>()
  for (const address of addresses) if (!memory.addresses.has(address)) missing.add(address)
  if (missing.size === 0) return []
  const rows = await tables.findBy('address', addressColumns, 'bytes', Array.from(missing, hexBytes))
  for (const row of rows) rememberAddress(state, row)
  // In one order, in which they are appended: of two writers that bring the same addresses one waits for the other.
  const fresh = [...missing].filter((address) => !memory.addresses.has(address)).sort()
  if (fresh.length === 0) return []
  const { nextAddressId } = await tables.nextIds(ordinal)
  return fresh.map((address, index) => {
    const entry = { id: nextAddressId + index, address, isNew: true, changes: null }
    memory.addresses.set(address, entry)
    return entry
  })
}

/** Reads the dictionary rows with these ids, which rows refer to. */
export async function loadAddressesById(
  state: WriterState,
  ids: Iterable<number>,
): Promise<ReadonlyMap<number, AddressEntry>> {
  const rows = await state.tables.findBy('address', addressColumns, 'id', [...new Set(ids)])
  return new Map(rows.map((row) => [row.id, rememberAddress(state, row)]))
}

/** An address that was loaded. */
export function addressEntry({ memory }: WriterState, address: Address): AddressEntry {
  const entry = memory.addresses.get(address)
  if (entry === undefined) throw new Error(`the address ${address} was not loaded`)
  return entry
}

const addressColumns = ['id', 'bytes'] as const

function rememberAddress(
  { memory }: WriterState,
  row: Pick<RowOf<'address'>, (typeof addressColumns)[number]>,
): AddressEntry {
  const address = addressOfBytes(row.bytes)
  const known = memory.addresses.get(address)
  if (known !== undefined) return known
  const entry: AddressEntry = { id: row.id, address, isNew: false, changes: null }
  memory.addresses.set(address, entry)
  return entry
}

/**
 * Reads the rows of these schemas of a chain, registered or merely referred to. Resolves to those without a row, which
 * get an id.
 */
export async function loadSchemas(
  state: WriterState,
  { chainId, ordinal }: ChainRow,
  keys: Iterable<SchemaKey>,
): Promise<readonly SchemaEntry[]> {
  const { tables, memory } = state
  const missing = new Map<string, SchemaKey>()
  for (const key of keys) {
    const text = schemaEntryKey(key)
    if (!memory.schemas.has(text)) missing.set(text, key)
  }
  if (missing.size === 0) return []
  const digits = new Set(Array.from(missing.values(), ({ localId }) => localId.slice(2)))
  const rows = await tables.findBy('schema', schemaColumns, 'local_id', [...digits], { chain_id: chainId })
  for (const row of rows) rememberSchema(state, row)
  const fresh = [...missing].filter(([text]) => !memory.schemas.has(text))
  if (fresh.length === 0) return []
  const { nextSchemaId } = await tables.nextIds(ordinal)
  const counts = { attestationCount: 0, attesterCount: 0 }
  return fresh.map(([text, key], index) => {
    const entry: SchemaEntry = {
      id: nextSchemaId + index,
      ...key,
      isNew: true,
      registered: false,
      ...counts,
      fieldState: fieldState.none,
      fieldSource: null,
      changes: null,
    }
    memory.schemas.set(text, entry)
    return entry
  })
}

/** Reads the rows of schemas with these ids, which rows refer to. */
export async function loadSchemasById(
  state: WriterState,
  ids: Iterable<number>,
): Promise<ReadonlyMap<number, SchemaEntry>> {
  const rows = await state.tables.findBy('schema', schemaColumns, 'id', [...new Set(ids)])
  return new Map(rows.map((row) => [row.id, rememberSchema(state, row)]))
}

/** A schema that was loaded. */
export function schemaEntry({ memory }: WriterState, key: SchemaKey): SchemaEntry {
  const text = schemaEntryKey(key)
  const entry = memory.schemas.get(text)
  if (entry === undefined) throw new Error(`the schema ${text} was not loaded`)
  return entry
}

/** The members that identify a schema in the writer's memory. */
export type SchemaKey = Pick<SchemaEntry, 'chainId' | 'protocol' | 'localId'>

const schemaColumns = [
  'id',
  'chain_id',
  'local_id',
  'protocol',
  'registered',
  'attestation_count',
  'attester_count',
  'field_state',
] as const

function rememberSchema(
  { memory }: WriterState,
  row: Pick<RowOf<'schema'>, (typeof schemaColumns)[number]>,
): SchemaEntry {
  const key = {
    chainId: row.chain_id,
    protocol: row.protocol,
    localId: `0x${row.local_id}` as LocalId,
  }
  const text = schemaEntryKey(key)
  const known = memory.schemas.get(text)
  if (known !== undefined) return known
  const entry: SchemaEntry = {
    id: row.id,
    ...key,
    isNew: false,
    registered: row.registered,
    attestationCount: row.attestation_count,
    attesterCount: row.attester_count,
    fieldState: row.field_state as FieldState,
    fieldSource: null,
    changes: null,
  }
  memory.schemas.set(text, entry)
  return entry
}

function schemaEntryKey({ chainId, protocol, localId }: SchemaKey): string {
  return `${chainId} ${protocol} ${localId}`
}
