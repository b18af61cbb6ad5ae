import type { ChainId, LocalId } from '../../model/compositeId.ts'
import type { Address } from '../../model/hex.ts'
import type { AddressEntry, SchemaEntry } from '../layout/entries.ts'
import { hexBytes } from '../layout/hexColumn.ts'
import { rememberedMax } from '../layout/rememberedMax.ts'
import type { Connection } from './connection.ts'

/**
 * What a writer remembers between its transactions: the dictionary rows it has met, so that most events need no
 * read. Everything in here is dropped when a transaction fails, when blocks are reverted, and when another connection
 * has written (`PRAGMA data_version`).
 */
export interface WriterState {
  readonly connection: Connection
  readonly rankThreshold: number
  readonly addresses: Map<Address, AddressEntry>
  readonly schemas: Map<string, SchemaEntry>
  nextAddressId: number
  nextSchemaId: number
  dataVersion: number
  /** Entries remembered at most, per map; a map over it is emptied between transactions. */
  readonly entriesMax: number
}

export function createWriterState(
  connection: Connection,
  entriesMax: number = rememberedMax.indexing,
): WriterState {
  const threshold = connection.statement<[number]>('SELECT rank_threshold FROM index_state').get()?.[0] ?? 0
  const state: WriterState = {
    connection,
    rankThreshold: threshold,
    addresses: new Map(),
    schemas: new Map(),
    nextAddressId: 0,
    nextSchemaId: 0,
    dataVersion: -1,
    entriesMax,
  }
  return state
}

/** Forgets everything; the next transaction reads it afresh. */
export function forgetState(state: WriterState): void {
  state.addresses.clear()
  state.schemas.clear()
  state.dataVersion = -1
}

/** To be called at the beginning of every transaction: drops what another connection may have made stale. */
export function refreshState(state: WriterState): void {
  const { connection } = state
  const dataVersion = connection.statement<[number]>('PRAGMA data_version').get()?.[0] ?? 0
  if (dataVersion !== state.dataVersion) {
    forgetState(state)
    state.dataVersion = dataVersion
    state.nextAddressId = nextId(connection, 'address')
    state.nextSchemaId = nextId(connection, 'schema')
  }
  if (state.addresses.size > state.entriesMax) state.addresses.clear()
  if (state.schemas.size > state.entriesMax) state.schemas.clear()
}

function nextId(connection: Connection, table: 'address' | 'schema'): number {
  return (connection.statement<[number | null]>(`SELECT max(id) FROM ${table}`).get()?.[0] ?? 0) + 1
}

/** The dictionary entry of an address; a new one is written when the transaction's counters are. */
export function addressEntry(state: WriterState, address: Address): AddressEntry {
  const known = state.addresses.get(address)
  if (known !== undefined) return known
  const row = state.connection
    .statement<[number, number, number, number, number]>(
      'SELECT id, schemas_created, created, received_other, received_self FROM address WHERE bytes = ?',
    )
    .get(hexBytes(address))
  const entry: AddressEntry = {
    id: row === undefined ? state.nextAddressId++ : row[0],
    address,
    isNew: row === undefined,
    schemasCreated: row?.[1] ?? 0,
    created: row?.[2] ?? 0,
    receivedOther: row?.[3] ?? 0,
    receivedSelf: row?.[4] ?? 0,
    changes: null,
  }
  state.addresses.set(address, entry)
  return entry
}

/** The entry of a schema, registered or merely referred to; a new one is written when the transaction's counters are. */
export function schemaEntry(state: WriterState, chainId: ChainId, localId: LocalId): SchemaEntry {
  const key = schemaEntryKey(chainId, localId)
  const known = state.schemas.get(key)
  if (known !== undefined) return known
  const row = state.connection
    .statement<[number, number, number, number]>(
      'SELECT id, registered, attestation_count, attester_count FROM schema WHERE local_id = ? AND chain_id = ?',
    )
    .get(localId.slice(2), chainId)
  const entry: SchemaEntry = {
    id: row === undefined ? state.nextSchemaId++ : row[0],
    chainId,
    localId,
    isNew: row === undefined,
    registered: row?.[1] === 1,
    attestationCount: row?.[2] ?? 0,
    attesterCount: row?.[3] ?? 0,
    changes: null,
  }
  state.schemas.set(key, entry)
  return entry
}

function schemaEntryKey(chainId: ChainId, localId: LocalId): string {
  return `${chainId} ${localId}`
}
