import type { ChainId, LocalId } from '../../model/compositeId.ts'
import type { Address } from '../../model/hex.ts'
import type { AddressEntry, SchemaEntry } from '../layout/entries.ts'
import { hexBytes, addressOfBytes } from '../layout/hexColumn.ts'
import { rememberedMax } from '../layout/rememberedMax.ts'
import type { Connection } from './connection.ts'

/**
 * What a transaction of a writer works with. Its first statement locks the row of the index's state: writers take turns,
 * whichever process and chain they are of, so that versions and changes are numbered in the order of their commits.
 */
export interface WriterState {
  readonly connection: Connection
  readonly rankThreshold: number
  readonly version: number
  attestationCount: number
  schemaCount: number
  nextAddressId: number
  nextSchemaId: number
  readonly memory: WriterMemory
  readonly writeCount: number
}

/**
 * The dictionary rows that a writer has met, so that most of them need no read. They are those of the database while its count
 * of writes is `writeCount`: while nobody else has written, and no transaction of this writer failed or took blocks back.
 */
export interface WriterMemory {
  writeCount: number | null
  readonly addresses: Map<Address, AddressEntry>
  readonly schemas: Map<string, SchemaEntry>
  /** Entries remembered at most, per map; a map over it is emptied when everything is written. */
  readonly entriesMax: number
}

export function createWriterMemory(entriesMax: number = rememberedMax.indexing): WriterMemory {
  return { writeCount: null, addresses: new Map(), schemas: new Map(), entriesMax }
}

/** Locks the index for writing until the transaction ends, and reads its state. */
export async function lockState(connection: Connection, memory: WriterMemory): Promise<WriterState> {
  const row = await connection.get<[number, number, number, number, number, number, number]>(
    'SELECT version, attestation_count, schema_count, next_address_id, next_schema_id, rank_threshold, write_count ' +
      'FROM index_state FOR UPDATE',
  )
  if (row === undefined) throw new Error('the database has no row of its state')
  if (memory.writeCount !== row[6]) forget(memory)
  // Until the transaction is known to have succeeded, nothing is known.
  memory.writeCount = null
  return {
    connection,
    version: row[0],
    attestationCount: row[1],
    schemaCount: row[2],
    nextAddressId: row[3],
    nextSchemaId: row[4],
    rankThreshold: row[5],
    memory,
    writeCount: row[6],
  }
}

/** Forgets what has become too much to be remembered; to be called when everything is written. */
export function trimMemory({ memory: { addresses, schemas, entriesMax } }: WriterState): void {
  if (addresses.size > entriesMax) addresses.clear()
  if (schemas.size > entriesMax) schemas.clear()
}

function forget({ addresses, schemas }: WriterMemory): void {
  addresses.clear()
  schemas.clear()
}

/** To be called once the transaction has been committed: what it left in memory is what the database holds. */
export function keepMemory(state: WriterState): void {
  const { memory, writeCount } = state
  memory.writeCount = writeCount + 1
  trimMemory(state)
}

/** Writes the state back; the version moves where an answer may have changed. */
export async function writeState(state: WriterState, touched: boolean): Promise<void> {
  await state.connection.run(
    'UPDATE index_state SET version = version + ?, write_count = write_count + 1, attestation_count = ?, ' +
      'schema_count = ?, next_address_id = ?, next_schema_id = ?',
    touched ? 1 : 0,
    state.attestationCount,
    state.schemaCount,
    state.nextAddressId,
    state.nextSchemaId,
  )
}

/** Reads the dictionary rows of these addresses; those that have none get an id of their own. */
export async function loadAddresses(state: WriterState, addresses: Iterable<Address>): Promise<void> {
  const missing = [...new Set(addresses)].filter((address) => !state.memory.addresses.has(address))
  if (missing.length === 0) return
  const rows = await state.connection.all<AddressColumns>(
    `SELECT ${addressColumns} FROM address WHERE bytes = ANY(?::bytea[])`,
    missing.map(hexBytes),
  )
  for (const row of rows) rememberAddress(state, row)
  for (const address of missing) {
    if (state.memory.addresses.has(address)) continue
    const id = state.nextAddressId++
    const counts = { schemasCreated: 0, created: 0, receivedOther: 0, receivedSelf: 0 }
    state.memory.addresses.set(address, { id, address, isNew: true, ...counts, changes: null })
  }
}

/** Reads the dictionary rows with these ids, which rows refer to. */
export async function loadAddressesById(
  state: WriterState,
  ids: Iterable<number>,
): Promise<ReadonlyMap<number, AddressEntry>> {
  const wanted = [...new Set(ids)]
  const rows = await state.connection.all<AddressColumns>(
    `SELECT ${addressColumns} FROM address WHERE id = ANY(?::bigint[])`,
    wanted,
  )
  return new Map(rows.map((row) => [row[0], rememberAddress(state, row)]))
}

/** An address that was loaded. */
export function addressEntry(state: WriterState, address: Address): AddressEntry {
  const entry = state.memory.addresses.get(address)
  if (entry === undefined) throw new Error(`the address ${address} was not loaded`)
  return entry
}

const addressColumns = 'id, bytes, schemas_created, created, received_other, received_self'
type AddressColumns = [number, Uint8Array, number, number, number, number]

function rememberAddress(state: WriterState, row: AddressColumns): AddressEntry {
  const address = addressOfBytes(row[1])
  const known = state.memory.addresses.get(address)
  if (known !== undefined) return known
  const entry: AddressEntry = {
    id: row[0],
    address,
    isNew: false,
    schemasCreated: row[2],
    created: row[3],
    receivedOther: row[4],
    receivedSelf: row[5],
    changes: null,
  }
  state.memory.addresses.set(address, entry)
  return entry
}

/** Reads the rows of these schemas of a chain, registered or merely referred to; those that have none get an id. */
export async function loadSchemas(
  state: WriterState,
  chainId: ChainId,
  localIds: Iterable<LocalId>,
): Promise<void> {
  const missing = [...new Set(localIds)].filter(
    (id) => !state.memory.schemas.has(schemaEntryKey(chainId, id)),
  )
  if (missing.length === 0) return
  const rows = await state.connection.all<SchemaColumns>(
    `SELECT ${schemaColumns} FROM schema WHERE local_id = ANY(?::text[]) AND chain_id = ?`,
    missing.map((localId) => localId.slice(2)),
    chainId,
  )
  for (const row of rows) rememberSchema(state, row)
  for (const localId of missing) {
    const key = schemaEntryKey(chainId, localId)
    if (state.memory.schemas.has(key)) continue
    const counts = { attestationCount: 0, attesterCount: 0 }
    const id = state.nextSchemaId++
    const entry = { id, chainId, localId, isNew: true, registered: false, ...counts, changes: null }
    state.memory.schemas.set(key, entry)
  }
}

export async function loadSchemasById(
  state: WriterState,
  ids: Iterable<number>,
): Promise<ReadonlyMap<number, SchemaEntry>> {
  const wanted = [...new Set(ids)]
  const rows = await state.connection.all<SchemaColumns>(
    `SELECT ${schemaColumns} FROM schema WHERE id = ANY(?::bigint[])`,
    wanted,
  )
  return new Map(rows.map((row) => [row[0], rememberSchema(state, row)]))
}

/** A schema that was loaded. */
export function schemaEntry(state: WriterState, chainId: ChainId, localId: LocalId): SchemaEntry {
  const entry = state.memory.schemas.get(schemaEntryKey(chainId, localId))
  if (entry === undefined) throw new Error(`the schema ${localId} of chain ${chainId} was not loaded`)
  return entry
}

const schemaColumns = 'id, chain_id, local_id, registered, attestation_count, attester_count'
type SchemaColumns = [number, number, string, boolean, number, number]

function rememberSchema(state: WriterState, row: SchemaColumns): SchemaEntry {
  const [id, chainId, digits, registered, attestationCount, attesterCount] = row
  const localId = `0x${digits}` as LocalId
  const key = schemaEntryKey(chainId, localId)
  const known = state.memory.schemas.get(key)
  if (known !== undefined) return known
  const entry: SchemaEntry = {
    id,
    chainId,
    localId,
    isNew: false,
    registered,
    attestationCount,
    attesterCount,
    changes: null,
  }
  state.memory.schemas.set(key, entry)
  return entry
}

function schemaEntryKey(chainId: ChainId, localId: LocalId): string {
  return `${chainId} ${localId}`
}
