import type { AttestationRevoked, UndecodableLog } from '../../model/domainEvent.ts'
import type { Position } from '../../model/position.ts'
import type { Changes } from '../layout/changes.ts'
import { rowId } from '../layout/rowId.ts'
import type { Connection } from './connection.ts'

/** Keeps a log that no rule can read, whole, with the reason. */
export function writeUndecodable(connection: Connection, changes: Changes, log: UndecodableLog): void {
  insert(connection, changes, log.position, {
    protocol: log.protocol,
    reason: log.reason,
    transactionHash: log.transactionHash,
    contract: log.contract,
    topics: log.topics,
    data: log.data,
  })
}

/** Keeps a revocation that contradicts the index: it changes nothing and stops nothing. */
export function writeAnomaly(
  connection: Connection,
  changes: Changes,
  event: AttestationRevoked,
  reason: string,
): void {
  insert(connection, changes, event.position, {
    protocol: event.protocol,
    reason,
    transactionHash: event.transactionHash,
    attestationId: event.localId,
    revokeReason: event.reason,
    revokeTimestamp: event.timestamp.toString(),
  })
}

function insert(
  connection: Connection,
  changes: Changes,
  position: Position,
  body: Record<string, unknown>,
): void {
  connection
    .statement('INSERT INTO undecodable (id, body_json) VALUES (?, ?)')
    .run(rowId(changes.chain.ordinal, position), JSON.stringify(body).slice(1, -1))
  changes.chain.undecodableCount += 1
  changes.touched = true
}
