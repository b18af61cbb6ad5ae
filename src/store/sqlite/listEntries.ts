import type { ListMove } from '../layout/entries.ts'
import { listKind, type ListKind, type RankList } from '../layout/listKinds.ts'
import type { ListSpan } from '../port/tables.ts'
import type { Connection } from './connection.ts'
import { listWalks } from './rankLists.ts'

/** The entries of lists, as their rows are now. */
export function readEntries(connection: Connection, lists: readonly RankList[]): ListMove[][] {
  return lists.map(({ kind, ownerId, scopeId }) => {
    const { from, timestamp } = listWalks[kind]
    return connection
      .statement<[number, number, number]>(`SELECT ${timestamp}, ${partsOf(kind)} ${from}`)
      .all(ownerId, scopeId)
      .map(([entryTimestamp, chainId, schemaId]) => ({ timestamp: entryTimestamp, chainId, schemaId }))
  })
}

/** The timestamps of the entries of parts of lists, as their rows are now. */
export function readTimestamps(connection: Connection, spans: readonly ListSpan[]): number[][] {
  return spans.map(({ list: { kind, ownerId, scopeId }, first, last }) => {
    const { from, timestamp } = listWalks[kind]
    return connection
      .statement<[number]>(`SELECT ${timestamp} ${from} AND ${timestamp} BETWEEN ?3 AND ?4`)
      .all(ownerId, scopeId, first, last)
      .map(([entryTimestamp]) => entryTimestamp)
  })
}

/** The columns of an entry's chain and of its schema. The table of an address's postings by chain lacks the schema. */
function partsOf(kind: ListKind): string {
  switch (kind) {
    case listKind.schemas:
    case listKind.schemasOfRegistrant:
    case listKind.schemasOfResolver:
      return 'chain_id, id'
    case listKind.receivedOther:
    case listKind.receivedOtherOnChain:
    case listKind.receivedSelf:
    case listKind.receivedSelfOnChain:
      return 'chain_id, (SELECT a.schema_id FROM attestation a WHERE a.id = received_by_chain.id)'
    case listKind.receivedOtherUnderSchema:
    case listKind.receivedSelfUnderSchema:
      return '(SELECT c.chain_id FROM chain c WHERE c.ordinal = received_by_schema.id >> 53), schema_id'
    // The list has no parts.
    case listKind.fieldValue:
      return '0, 0'
    default:
      return 'chain_id, schema_id'
  }
}
