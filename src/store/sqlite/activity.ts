import type { RecordKey } from '../../model/compositeId.ts'
import type { Address } from '../../model/hex.ts'
import type { ActivityDay, ActivitySubject, DaySpan, ProtocolDay, ProtocolTotals } from '../indexQueries.ts'
import type { SearchGroup } from '../indexReader.ts'
import { dayRange } from '../layout/dayRange.ts'
import { addressOfBytes } from '../layout/hexColumn.ts'
import { type ListKind, listKind } from '../layout/listKinds.ts'
import { findAddress } from './addressLists.ts'
import { readDayCounts } from './dayCounts.ts'
import type { ReadSession } from './readSession.ts'
import { findSchemaRow } from './storedSchema.ts'

/** Attesters of a schema with their counts, most first, then by address; and how many there are. */
export function listTopAttesters(
  session: ReadSession,
  schema: RecordKey,
  limit: number,
): SearchGroup<{ readonly address: Address; readonly count: number }> {
  const { connection } = session
  const row = connection
    .statement<[number, number]>('SELECT id, attester_count FROM schema WHERE local_id = ? AND chain_id = ?')
    .get(schema.localId.slice(2), schema.chainId)
  if (row === undefined) return { total: 0, rows: [] }
  const [id, total] = row
  const several = connection
    .statement<[Uint8Array, number]>(
      'SELECT attester, count FROM schema_attester INDEXED BY schema_attester_by_count ' +
        'WHERE schema_id = ? AND count > 1 ORDER BY count DESC, attester LIMIT +?',
    )
    .all(id, limit)
  // Where those with several are fewer than the limit, fewer than that many of them are passed over here.
  const single = connection
    .statement<[Uint8Array, number]>(
      'SELECT attester, count FROM schema_attester WHERE schema_id = ? AND count = 1 ORDER BY attester LIMIT +?',
    )
    .all(id, limit - several.length)
  const rows = [...several, ...single].map(([attester, count]) => ({
    address: addressOfBytes(attester),
    count,
  }))
  return { total, rows }
}

/** Counts by UTC day, oldest first. */
export function listActivity(session: ReadSession, subject: ActivitySubject, span: DaySpan): ActivityDay[] {
  const range = dayRange(span)
  const days = new Map<number, { attestations: number; received: number; schemas: number }>()
  const add = (
    member: 'attestations' | 'received' | 'schemas',
    kind: ListKind,
    ownerId: number,
    total: number,
  ) => {
    const list = { kind, ownerId, scopeId: 0 }
    for (const [day, count] of readDayCounts(session.connection, session.rankThreshold, list, total, range)) {
      const counts = days.get(day) ?? { attestations: 0, received: 0, schemas: 0 }
      counts[member] += count
      days.set(day, counts)
    }
  }
  switch (subject.kind) {
    case 'everything':
      add('attestations', listKind.attestations, 0, session.snapshot.attestationCount)
      add('schemas', listKind.schemas, 0, session.snapshot.schemaCount)
      break
    case 'schema': {
      const schema = findSchemaRow(session, subject.key)
      if (schema !== null) {
        add('attestations', listKind.attestationsOfSchema, schema.id, schema.attestationCount)
      }
      break
    }
    case 'address': {
      const address = findAddress(session, subject.address)
      if (address === null) break
      add('attestations', listKind.created, address.id, address.created)
      add('received', listKind.receivedOther, address.id, address.receivedOther)
      add('received', listKind.receivedSelf, address.id, address.receivedSelf)
      add('schemas', listKind.schemasOfRegistrant, address.id, address.schemasCreated)
    }
  }
  return [...days].sort(([a], [b]) => a - b).map(([day, counts]) => ({ day, ...counts }))
}

/** Totals by chain and protocol. */
export function listTotals(session: ReadSession): ProtocolTotals[] {
  return session.connection
    .statement<[number, string, number, number, number]>(
      'SELECT chain_id, protocol, schema_count, attestation_count, revocation_count FROM protocol_count ' +
        'ORDER BY chain_id, protocol',
    )
    .all()
    .map(([chainId, protocol, schemaCount, attestationCount, revocationCount]) => ({
      chainId,
      protocol,
      schemaCount,
      attestationCount,
      revocationCount,
    }))
}

/** Counts by chain, protocol and UTC day. */
export function listProtocolDays(session: ReadSession, span: DaySpan): ProtocolDay[] {
  const { first, last } = dayRange(span)
  // By way of the totals, whose rows are the beginnings of the key: a short span is not looked for among all days.
  return session.connection
    .statement<[number, string, number, number, number]>(
      'SELECT chain_id, protocol, d.day, d.schema_count, d.attestation_count FROM protocol_count ' +
        'CROSS JOIN protocol_day d USING (chain_id, protocol) WHERE d.day BETWEEN ? AND ? ' +
        'ORDER BY chain_id, protocol, d.day',
    )
    .all(first, last)
    .map(([chainId, protocol, day, schemas, attestations]) => ({
      chainId,
      protocol,
      day,
      schemas,
      attestations,
    }))
}
