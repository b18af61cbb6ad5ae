import type { ChainId, RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import type { AddressListing } from '@attestry/core/index/indexQueries.ts'
import type { AddressStatistics } from '@attestry/core/index/storedRecords.ts'
import { hexBytes } from '../layout/hexColumn.ts'
import { type AddressRole, type RankList, kindsOfRole } from '../layout/listKinds.ts'
import type { Reads } from '../port/reads.ts'
import { addressArm, addressSchemaArm } from './attestationArms.ts'
import type { ListSource } from './attestationPage.ts'
import { listKnownChains } from './knownChains.ts'
import { listRows } from './listRows.ts'
import { countList } from './readList.ts'
import type { ReadSession } from './session.ts'
import { findSchemaRow } from './storedSchema.ts'

/** The dictionary row of an address with its counters. */
export interface AddressRow extends Readonly<Record<AddressRole, number>> {
  readonly id: number
  readonly schemasCreated: number
}

export async function findAddress(reads: Reads, address: Address): Promise<AddressRow | null> {
  const row = await reads.get<[number, number, number, number, number]>(
    'SELECT id, schemas_created, created, received_other, received_self FROM address WHERE bytes = ?',
    hexBytes(address),
  )
  if (row === undefined) return null
  return { id: row[0], schemasCreated: row[1], created: row[2], receivedOther: row[3], receivedSelf: row[4] }
}

export function addressStatistics(row: AddressRow | null): AddressStatistics {
  if (row === null) {
    return { schemaCreated: 0, attestationCreated: 0, attestationReceived: 0, totalAttestations: 0 }
  }
  return {
    schemaCreated: row.schemasCreated,
    attestationCreated: row.created,
    attestationReceived: row.receivedOther + row.receivedSelf,
    totalAttestations: row.created + row.receivedOther,
  }
}

/** The disjoint lists whose union is a listing of an address. */
export const rolesOfListing = {
  created: ['created'],
  received: ['receivedOther', 'receivedSelf'],
  either: ['created', 'receivedOther'],
} as const satisfies Record<AddressListing['role'], readonly AddressRole[]>

/** The lists that a listing of an address is the union of; empty ones are left out. */
export async function findAddressSources(
  session: ReadSession,
  address: AddressRow,
  filter: Pick<AddressListing, 'role' | 'chainId' | 'schema'>,
): Promise<ListSource[]> {
  const roles = rolesOfListing[filter.role].filter((role) => address[role] > 0)
  const { schema } = filter
  const onlyChain = session.cut?.chainId ?? null
  if (onlyChain !== null && filter.chainId !== null && filter.chainId !== onlyChain) return []
  const chainId = onlyChain ?? filter.chainId
  const parts = await Promise.all(
    roles.map((role) =>
      schema === null
        ? chainSources(session, address, role, chainId)
        : schemaSources(session, address, role, schema, chainId),
    ),
  )
  return parts.flat().filter(({ counted }) => counted.count > 0)
}

type SchemaFilter = NonNullable<AddressListing['schema']>

async function chainSources(
  session: ReadSession,
  address: AddressRow,
  role: AddressRole,
  chainId: ChainId | null,
): Promise<ListSource[]> {
  const kinds = kindsOfRole[role]
  const { dialect } = session.connection
  if (chainId === null) {
    const list = { kind: kinds.all, ownerId: address.id, scopeId: 0 }
    const chains = await listKnownChains(session)
    const arms = chains
      .filter(({ attestationCount }) => attestationCount > 0)
      .map((chain) => addressArm(dialect, address.id, role, chain.chainId))
    return [{ counted: { list, count: address[role] }, arms }]
  }
  const list = { kind: kinds.onChain, ownerId: address.id, scopeId: chainId }
  const count = await countPart(session, address[role], list)
  return [{ counted: { list, count }, arms: [addressArm(dialect, address.id, role, chainId)] }]
}

async function schemaSources(
  session: ReadSession,
  address: AddressRow,
  role: AddressRole,
  schema: SchemaFilter,
  chainId: ChainId | null,
): Promise<ListSource[]> {
  const { connection } = session
  const keys = schema.kind === 'key' ? [schema.key] : await keysOfLocalId(connection, schema)
  const sources = keys
    .filter((key) => chainId === null || key.chainId === chainId)
    .map(async (key): Promise<ListSource[]> => {
      const row = await findSchemaRow(session, key)
      if (row === null) return []
      const list = { kind: kindsOfRole[role].underSchema, ownerId: address.id, scopeId: row.id }
      const count = await countPart(session, address[role], list)
      const arms = [addressSchemaArm(connection.dialect, address.id, role, row.id, key.chainId)]
      return [{ counted: { list, count }, arms }]
    })
  return (await Promise.all(sources)).flat()
}

/** The keys that a local id stands for, one on each chain. */
export async function keysOfLocalId(
  reads: Reads,
  { localId, protocol = null }: Extract<SchemaFilter, { readonly kind: 'localId' }>,
): Promise<RecordKey[]> {
  const sql = 'SELECT DISTINCT chain_id FROM schema WHERE local_id = ?'
  const chains = await reads.all<[number]>(sql, localId.slice(2))
  return chains.map(([chainId]) => ({ chainId, localId, protocol }))
}

/** The counts of an address's list in one role by chain id or by row id of the schema. */
export async function partsInRole(
  { connection, rankThreshold }: ReadSession,
  address: AddressRow,
  role: AddressRole,
  by: 'chain' | 'schema',
): Promise<[part: number, count: number][]> {
  if (address[role] === 0) return []
  const kinds = kindsOfRole[role]
  if (address[role] > rankThreshold) {
    const kind = by === 'chain' ? kinds.onChain : kinds.underSchema
    return await connection.all<[number, number]>(
      'SELECT scope_id, count FROM list_count WHERE kind = ? AND owner_id = ?',
      kind,
      address.id,
    )
  }
  const { dialect } = connection
  const { from, condition } = listRows(dialect)[kinds.all]
  return await connection.all<[number, number]>(
    `SELECT a.${by}_id, count(*) FROM ${from} ${dialect.drivenJoin} attestation a ON a.id = e.id ` +
      `WHERE ${condition('?', '?')} GROUP BY 1`,
    address.id,
  )
}

/** Parts of a list are counted by walking it while it is small, and have counters of their own beyond that. */
export async function countPart(session: ReadSession, whole: number, list: RankList): Promise<number> {
  const { connection } = session
  if (whole <= session.rankThreshold) return await countList(connection, list)
  const row = await connection.get<[number]>(
    'SELECT count FROM list_count WHERE kind = ? AND owner_id = ? AND scope_id = ?',
    list.kind,
    list.ownerId,
    list.scopeId,
  )
  return row?.[0] ?? 0
}
