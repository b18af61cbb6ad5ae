import type { ChainId, LocalId } from '../../model/compositeId.ts'
import type { Address } from '../../model/hex.ts'
import type { AddressEntry, SchemaEntry } from '../layout/entries.ts'
import { hexBytes, addressOfBytes } from '../layout/hexColumn.ts'
import { fieldState, type FieldIndexing, type FieldState } from '../layout/fieldState.ts'
import { journalDefault, type JournalLimits } from '../layout/journal.ts'
import type { RowOf } from '../layout/tables.ts'
import type { StoredState, Tables } from '../port/tables.ts'

/**
 * What a transaction of a writer works with. `lockState` is its first statement: writers take turns, whichever process
 * and chain they are of, so that versions and changes are numbered in the order of their commits.
 */
export interface WriterState {
  readonly tables: Tables
  readonly stored: StoredState
  readonly memory: WriterMemory
  readonly indexing: FieldIndexing
}

/**
 * The dictionary rows that a writer has met, so that most of them need no read. They equal the rows of the database
 * while its revision is `revision`: while nobody else has written, and no transaction of this writer failed or reverted
 * blocks.
 */
export interface WriterMemory {
  revision: number | null
  readonly addresses: Map<Address, AddressEntry>
  readonly schemas: Map<string, SchemaEntry>
  /** The length of the journal. */
  readonly journal: JournalLimits
}

/**
 * Entries remembered at most: some 250 bytes each. A larger map is emptied between two transactions. An entry that is
 * needed again is read from the database, by its key. Most addresses receive once, and are not needed again.
 */
const entriesMax = { addresses: 10_000, schemas: 50_000 } as const

export function createWriterMemory(journal: JournalLimits = journalDefault): WriterMemory {
  return { revision: null, addresses: new Map(), schemas: new Map(), journal }
}

/** Locks the index for writing until the transaction ends, and reads its state. */
export async function lockState(
  tables: Tables,
  memory: WriterMemory,
  indexing: FieldIndexing,
): Promise<WriterState> {
  const stored = await tables.lockState()
  if (memory.revision !== stored.revision) {
    memory.addresses.clear()
    memory.schemas.clear()
  }
  // Nothing is known until the transaction has succeeded.
  memory.revision = null
  return { tables, stored, memory, indexing }
}

/** Forgets the entries of maps that have grown too large; to be called when everything is written. */
export function trimMemory({ memory: { addresses, schemas } }: WriterState): void {
  if (addresses.size > entriesMax.addresses) addresses.clear()
  if (schemas.size > entriesMax.schemas) schemas.clear()
}

/** To be called when the work of a transaction is kept: its entries are those of the database from now on. */
export function keepMemory(state: WriterState): void {
  state.memory.revision = state.stored.nextRevision
  trimMemory(state)
}

/** Writes the state back; the version moves where an answer may have changed. */
export function writeState({ tables, stored }: WriterState, touched: boolean): Promise<void> {
  return tables.saveState(stored, touched)
}

/** Reads the dictionary rows of these addresses; those without a row get an id. */
export async function loadAddresses(state: WriterState, addresses: Iterable<Address>): Promise<void> {
  const { tables, stored, memory } = state
  const missing = new Set<Address>()
  for (const address of addresses) if (!memory.addresses.has(address)) missing.add(address)
  if (missing.size === 0) return
  const rows = await tables.findBy('address', addressColumns, 'bytes', Array.from(missing, hexBytes))
  for (const row of rows) rememberAddress(state, row)
  for (const address of missing) {
    if (memory.addresses.has(address)) continue
    const id = stored.nextAddressId++
    const counts = { schemasCreated: 0, created: 0, receivedOther: 0, receivedSelf: 0 }
    memory.addresses.set(address, { id, address, isNew: true, ...counts, changes: null })
  }
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

const addressColumns = [
  'id',
  'bytes',
  'schemas_created',
  'created',
  'received_other',
  'received_self',
] as const

function rememberAddress({ memory }: WriterState, row: RowOf<'address'>): AddressEntry {
  const address = addressOfBytes(row.bytes)
  const known = memory.addresses.get(address)
  if (known !== undefined) return known
  const entry: AddressEntry = {
    id: row.id,
    address,
    isNew: false,
    schemasCreated: row.schemas_created,
    created: row.created,
    receivedOther: row.received_other,
    receivedSelf: row.received_self,
    changes: null,
  }
  memory.addresses.set(address, entry)
  return entry
}

/** Reads the rows of these schemas of a chain, registered or merely referred to; those without a row get an id. */
export async function loadSchemas(
  state: WriterState,
  chainId: ChainId,
  keys: Iterable<SchemaKey>,
): Promise<void> {
  const { tables, stored, memory } = state
  const missing = new Map<string, SchemaKey>()
  for (const key of keys) {
    const text = schemaEntryKey(key)
    if (!memory.schemas.has(text)) missing.set(text, key)
  }
  if (missing.size === 0) return
  const digits = new Set(Array.from(missing.values(), ({ localId }) => localId.slice(2)))
  const rows = await tables.findBy('schema', schemaColumns, 'local_id', [...digits], { chain_id: chainId })
  for (const row of rows) rememberSchema(state, row)
  for (const [text, key] of missing) {
    if (memory.schemas.has(text)) continue
    const counts = { attestationCount: 0, attesterCount: 0 }
    const id = stored.nextSchemaId++
    memory.schemas.set(text, {
      id,
      ...key,
      isNew: true,
      registered: false,
      ...counts,
      fieldState: fieldState.none,
      fieldSource: null,
      changes: null,
    })
  }
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

/** What names a schema in the writer's memory. */
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
