import type { ChainId } from '../../model/compositeId.ts'
import type { Address } from '../../model/hex.ts'
import type { AddressAttestationQuery, AddressStatistics } from '../indexReader.ts'
import { hexBytes } from '../layout/hexColumn.ts'
import { type AddressRole, type RankList, kindsOfRole } from '../layout/listKinds.ts'
import type { AttestationWalk } from './attestationPage.ts'
import { listKnownChains } from './knownChains.ts'
import { countList, type CountedList } from './locateOffset.ts'
import type { ReadSession } from './readSession.ts'

/** The dictionary row of an address with its counters. */
export interface AddressRow extends Readonly<Record<AddressRole, number>> {
  readonly id: number
  readonly schemasCreated: number
}

export function findAddress(session: ReadSession, address: Address): AddressRow | null {
  const row = session.connection
    .statement<[number, number, number, number, number]>(
      'SELECT id, schemas_created, created, received_other, received_self FROM address WHERE bytes = ?',
    )
    .get(hexBytes(address))
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
} as const satisfies Record<AddressAttestationQuery['role'], readonly AddressRole[]>

export interface AddressSource {
  readonly counted: CountedList
  readonly walks: readonly AttestationWalk[]
}

/** The lists that a listing of an address is the union of; empty ones are left out. */
export function findAddressSources(
  session: ReadSession,
  address: AddressRow,
  filter: Pick<AddressAttestationQuery, 'role' | 'chainId' | 'schema'>,
): AddressSource[] {
  const sources: AddressSource[] = []
  for (const role of rolesOfListing[filter.role]) {
    if (address[role] === 0) continue
    const parts =
      filter.schema === null
        ? [chainSource(session, address, role, filter.chainId)]
        : schemaSources(session, address, role, filter.schema, filter.chainId)
    sources.push(...parts.filter(({ counted }) => counted.count > 0))
  }
  return sources
}

type SchemaFilter = NonNullable<AddressAttestationQuery['schema']>

function chainSource(
  session: ReadSession,
  address: AddressRow,
  role: AddressRole,
  chainId: ChainId | null,
): AddressSource {
  const kinds = kindsOfRole[role]
  if (chainId === null) {
    const list = { kind: kinds.all, ownerId: address.id, scopeId: 0 }
    const chains = listKnownChains(session).filter(({ attestationCount }) => attestationCount > 0)
    const walks = chains.map((each) => chainWalk(address.id, role, each.chainId))
    return { counted: { list, count: address[role] }, walks }
  }
  const list = { kind: kinds.onChain, ownerId: address.id, scopeId: chainId }
  return {
    counted: { list, count: countPart(session, address[role], list) },
    walks: [chainWalk(address.id, role, chainId)],
  }
}

function schemaSources(
  session: ReadSession,
  address: AddressRow,
  role: AddressRole,
  schema: SchemaFilter,
  chainId: ChainId | null,
): AddressSource[] {
  const localId = schema.kind === 'key' ? schema.key.localId : schema.localId
  return session.connection
    .statement<[number, number]>('SELECT id, chain_id FROM schema WHERE local_id = ?')
    .all(localId.slice(2))
    .filter(([, id]) => schema.kind === 'localId' || id === schema.key.chainId)
    .filter(([, id]) => chainId === null || id === chainId)
    .map(([schemaId, id]) => {
      const list = { kind: kindsOfRole[role].underSchema, ownerId: address.id, scopeId: schemaId }
      return {
        counted: { list, count: countPart(session, address[role], list) },
        walks: [schemaWalk(address.id, role, schemaId, id)],
      }
    })
}

/** Parts of a list are counted by walking it while it is small, and have counters of their own beyond that. */
function countPart(session: ReadSession, whole: number, list: RankList): number {
  if (whole <= session.rankThreshold) return countList(session, list)
  const row = session.connection
    .statement<[number]>('SELECT count FROM list_count WHERE kind = ? AND owner_id = ? AND scope_id = ?')
    .get(list.kind, list.ownerId, list.scopeId)
  return row?.[0] ?? 0
}

function chainWalk(addressId: number, role: AddressRole, chainId: ChainId): AttestationWalk {
  // Ordering by the column keeps the walk ordered where chains are merged; a literal would make SQLite sort.
  const place = { parameters: [addressId, chainId], chainId: null }
  return role === 'created'
    ? { table: 'attestation', condition: 'attester_id = ? AND chain_id = ?', ...place }
    : {
        table: 'received_by_chain',
        condition: `address_id = ? AND is_self = ${selfFlag(role)} AND chain_id = ?`,
        ...place,
      }
}

function schemaWalk(
  addressId: number,
  role: AddressRole,
  schemaId: number,
  chainId: ChainId,
): AttestationWalk {
  const place = { parameters: [addressId, schemaId], chainId }
  return role === 'created'
    ? { table: 'attestation', condition: 'attester_id = ? AND schema_id = ?', ...place }
    : {
        table: 'received_by_schema',
        condition: `address_id = ? AND is_self = ${selfFlag(role)} AND schema_id = ?`,
        ...place,
      }
}

function selfFlag(role: AddressRole): number {
  return role === 'receivedSelf' ? 1 : 0
}
