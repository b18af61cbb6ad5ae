import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { AttestationFilter, SchemaFilter } from '@attestry/core/index/indexQueries.ts'
import type { ProtocolTotals } from '@attestry/core/index/storedRecords.ts'
import type { KnownChain } from '../layout/knownChain.ts'
import { kindsOfRole, listKind } from '../layout/listKinds.ts'
import type { Reads } from '../port/reads.ts'
import { daySeconds } from '@attestry/core/model/time.ts'
import { listTotals, sumProtocolDays } from './activity.ts'
import {
  findAddress,
  findAddressSources,
  partsInRole,
  rolesOfListing,
  type AddressRow,
} from './addressLists.ts'
import type { ResolvedFilter } from './attestationFilter.ts'
import type { ResolvedField } from './fieldLists.ts'
import { countFromAsOf } from './countAsOf.ts'
import { countRange } from './countRange.ts'
import { placeOfCut } from './cut.ts'
import type { CountedList } from './locateOffset.ts'
import type { ReadSession } from './session.ts'
import { placeholders } from './sqlTerms.ts'

/** The number of attestations that pass a filter, from counters or rank trees; null if rows must be counted. */
export async function findAttestationCount(
  session: ReadSession,
  chains: readonly KnownChain[],
  filter: AttestationFilter,
  resolved: ResolvedFilter,
): Promise<number | null> {
  const { schema, attester, recipient, chainId, fields, protocol, revoked, from, before, cut } = resolved
  if (hasUncountedMember({ ...resolved, fields: [] })) return null
  if (fields.length > 0) {
    const lists = fieldListsOf(fields)
    const isAlone = [attester, recipient, protocol, revoked].every((member) => member === null)
    if (lists === null || !isAlone || (cut !== null && schema === null)) return null
    return await countLists(session, lists, resolved)
  }
  const isWhole = schema === null && attester === null && recipient === null
  const isTimeless = from === null && before === null
  if (revoked !== null || (protocol !== null && isWhole)) {
    return isWhole && isTimeless ? await countTotals(session, resolved) : null
  }
  if (isWhole && chainId !== null) {
    if (!isTimeless) return null
    return chains.find((chain) => chain.chainId === chainId)?.attestationCount ?? 0
  }
  const lists = await listsOf(session, filter, resolved)
  return lists === null ? null : await countLists(session, lists, resolved)
}

/** Members of a filter that counters know, or that leave no attestation out by themselves. */
const countedMembers: ReadonlySet<string> = new Set([
  'schema',
  'attester',
  'recipient',
  'chainId',
  'protocol',
  'revoked',
  'from',
  'before',
  'exceptSchemas',
  'cut',
] satisfies (keyof ResolvedFilter)[])

/** Whether a filter narrows by a member that no counter knows. */
export function hasUncountedMember(filter: ResolvedFilter): boolean {
  return Object.entries(filter).some(
    ([name, member]) =>
      !countedMembers.has(name) && member !== null && !(name === 'fields' && filter.fields.length === 0),
  )
}

/**
 * Counts the attestations of a chain, a protocol or both on the whole UTC days between the bounds of a filter. Returns
 * the count and the filters of what is left at both ends; null if no counters hold it.
 */
export async function countWholeDays(
  { connection }: ReadSession,
  resolved: ResolvedFilter,
): Promise<{ readonly count: number; readonly rests: readonly ResolvedFilter[] } | null> {
  const { schema, attester, recipient, revoked, chainId, protocol, from, before, cut } = resolved
  const others = [schema, attester, recipient, revoked]
  if (before === null || (chainId === null && protocol === null)) return null
  if (hasUncountedMember(resolved) || others.some((member) => member !== null)) return null
  // A second that a cut divides may end a day, which then counts rows after the cut.
  const isDivided = cut !== null && cut.place.last !== null
  const first = from === null ? null : Math.ceil(from / daySeconds)
  const end = Math.floor((isDivided ? Math.min(before, cut.place.from) : before) / daySeconds)
  if (first !== null && first >= end) return null
  const count = await sumProtocolDays(connection, { chainId, protocol }, { from: first, before: end })
  const rests: ResolvedFilter[] = [{ ...resolved, from: end * daySeconds }]
  if (from !== null && first !== null) rests.push({ ...resolved, before: first * daySeconds })
  return { count, rests: rests.filter((rest) => rest.from !== rest.before) }
}

/** The number of schemas that pass a filter, from counters or rank trees; null if rows must be counted. */
export async function findSchemaCount(
  session: ReadSession,
  chains: readonly KnownChain[],
  filter: SchemaFilter,
): Promise<number | null> {
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
  const { cut, connection } = session
  // A second that a cut divides is counted row by row.
  if (cut !== null && (await placeOfCut(connection, cut, 'schema')).last !== null) return null
  if (chainId !== null || protocol !== null) {
    if (registrant !== null || from !== null || before !== null) return null
    if (protocol !== null) return await countSchemaTotals(session, chainId, protocol)
    return chains.find((chain) => chain.chainId === chainId)?.schemaCount ?? 0
  }
  if (registrant === null) {
    const list = { kind: listKind.schemas, ownerId: 0, scopeId: 0 }
    return await countRange(session, { list, count: session.snapshot.schemaCount }, from, before)
  }
  const address = await findAddress(session.connection, registrant)
  if (address === null) return 0
  const list = { kind: listKind.schemasOfRegistrant, ownerId: address.id, scopeId: 0 }
  return await countRange(session, { list, count: address.schemasCreated }, from, before)
}

/** Most schemas whose lists are counted one by one. */
const listedSchemasMax = 64

/**
 * The disjoint lists that together hold the attestations passing a filter by schema, address, chain and an address's
 * protocol; null if there are no such lists.
 */
export async function listsOf(
  session: ReadSession,
  filter: AttestationFilter,
  { schema, attester, recipient, chainId, protocol }: ResolvedFilter,
): Promise<CountedList[] | null> {
  const ofAddress = async (address: AddressRow, role: 'created' | 'received') => {
    if (protocol !== null) return await listsOfProtocol(session, address, role, { chainId, protocol })
    const part =
      filter.schema === null || schema === null
        ? null
        : ({ kind: 'key', key: { ...filter.schema, protocol: schema.protocol } } as const)
    const sources = await findAddressSources(session, address, { role, chainId, schema: part })
    return sources.map(({ counted }) => counted)
  }
  if (attester !== null) return recipient === null ? await ofAddress(attester, 'created') : null
  if (recipient !== null) {
    return recipient.kind === 'address' ? await ofAddress(recipient.address, 'received') : null
  }
  if (schema !== null) {
    const list = { kind: listKind.attestationsOfSchema, ownerId: schema.id, scopeId: 0 }
    return [{ list, count: schema.attestationCount }]
  }
  if (protocol !== null) return null
  const list = { kind: listKind.attestations, ownerId: 0, scopeId: 0 }
  return [{ list, count: session.snapshot.attestationCount }]
}

/** The lists of an address under the schemas of a protocol; null if they are too many. */
async function listsOfProtocol(
  session: ReadSession,
  address: AddressRow,
  listing: 'created' | 'received',
  { chainId, protocol }: { readonly chainId: ChainId | null; readonly protocol: string },
): Promise<CountedList[] | null> {
  const { all, dialect } = session.connection
  const lists: CountedList[] = []
  for (const role of rolesOfListing[listing]) {
    const parts = new Map(await partsInRole(session, address, role, 'schema'))
    if (parts.size > listedSchemasMax) return null
    if (parts.size === 0) continue
    const schemas = await all<[id: number]>(
      `SELECT s.id FROM schema s WHERE s.id IN (${placeholders([...parts])}) AND s.protocol = ?` +
        (chainId === null ? '' : ` AND ${dialect.hidden('s.chain_id', 'integer')} = ?`),
      ...parts.keys(),
      protocol,
      ...(chainId === null ? [] : [chainId]),
    )
    for (const [scopeId] of schemas) {
      const list = { kind: kindsOfRole[role].underSchema, ownerId: address.id, scopeId }
      lists.push({ list, count: parts.get(scopeId) ?? 0 })
    }
  }
  return lists
}

/**
 * The disjoint lists that together hold the attestations passing one condition on a field and no other; null if there
 * are no such lists.
 */
export function fieldListsOf(fields: readonly ResolvedField[]): CountedList[] | null {
  const [only] = fields
  if (fields.length !== 1 || only?.lists === undefined || only.lists === null || !only.isDisjoint) return null
  return only.lists.map(({ valueId, count }) => ({
    list: { kind: listKind.fieldValue, ownerId: valueId, scopeId: 0 },
    count,
  }))
}

async function countLists(
  session: ReadSession,
  lists: readonly CountedList[],
  { from, before, cut }: Pick<ResolvedFilter, 'from' | 'before' | 'cut'>,
): Promise<number> {
  if (cut !== null && before === cut.place.before) {
    const counts = await Promise.all(lists.map((list) => countFromAsOf(session, cut, list, from)))
    return counts.reduce((sum, count) => sum + count, 0)
  }
  if (from === null && before === null) return lists.reduce((sum, { count }) => sum + count, 0)
  const counts = await Promise.all(lists.map((list) => countRange(session, list, from, before)))
  return counts.reduce((sum, count) => sum + count, 0)
}

async function countTotals(
  { connection }: ReadSession,
  { chainId, protocol, revoked }: ResolvedFilter,
): Promise<number> {
  let sum = 0
  for (const { attestationCount, revocationCount } of await totalsOf(connection, chainId, protocol)) {
    if (revoked !== true) sum += attestationCount
    if (revoked !== null) sum += revoked ? revocationCount : -revocationCount
  }
  return sum
}

async function countSchemaTotals(
  { connection }: ReadSession,
  chainId: number | null,
  protocol: string,
): Promise<number> {
  const totals = await totalsOf(connection, chainId, protocol)
  return totals.reduce((sum, { schemaCount }) => sum + schemaCount, 0)
}

/** The totals of a chain and a protocol; null: of all. */
export async function totalsOf(
  reads: Reads,
  chainId: number | null,
  protocol: string | null,
): Promise<ProtocolTotals[]> {
  const totals = await listTotals(reads)
  return totals.filter(
    (each) =>
      (chainId === null || each.chainId === chainId) && (protocol === null || each.protocol === protocol),
  )
}
