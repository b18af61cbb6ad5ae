import type { ChainId, RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { daySeconds } from '@attestry/core/model/time.ts'
import type { ActivitySubject, DaySpan, SearchGroup } from '@attestry/core/index/indexQueries.ts'
import type {
  ActivityDay,
  AnchorCount,
  ProtocolDay,
  ProtocolTotals,
} from '@attestry/core/index/storedRecords.ts'
import { dayRange, isWithin, type DayRange } from '../layout/dayRange.ts'
import { addressOfBytes } from '../layout/hexColumn.ts'
import { type ListKind, listKind } from '../layout/listKinds.ts'
import { dayLevel, daysPerNode, rankTimestampMax } from '../layout/rankSpans.ts'
import type { Dialect } from '../port/dialect.ts'
import type { Reads } from '../port/reads.ts'
import { findAddress } from './addressLists.ts'
import { childCounts, type CountedList } from './locateOffset.ts'
import { countDays } from './readList.ts'
import type { ReadSession } from './session.ts'
import { findSchemaRow } from './storedSchema.ts'

/** Lists the attesters of a schema with their counts, most first, then by address; and how many there are. */
export async function listTopAttesters(
  session: ReadSession,
  key: RecordKey,
  limit: number,
): Promise<SearchGroup<{ readonly address: Address; readonly count: number }>> {
  const { connection } = session
  const schema = await findSchemaRow(session, key)
  if (schema === null) return { total: 0, rows: [] }
  const { bound, walked } = connection.dialect
  const several = await connection.all<[Uint8Array, number]>(
    `SELECT attester, count FROM ${walked('schema_attester', 'x', 'schema_attester_by_count')} ` +
      `WHERE schema_id = ? AND count > 1 ORDER BY count DESC, attester LIMIT ${bound}`,
    schema.id,
    limit,
  )
  // Passes over the attesters with several attestations, which are fewer than the limit here.
  const single =
    several.length >= limit
      ? []
      : await connection.all<[Uint8Array, number]>(
          `SELECT attester, count FROM schema_attester WHERE schema_id = ? AND count = 1 ORDER BY attester LIMIT ${bound}`,
          schema.id,
          limit - several.length,
        )
  const rows = [...several, ...single].map(([attester, count]) => ({
    address: addressOfBytes(attester),
    count,
  }))
  return { total: schema.attesterCount, rows }
}

export type DayMember = 'attestations' | 'received' | 'schemas'

/** Lists the counts of a subject by UTC day, oldest first. */
export async function listActivity(
  session: ReadSession,
  subject: ActivitySubject,
  span: DaySpan,
): Promise<ActivityDay[]> {
  const range = dayRange(span)
  const days = new Map<number, Record<DayMember, number>>()
  for (const { member, ...counted } of await listsOf(session, subject)) {
    for (const [day, count] of await readDayCounts(session, counted, range)) {
      const counts = days.get(day) ?? { attestations: 0, received: 0, schemas: 0 }
      counts[member] += count
      days.set(day, counts)
    }
  }
  return [...days].sort(([a], [b]) => a - b).map(([day, counts]) => ({ day, ...counts }))
}

export async function listsOf(
  session: ReadSession,
  subject: ActivitySubject,
): Promise<(CountedList & { readonly member: DayMember })[]> {
  const { connection, snapshot } = session
  const list = (member: DayMember, kind: ListKind, ownerId: number, count: number) => {
    return { member, list: { kind, ownerId, scopeId: 0 }, count }
  }
  switch (subject.kind) {
    case 'everything':
      return [
        list('attestations', listKind.attestations, 0, snapshot.attestationCount),
        list('schemas', listKind.schemas, 0, snapshot.schemaCount),
      ]
    case 'schema': {
      const schema = await findSchemaRow(session, subject.key)
      if (schema === null) return []
      return [list('attestations', listKind.attestationsOfSchema, schema.id, schema.attestationCount)]
    }
    case 'address': {
      const address = await findAddress(connection, subject.address)
      if (address === null) return []
      return [
        list('attestations', listKind.created, address.id, address.created),
        list('received', listKind.receivedOther, address.id, address.receivedOther),
        list('received', listKind.receivedSelf, address.id, address.receivedSelf),
        list('schemas', listKind.schemasOfRegistrant, address.id, address.schemasCreated),
      ]
    }
  }
}

/**
 * Reads the number of a list's entries on each day of a range, oldest first: from the rank tree if the list has one.
 * The last day of the tree, in 2106, holds all days from there on, which are counted one by one.
 */
export async function readDayCounts(
  session: ReadSession,
  counted: CountedList,
  range: DayRange,
): Promise<readonly (readonly [day: number, count: number])[]> {
  const { list, count } = counted
  if (count === 0) return []
  const isLarge = count > session.rankThreshold
  const days = isLarge ? await daysOfTree(session, counted, range) : []
  const isCut = isLarge && range.last >= lastTreeDay
  if (!isLarge || isCut) {
    const firstDay = isCut ? lastTreeDay : 0
    days.push(...(await countDays(session.connection, list, firstDay)))
  }
  return days.filter(([day, onDay]) => onDay > 0 && isWithin(range, day))
}

const lastTreeDay = Math.floor(rankTimestampMax / daySeconds)

/** The counts of the days of a tree before its last day, in the nodes that reach into a range. */
async function daysOfTree(
  session: ReadSession,
  { list, count }: CountedList,
  { first, last }: DayRange,
): Promise<(readonly [day: number, count: number])[]> {
  const root = await childCounts(session, { list, count }, 0, 0)
  const nodes = [...root].flatMap((inNode, node) => {
    const firstDay = node * daysPerNode
    const isInRange = firstDay <= last && firstDay + daysPerNode > first
    return inNode > 0 && isInRange ? [{ node, firstDay, inNode }] : []
  })
  const days = await Promise.all(
    nodes.map(async ({ node, firstDay, inNode }) => {
      const counts = await childCounts(session, { list, count: inNode }, dayLevel, node)
      return Array.from(counts, (onDay, day) => [firstDay + day, onDay] as const)
    }),
  )
  return days.flat().filter(([day]) => day < lastTreeDay)
}

/** Lists the totals by chain and protocol. */
export async function listTotals(reads: Reads): Promise<ProtocolTotals[]> {
  const rows = await reads.all<[number, string, number, number, number]>(
    'SELECT chain_id, protocol, schema_count, attestation_count, revocation_count FROM protocol_count ' +
      'ORDER BY chain_id, protocol',
  )
  return rows.map(([chainId, protocol, schemaCount, attestationCount, revocationCount]) => ({
    chainId,
    protocol,
    schemaCount,
    attestationCount,
    revocationCount,
  }))
}

/** Lists the off-chain anchors of an account, by chain and then by the name of their event. */
export async function listAnchorCounts(reads: Reads, account: Address): Promise<AnchorCount[]> {
  const rows = await reads.all<[chainId: number, anchor: string, count: number]>(
    'SELECT chain_id, kind, count FROM account_anchor WHERE account = ? ORDER BY chain_id, kind',
    account,
  )
  return rows.map(([chainId, anchor, count]) => ({ chainId, anchor, count }))
}

/** The rows of `protocol_day` on these days. The few rows of the totals drive one short range for each. */
const protocolDays = ({ drivenJoin }: Dialect) =>
  `protocol_count ${drivenJoin} protocol_day d USING (chain_id, protocol) ` +
  'WHERE d.day BETWEEN CAST(? AS bigint) AND CAST(? AS bigint)'

/** The number of attestations of a chain, a protocol or both on these UTC days. */
export async function sumProtocolDays(
  reads: Reads,
  { chainId, protocol }: { readonly chainId: ChainId | null; readonly protocol: string | null },
  span: DaySpan,
): Promise<number> {
  const { first, last } = dayRange(span)
  const ofChain = chainId === null ? '' : ' AND chain_id = ?'
  const ofProtocol = protocol === null ? '' : ' AND protocol = ?'
  const row = await reads.get<[number | null]>(
    `SELECT CAST(sum(d.attestation_count) AS bigint) FROM ${protocolDays(reads.dialect)}${ofChain}${ofProtocol}`,
    first,
    last,
    ...(chainId === null ? [] : [chainId]),
    ...(protocol === null ? [] : [protocol]),
  )
  return row?.[0] ?? 0
}

/** Lists the counts by chain, protocol and UTC day. */
export async function listProtocolDays(reads: Reads, span: DaySpan): Promise<ProtocolDay[]> {
  const { first, last } = dayRange(span)
  const rows = await reads.all<[number, string, number, number, number]>(
    'SELECT chain_id, protocol, d.day, d.schema_count, d.attestation_count ' +
      `FROM ${protocolDays(reads.dialect)} ORDER BY chain_id, protocol, d.day`,
    first,
    last,
  )
  return rows.map(([chainId, protocol, day, schemas, attestations]) => ({
    chainId,
    protocol,
    day,
    schemas,
    attestations,
  }))
}
