import type { AttestationFilter, SchemaFilter } from '../indexQueries.ts'
import { listKind } from '../layout/listKinds.ts'
import { findAddress, findAddressSources, type AddressRow } from './addressLists.ts'
import type { ResolvedFilter } from './attestationFilter.ts'
import { countRange } from './countRange.ts'
import type { KnownChain } from '../layout/knownChain.ts'
import type { CountedList } from './locateOffset.ts'
import type { ReadSession } from './readSession.ts'

/** How many attestations pass a filter, where counters or rank trees say so; null where rows must be counted. */
export function findAttestationCount(
  session: ReadSession,
  chains: readonly KnownChain[],
  filter: AttestationFilter,
  resolved: ResolvedFilter,
): number | null {
  const { schema, attester, recipient, chainId, from, before } = resolved
  const { expired, validAt, linkedLocalId, indexingValue, dataLocation } = resolved
  for (const member of [expired, validAt, linkedLocalId, indexingValue, dataLocation]) {
    if (member !== null) return null
  }
  const isWhole = schema === null && attester === null && recipient === null
  const isTimeless = from === null && before === null
  if (resolved.protocol !== null || resolved.revoked !== null) {
    return isWhole && isTimeless ? countTotals(session, resolved) : null
  }
  if (isWhole && chainId !== null) {
    if (!isTimeless) return null
    return chains.find((chain) => chain.chainId === chainId)?.attestationCount ?? 0
  }
  const lists = listsOf(session, filter, resolved)
  if (lists === null) return null
  return lists.reduce((sum, list) => sum + countRange(session, list, from, before), 0)
}

/** How many schemas pass a filter, where counters or rank trees say so; null where rows must be counted. */
export function findSchemaCount(
  session: ReadSession,
  chains: readonly KnownChain[],
  filter: SchemaFilter,
): number | null {
  const {
    registrant,
    resolver,
    chainId,
    protocol,
    revocable,
    registeredFrom: from,
    registeredBefore: before,
  } = filter
  if (resolver !== null || revocable !== null) return null
  if (chainId !== null || protocol !== null) {
    if (registrant !== null || from !== null || before !== null) return null
    if (protocol !== null) return countSchemaTotals(session, chainId, protocol)
    return chains.find((chain) => chain.chainId === chainId)?.schemaCount ?? 0
  }
  if (registrant === null) {
    const list = { kind: listKind.schemas, ownerId: 0, scopeId: 0 }
    return countRange(session, { list, count: session.snapshot.schemaCount }, from, before)
  }
  const address = findAddress(session, registrant)
  if (address === null) return 0
  const list = { kind: listKind.schemasOfRegistrant, ownerId: address.id, scopeId: 0 }
  return countRange(session, { list, count: address.schemasCreated }, from, before)
}

/** The disjoint lists whose union is what passes a filter by schema, address and chain; null where there are none. */
function listsOf(
  session: ReadSession,
  filter: AttestationFilter,
  { schema, attester, recipient, chainId }: ResolvedFilter,
): CountedList[] | null {
  const ofAddress = (address: AddressRow, role: 'created' | 'received') => {
    const part = filter.schema === null ? null : ({ kind: 'key', key: filter.schema } as const)
    return findAddressSources(session, address, { role, chainId, schema: part }).map(({ counted }) => counted)
  }
  if (attester !== null) return recipient === null ? ofAddress(attester, 'created') : null
  if (recipient !== null)
    return recipient.kind === 'address' ? ofAddress(recipient.address, 'received') : null
  if (schema !== null) {
    const list = { kind: listKind.attestationsOfSchema, ownerId: schema.id, scopeId: 0 }
    return [{ list, count: schema.attestationCount }]
  }
  const list = { kind: listKind.attestations, ownerId: 0, scopeId: 0 }
  return [{ list, count: session.snapshot.attestationCount }]
}

function countTotals(session: ReadSession, { chainId, protocol, revoked }: ResolvedFilter): number {
  const rows = session.connection
    .statement<[number, string, number, number]>(
      'SELECT chain_id, protocol, attestation_count, revocation_count FROM protocol_count',
    )
    .all()
  let sum = 0
  for (const [chain, name, attestations, revocations] of rows) {
    if ((chainId !== null && chain !== chainId) || (protocol !== null && name !== protocol)) continue
    sum += revoked === null ? attestations : revoked ? revocations : attestations - revocations
  }
  return sum
}

function countSchemaTotals(session: ReadSession, chainId: number | null, protocol: string): number {
  const row = session.connection
    .statement<[number]>(
      'SELECT coalesce(sum(schema_count), 0) FROM protocol_count WHERE protocol = ? AND (? IS NULL OR chain_id = ?)',
    )
    .get(protocol, chainId, chainId)
  return row?.[0] ?? 0
}
