import type { ChainId, LocalId } from '../../model/compositeId.ts'
import type { AttestationRevoked } from '../../model/domainEvent.ts'
import type { ProtocolName } from '../../model/records.ts'
import { type Changes, countRevocation } from '../layout/changes.ts'
import type { ChainRow } from '../layout/entries.ts'
import { positionMask, rowId, rowIdsAbove } from '../layout/rowId.ts'
import { settledTimestamp } from '../layout/bornRevocation.ts'
import { hexDigits } from './attestationJson.ts'
import type { Connection } from './connection.ts'
import { encodeText } from './textColumn.ts'
import { writeAnomaly } from './undecodable.ts'

/**
 * Revocation is a function of the applied blocks: 1. the first event for a record revokes it; 2. without one, a record
 * that was certainly born revoked is revoked by its creation; 3. so is one that a read claimed to be revoked, once the
 * checkpoint's time has reached the claimed time. A claim is never deleted while its record stands: an event that comes
 * later overrules it, and when that event is reverted, the claim counts again.
 */

const claimState = { pending: 0, settled: 1, overruled: 2 } as const

export function rememberClaim(connection: Connection, chainId: ChainId, id: bigint, timestamp: bigint): void {
  const due = timestamp > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(timestamp)
  connection
    .statement('INSERT INTO revocation_claim (id, chain_id, state, due, timestamp) VALUES (?, ?, 0, ?, ?)')
    .run(id, chainId, due, timestamp.toString())
}

/** Applies a revocation event; what contradicts the index is kept as an anomaly. Says whether it revoked a record. */
export function applyRevocation(
  connection: Connection,
  changes: Changes,
  event: AttestationRevoked,
): boolean {
  const { chain } = changes
  const row = connection
    .statement<[number, string | null, number, string]>(
      `SELECT id & ${positionMask}, revoke_timestamp, revoked_id IS NOT NULL, protocol FROM attestation ` +
        'WHERE local_id = ? AND chain_id = ?',
    )
    .get(event.localId.slice(2), chain.chainId)
  // Only where blocks are put in the place of others can the record stand behind the event.
  if (row === undefined || row[0] > event.position) {
    writeAnomaly(connection, changes, event, `revocation of ${event.localId}, which is not indexed`)
    return false
  }
  const [position, revokeTimestamp, byEvent, protocol] = row
  const id = rowIdOfNumber(chain, position)
  const claim = connection.statement<[number]>('SELECT state FROM revocation_claim WHERE id = ?').get(id)?.[0]
  if (byEvent === 1 || (revokeTimestamp !== null && claim !== claimState.settled)) {
    writeAnomaly(connection, changes, event, `revocation of ${event.localId}, which is revoked already`)
    return false
  }
  connection
    .statement(
      'UPDATE attestation SET revoked_id = ?, revoke_timestamp = ?, revoke_reason = ?, revoke_transaction = ?, ' +
        'last_sync_at = ? WHERE id = ?',
    )
    .run(
      rowId(chain.ordinal, event.position),
      event.timestamp.toString(),
      encodeText(event.reason),
      event.transactionHash,
      changes.storedAt,
      id,
    )
  if (claim !== undefined) {
    connection
      .statement('UPDATE revocation_claim SET state = ?, settled_block = NULL WHERE id = ?')
      .run(claimState.overruled, id)
  }
  if (revokeTimestamp === null) countRevocation(changes, protocol, 1)
  changes.touched = true
  markRenamed(connection, changes, id)
  return true
}

/** Undoes the revocations whose events stand above the block and whose records do not. Answers how many there were. */
export function revertRevocations(connection: Connection, changes: Changes, toBlock: number): number {
  const { chain } = changes
  const { first, last } = rowIdsAbove(chain.ordinal, toBlock)
  const rows = connection
    .statement<[number, string]>(
      `SELECT id & ${positionMask}, protocol FROM attestation WHERE revoked_id BETWEEN ? AND ? AND id < ?`,
    )
    .all(first, last, first)
  for (const [position, protocol] of rows) {
    const id = rowIdOfNumber(chain, position)
    clearRevocation(connection, changes, protocol, id)
    connection
      .statement('UPDATE revocation_claim SET state = ?, settled_block = NULL WHERE id = ?')
      .run(claimState.pending, id)
  }
  return rows.length
}

/**
 * Settles the claims whose time the checkpoint has passed: no later block can bring their event. A block of the same second
 * still could.
 */
export function settleClaims(connection: Connection, changes: Changes): void {
  const { chain } = changes
  if (chain.checkpointTimestamp === null || chain.checkpointBlock === null) return
  const due = connection
    .statement<ClaimRow>(`SELECT ${claimColumns} WHERE c.chain_id = ? AND c.state = 0 AND c.due < ?`)
    .all(chain.chainId, chain.checkpointTimestamp)
  const { checkpointBlock } = chain
  for (const row of due) settleClaim(connection, changes, row, checkpointBlock)
}

type ClaimRow = [
  position: number,
  timestamp: string,
  attestTimestamp: number,
  transactionHash: string,
  protocol: string,
]

const claimColumns =
  `c.id & ${positionMask}, c.timestamp, a.attest_timestamp, '0x' || ${hexDigits('a.transaction_hash')}, a.protocol ` +
  'FROM revocation_claim c JOIN attestation a ON a.id = c.id'

function settleClaim(connection: Connection, changes: Changes, claim: ClaimRow, block: number): void {
  const [position, timestamp, attestTimestamp, transactionHash, protocol] = claim
  const id = rowIdOfNumber(changes.chain, position)
  connection
    .statement(
      "UPDATE attestation SET revoke_timestamp = ?, revoke_reason = '', revoke_transaction = ?, last_sync_at = ? " +
        'WHERE id = ?',
    )
    .run(settledTimestamp(BigInt(timestamp), attestTimestamp), transactionHash, changes.storedAt, id)
  connection
    .statement('UPDATE revocation_claim SET state = ?, settled_block = ? WHERE id = ?')
    .run(claimState.settled, block, id)
  countRevocation(changes, protocol, 1)
  markRenamed(connection, changes, id)
  changes.claims.push({ position, isSettled: true })
}

/**
 * After a revert: makes claims pending again that the new checkpoint does not settle. Where its time is not known, those
 * are that were settled by a later block.
 */
export function unsettleClaims(connection: Connection, changes: Changes): void {
  const { chain } = changes
  const rows = connection
    .statement<[number, string]>(
      `SELECT c.id & ${positionMask}, a.protocol FROM revocation_claim c JOIN attestation a ON a.id = c.id ` +
        'WHERE c.chain_id = ? AND c.state = 1 AND c.due >= ? AND c.settled_block > ?',
    )
    .all(chain.chainId, chain.checkpointTimestamp ?? -1, chain.checkpointBlock ?? -1)
  for (const [position, protocol] of rows) {
    const id = rowIdOfNumber(chain, position)
    clearRevocation(connection, changes, protocol, id)
    changes.claims.push({ position, isSettled: false })
    connection
      .statement('UPDATE revocation_claim SET state = ?, settled_block = NULL WHERE id = ?')
      .run(claimState.pending, id)
  }
}

function clearRevocation(connection: Connection, changes: Changes, protocol: ProtocolName, id: bigint): void {
  connection
    .statement(
      'UPDATE attestation SET revoked_id = NULL, revoke_timestamp = NULL, revoke_reason = NULL, ' +
        'revoke_transaction = NULL, last_sync_at = NULL WHERE id = ?',
    )
    .run(id)
  countRevocation(changes, protocol, -1)
  markRenamed(connection, changes, id)
}

/** A revocation moves a schema's name where the record is one that names a schema. */
function markRenamed(connection: Connection, changes: Changes, id: bigint): void {
  const named = connection.statement<[string]>('SELECT schema_local_id FROM schema_name WHERE id = ?').get(id)
  if (named !== undefined) changes.renamed.add(`0x${named[0]}` as LocalId)
}

function rowIdOfNumber(chain: ChainRow, position: number): bigint {
  return (BigInt(chain.ordinal) << 53n) | BigInt(position)
}
