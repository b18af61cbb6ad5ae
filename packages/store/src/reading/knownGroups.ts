import { clockDay, daySeconds, unixSeconds } from '@attestry/core/model/time.ts'
import type { AttestationFilter, GroupBy } from '@attestry/core/index/indexQueries.ts'
import type { KnownChain } from '../layout/knownChain.ts'
import { listProtocolDays, readDayCounts } from './activity.ts'
import { partsInRole } from './addressLists.ts'
import type { ResolvedFilter } from './attestationFilter.ts'
import { countRange } from './countRange.ts'
import { dayKey, schemaKeySql } from './groupKeys.ts'
import { hasUncountedMember, listsOf, totalsOf } from './knownCounts.ts'
import type { CountedList } from './locateOffset.ts'
import type { ReadSession } from './session.ts'

/** The groups of a filter, if counters that are read at once hold them all; null if they do not. */
export async function findKnownGroups(
  session: ReadSession,
  chains: readonly KnownChain[],
  by: GroupBy,
  filter: AttestationFilter,
  resolved: ResolvedFilter,
): Promise<Map<string, number> | null> {
  if (typeof by === 'object') return null
  if (hasUncountedMember(resolved)) return null
  const { schema, attester, recipient, from, before } = resolved
  const isWhole = schema === null && attester === null && recipient === null
  const isTimeless = from === null && before === null
  switch (by) {
    case 'day':
    case 'month':
      return await groupsByTime(session, by, filter, resolved)
    case 'chain':
    case 'protocol':
    case 'revoked':
      if (!isTimeless) return null
      if (isWhole) return await groupsOfTotals(session, by, resolved)
      return by === 'chain' ? await partsOfAddress(session, 'chain', resolved) : null
    case 'schema':
      return isTimeless ? await partsOfAddress(session, 'schema', resolved) : null
    case 'attester':
    case 'recipient':
      return null
  }
}

async function groupsOfTotals(
  { connection }: ReadSession,
  by: 'chain' | 'protocol' | 'revoked',
  { chainId, protocol, revoked }: ResolvedFilter,
): Promise<Map<string, number>> {
  const groups = new Map<string, number>()
  for (const totals of await totalsOf(connection, chainId, protocol)) {
    const { attestationCount, revocationCount } = totals
    for (const isRevoked of revoked === null ? [true, false] : [revoked]) {
      const key = { chain: String(totals.chainId), protocol: totals.protocol, revoked: String(isRevoked) }[by]
      add(groups, key, isRevoked ? revocationCount : attestationCount - revocationCount)
    }
  }
  return groups
}

async function groupsByTime(
  session: ReadSession,
  by: 'day' | 'month',
  filter: AttestationFilter,
  resolved: ResolvedFilter,
): Promise<Map<string, number> | null> {
  const { schema, attester, recipient, chainId, protocol, revoked, from, before, cut } = resolved
  // A second that a cut divides is counted row by row.
  if (revoked !== null || (cut !== null && cut.place.last !== null)) return null
  const groups = new Map<string, number>()
  const isWhole = schema === null && attester === null && recipient === null
  if (isWhole && (chainId !== null || protocol !== null)) {
    if (from !== null || before !== null) return null
    const days = await listProtocolDays(session.connection, { from: null, before: null })
    for (const each of days) {
      if ((chainId !== null && each.chainId !== chainId) || (protocol !== null && each.protocol !== protocol))
        continue
      add(groups, dayKey(by, each.day), each.attestations)
    }
    return groups
  }
  const lists = await listsOf(session, filter, resolved)
  if (lists === null) return null
  for (const list of lists) {
    for (const [day, count] of await countByDay(session, list, from, before)) {
      add(groups, dayKey(by, day), count)
    }
  }
  return groups
}

/** The counts by day of a list between two times. The days that the times cut are counted by the list's rank tree. */
async function countByDay(
  session: ReadSession,
  list: CountedList,
  from: number | null,
  before: number | null,
): Promise<Map<number, number>> {
  const first = from === null ? null : clockDay(unixSeconds(from))
  const last = before === null ? null : clockDay(unixSeconds(before))
  const range = { first: first ?? 0, last: last ?? Number.MAX_SAFE_INTEGER }
  const days = new Map(await readDayCounts(session, list, range))
  for (const day of new Set([first, last])) {
    if (day === null || !days.has(day)) continue
    const start = day * daySeconds
    const end = start + daySeconds
    const counted = await countRange(
      session,
      list,
      Math.max(start, from ?? 0),
      Math.min(end, before ?? Number.MAX_SAFE_INTEGER),
    )
    days.set(day, counted)
  }
  return days
}

/** The parts by chain or schema of what an address made or received, without another filter but by chain. */
async function partsOfAddress(
  session: ReadSession,
  by: 'chain' | 'schema',
  { schema, attester, recipient, chainId, protocol, revoked }: ResolvedFilter,
): Promise<Map<string, number> | null> {
  if (schema !== null || protocol !== null || revoked !== null) return null
  const address = recipient === null ? attester : recipient.kind === 'address' ? recipient.address : null
  if (address === null || (attester !== null && recipient !== null)) return null
  const roles = attester === null ? (['receivedOther', 'receivedSelf'] as const) : (['created'] as const)
  const counts = new Map<number, number>()
  for (const role of roles) {
    for (const [part, count] of await partsInRole(session, address, role, by)) add(counts, part, count)
  }
  if (by === 'schema') return await schemaGroups(session, counts, chainId)
  return new Map(Array.from(counts, ([id, count]) => [String(id), count]))
}

/** The groups of schemas on a chain, or on all, from counts by row id. */
async function schemaGroups(
  { connection }: ReadSession,
  counts: ReadonlyMap<number, number>,
  chainId: number | null,
): Promise<Map<string, number>> {
  const { sql, parameters } = connection.dialect.oneOf('s.id', [...counts.keys()])
  const rows = await connection.all<[number, string]>(
    `SELECT s.id, ${schemaKeySql('s')} FROM schema s WHERE ${sql}` +
      (chainId === null ? '' : ` AND ${connection.dialect.hidden('s.chain_id', 'integer')} = ?`),
    ...parameters,
    ...(chainId === null ? [] : [chainId]),
  )
  const groups = new Map<string, number>()
  for (const [id, key] of rows) add(groups, key, counts.get(id) ?? 0)
  return groups
}

function add<Key>(groups: Map<Key, number>, key: Key, count: number): void {
  if (count > 0) groups.set(key, (groups.get(key) ?? 0) + count)
}
