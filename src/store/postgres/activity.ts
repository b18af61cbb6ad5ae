import type { RecordKey } from '../../model/compositeId.ts'
import type { Address } from '../../model/hex.ts'
import { daySeconds } from '../../model/time.ts'
import type {
  ActivityDay,
  ActivitySubject,
  AnchorCount,
  DaySpan,
  ProtocolDay,
  ProtocolTotals,
} from '../indexQueries.ts'
import type { SearchGroup } from '../indexReader.ts'
import { dayKindOffset } from '../layout/dayLists.ts'
import { dayRange, isWithin, type DayRange } from '../layout/dayRange.ts'
import { addressOfBytes } from '../layout/hexColumn.ts'
import { type ListKind, listKind } from '../layout/listKinds.ts'
import { findAddress } from '../reading/addressLists.ts'
import type { Connection } from './connection.ts'
import type { CountedList } from '../reading/locateOffset.ts'
import { countDays } from '../reading/readList.ts'
import type { ReadSession } from './readSession.ts'
import { findSchemaRow } from '../reading/storedSchema.ts'

/** Attesters of a schema with their counts, most first, then by address; and how many there are. */
export async function listTopAttesters(
  { connection }: ReadSession,
  key: RecordKey,
  limit: number,
): Promise<SearchGroup<{ readonly address: Address; readonly count: number }>> {
  const schema = await findSchemaRow(connection, key)
  if (schema === null) return { total: 0, rows: [] }
  const several = await connection.all<[Uint8Array, number]>(
    'SELECT attester, count FROM schema_attester WHERE schema_id = ? AND count > 1 ' +
      'ORDER BY count DESC, attester LIMIT ?',
    schema.id,
    limit,
  )
  // Where those with several are fewer than the limit, fewer than that many of them are passed over here.
  const single =
    several.length >= limit
      ? []
      : await connection.all<[Uint8Array, number]>(
          'SELECT attester, count FROM schema_attester WHERE schema_id = ? AND count = 1 ORDER BY attester LIMIT ?',
          schema.id,
          limit - several.length,
        )
  const rows = [...several, ...single].map(([attester, count]) => ({
    address: addressOfBytes(attester),
    count,
  }))
  return { total: schema.attesterCount, rows }
}

type DayMember = 'attestations' | 'received' | 'schemas'

/** Counts by UTC day, oldest first. */
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

async function listsOf(
  { connection, snapshot }: ReadSession,
  subject: ActivitySubject,
): Promise<(CountedList & { readonly member: DayMember })[]> {
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
      const schema = await findSchemaRow(connection, subject.key)
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

/** The days of a range with the number of the list's entries, oldest first: counted where they are few, else kept. */
async function readDayCounts(
  { connection, rankThreshold }: ReadSession,
  { list, count }: CountedList,
  range: DayRange,
): Promise<readonly (readonly [day: number, count: number])[]> {
  if (count === 0) return []
  if (count <= rankThreshold) {
    return (await countDays(connection, list, daySeconds)).filter(([day]) => isWithin(range, day))
  }
  return await connection.all<[number, number]>(
    'SELECT scope_id, count FROM list_count WHERE kind = ? AND owner_id = ? AND scope_id BETWEEN ? AND ? ORDER BY scope_id',
    list.kind + dayKindOffset,
    list.ownerId,
    range.first,
    range.last,
  )
}

/** Totals by chain and protocol. */
export async function listTotals(connection: Connection): Promise<ProtocolTotals[]> {
  const rows = await connection.all<[number, string, number, number, number]>(
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

/** Off-chain anchors of an account, by chain and then by the name of their event. */
export async function listAnchors(connection: Connection, account: Address): Promise<AnchorCount[]> {
  const rows = await connection.all<[chainId: number, anchor: string, count: number]>(
    'SELECT chain_id, kind, count FROM account_anchor WHERE account = ? ORDER BY chain_id, kind',
    account,
  )
  return rows.map(([chainId, anchor, count]) => ({ chainId, anchor, count }))
}

/** Counts by chain, protocol and UTC day. */
export async function listProtocolDays(connection: Connection, span: DaySpan): Promise<ProtocolDay[]> {
  const { first, last } = dayRange(span)
  const rows = await connection.all<[number, string, number, number, number]>(
    'SELECT chain_id, protocol, day, schema_count, attestation_count FROM protocol_day ' +
      'WHERE day BETWEEN ?::bigint AND ?::bigint ORDER BY chain_id, protocol, day',
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
