import type { LocalId } from '../../model/compositeId.ts'
import type { AttestationRevoked, DomainEvent } from '../../model/domainEvent.ts'
import { bornRevocation } from '../layout/bornRevocation.ts'
import { type Changes, countRevocation } from '../layout/changes.ts'
import { positionMask, rowId, rowIdsAbove } from '../layout/rowId.ts'
import { hexDigits } from './attestationJson.ts'
import type { Connection } from './connection.ts'
import type { NewAttestation, NewRows } from './newRows.ts'
import { anomalyBody } from './undecodable.ts'

/**
 * Revocation is a function of the applied blocks: 1. the first event for a record revokes it; 2. without one, a record
 * that was certainly born revoked is revoked by its creation; 3. so is one that a read claimed to be revoked, once the
 * checkpoint's time has reached the claimed time. A claim is never deleted while its record stands: an event that comes
 * later overrules it, and when that event is reverted, the claim counts again.
 */

const claimState = { pending: 0, settled: 1, overruled: 2 } as const

/** An attestation that an event of the batch may revoke, as the events before left it. */
export interface RevocationTarget {
  readonly id: bigint
  readonly protocol: string
  isRevoked: boolean
  byEvent: boolean
  claim: number | null
  /** The row where the batch itself brings it; null where it is stored. */
  readonly row: NewAttestation | null
}

/** What the batch's revocations are of and is stored already, by local id. */
export async function loadTargets(
  connection: Connection,
  { chain }: Changes,
  events: readonly DomainEvent[],
): Promise<Map<LocalId, RevocationTarget>> {
  const targets = new Map<LocalId, RevocationTarget>()
  const localIds = events.flatMap((event) =>
    event.kind === 'attestationRevoked' ? [event.localId.slice(2)] : [],
  )
  if (localIds.length === 0) return targets
  const rows = await connection.all<[number, string, boolean, boolean, string, number | null]>(
    `SELECT a.id & ${positionMask}, a.local_id, a.revoke_timestamp IS NOT NULL, a.revoked_id IS NOT NULL, a.protocol, ` +
      'c.state FROM attestation a LEFT JOIN revocation_claim c ON c.id = a.id ' +
      'WHERE a.local_id = ANY(?::text[]) AND a.chain_id = ?',
    localIds,
    chain.chainId,
  )
  for (const [position, localId, isRevoked, byEvent, protocol, claim] of rows) {
    const id = rowIdOf(chain.ordinal, position)
    targets.set(`0x${localId}` as LocalId, { id, protocol, isRevoked, byEvent, claim, row: null })
  }
  return targets
}

/** The target that a new attestation is for the events that follow it. */
export function targetOf(row: NewAttestation): RevocationTarget {
  const { id, attestation, revocation, claim } = row
  const isRevoked = revocation !== null
  return { id, protocol: attestation.protocol, isRevoked, byEvent: false, claim: claim?.state ?? null, row }
}

/** What an attestation has of its own: its revocation where it was certainly born revoked, and its claim. */
export function revocationAtBirth(
  attestation: NewAttestation['attestation'],
  syncAt: number,
): Pick<NewAttestation, 'revocation' | 'claim'> {
  const born = bornRevocation(attestation)
  const { revocationAtRead: read } = attestation
  const dueMax = BigInt(Number.MAX_SAFE_INTEGER)
  return {
    revocation: born === null ? null : { revokedId: null, reason: '', lastSyncAt: syncAt, ...born },
    claim:
      read.kind === 'claimed'
        ? {
            state: claimState.pending,
            due: Number(read.timestamp > dueMax ? dueMax : read.timestamp),
            timestamp: read.timestamp.toString(),
          }
        : null,
  }
}

/** Applies a revocation event; what contradicts the index is kept as an anomaly. Says whether it revoked a record. */
export function applyRevocation(
  changes: Changes,
  rows: NewRows,
  targets: ReadonlyMap<LocalId, RevocationTarget>,
  event: AttestationRevoked,
): boolean {
  const { chain } = changes
  const target = targets.get(event.localId)
  const id = rowId(chain.ordinal, event.position)
  if (target === undefined || target.byEvent || (target.isRevoked && target.claim !== claimState.settled)) {
    const what = target === undefined ? 'not indexed' : 'revoked already'
    rows.undecodable.push([id, anomalyBody(event, `revocation of ${event.localId}, which is ${what}`)])
    chain.undecodableCount += 1
    changes.touched = true
    return false
  }
  const revocation = {
    revokedId: id,
    timestamp: event.timestamp.toString(),
    reason: event.reason,
    transactionHash: event.transactionHash,
    lastSyncAt: changes.storedAt,
  }
  if (target.row === null) {
    const { id: targetId, protocol } = target
    const hasClaim = target.claim !== null
    rows.revocations.push({ ...revocation, id: targetId, protocol, localId: event.localId, hasClaim })
  } else {
    target.row.revocation = revocation
    if (target.row.claim !== null) target.row.claim.state = claimState.overruled
  }
  if (!target.isRevoked) countRevocation(changes, target.protocol, 1)
  target.isRevoked = true
  target.byEvent = true
  changes.touched = true
  return true
}

/** Undoes the revocations whose events stand above the block and whose records do not. Answers how many there were. */
export async function revertRevocations(
  connection: Connection,
  changes: Changes,
  toBlock: number,
): Promise<number> {
  const { first, last } = rowIdsAbove(changes.chain.ordinal, toBlock)
  const rows = await connection.all<ClearedRow>(
    `${clearSql} WHERE revoked_id BETWEEN ? AND ? AND id < ? RETURNING ${clearedColumns}`,
    first,
    last,
    first,
  )
  await noteCleared(connection, changes, rows)
  return rows.length
}

/**
 * Settles the claims whose time the checkpoint has passed: no later block can bring their event. A block of the same second
 * still could.
 */
export async function settleClaims(connection: Connection, changes: Changes): Promise<void> {
  const { chain } = changes
  if (chain.checkpointTimestamp === null || chain.checkpointBlock === null) return
  const due = await connection.all<[number]>(
    `SELECT id & ${positionMask} FROM revocation_claim WHERE chain_id = ? AND state = 0 AND due < ?`,
    chain.chainId,
    chain.checkpointTimestamp,
  )
  const { checkpointBlock } = chain
  const settled = due.map(([position]) => ({ position, block: checkpointBlock, storedAt: changes.storedAt }))
  await settle(connection, changes, settled)
}

export interface SettledClaim {
  readonly position: number
  /** By which block. */
  readonly block: number
  readonly storedAt: number
}

/** Settles these claims, which are pending. Answers how many of them there are. */
export async function settle(
  connection: Connection,
  changes: Changes,
  settled: readonly SettledClaim[],
): Promise<number> {
  if (settled.length === 0) return 0
  const { ordinal } = changes.chain
  const rows = await connection.all<[number, string]>(
    'WITH settled AS (UPDATE revocation_claim c SET state = 1, settled_block = u.block ' +
      'FROM unnest(?::bigint[], ?::bigint[], ?::bigint[]) AS u (id, block, stored_at) ' +
      'WHERE c.id = u.id AND c.state = 0 RETURNING c.id, c.timestamp, u.stored_at) ' +
      // A record that was born revoked may hold no time of it: then it is that of its creation.
      "UPDATE attestation a SET revoke_timestamp = CASE s.timestamp WHEN '0' THEN a.attest_timestamp::text " +
      "ELSE s.timestamp END, revoke_reason = '', revoke_transaction = " +
      `'0x' || ${hexDigits('a.transaction_hash')}, last_sync_at = s.stored_at FROM settled s WHERE a.id = s.id RETURNING a.id & ${positionMask}, a.protocol`,
    settled.map(({ position }) => rowIdOf(ordinal, position)),
    settled.map(({ block }) => block),
    settled.map(({ storedAt }) => storedAt),
  )
  for (const [position, protocol] of rows) {
    countRevocation(changes, protocol, 1)
    changes.claims.push({ position, isSettled: true })
  }
  await markRenamed(
    connection,
    changes,
    rows.map(([position]) => rowIdOf(ordinal, position)),
  )
  return rows.length
}

/**
 * After a revert: makes claims pending again that the new checkpoint does not settle. Where its time is not known, those
 * are that were settled by a later block.
 */
export async function unsettleClaims(connection: Connection, changes: Changes): Promise<void> {
  const { chain } = changes
  const rows = await connection.all<ClearedRow>(
    `${clearSql} WHERE id IN (SELECT id FROM revocation_claim WHERE chain_id = ? AND state = 1 AND due >= ? ` +
      `AND settled_block > ?) RETURNING ${clearedColumns}`,
    chain.chainId,
    chain.checkpointTimestamp ?? -1,
    chain.checkpointBlock ?? -1,
  )
  for (const [position] of rows) changes.claims.push({ position, isSettled: false })
  await noteCleared(connection, changes, rows)
}

const clearSql =
  'UPDATE attestation SET revoked_id = NULL, revoke_timestamp = NULL, revoke_reason = NULL, ' +
  'revoke_transaction = NULL, last_sync_at = NULL'
const clearedColumns = `id & ${positionMask}, protocol`
type ClearedRow = [position: number, protocol: string]

async function noteCleared(
  connection: Connection,
  changes: Changes,
  rows: readonly ClearedRow[],
): Promise<void> {
  if (rows.length === 0) return
  for (const [, protocol] of rows) countRevocation(changes, protocol, -1)
  const ids = rows.map(([position]) => rowIdOf(changes.chain.ordinal, position))
  await markRenamed(connection, changes, ids)
  await connection.run(
    'UPDATE revocation_claim SET state = 0, settled_block = NULL WHERE id = ANY(?::bigint[])',
    ids,
  )
}

/** A revocation moves a schema's name where the record is one that names a schema. */
export async function markRenamed(
  connection: Connection,
  changes: Changes,
  ids: readonly bigint[],
): Promise<void> {
  if (ids.length === 0) return
  const named = await connection.all<[string]>(
    'SELECT DISTINCT schema_local_id FROM schema_name WHERE id = ANY(?::bigint[])',
    ids,
  )
  for (const [localId] of named) changes.renamed.add(`0x${localId}` as LocalId)
}

function rowIdOf(ordinal: number, position: number): bigint {
  return (BigInt(ordinal) << 53n) | BigInt(position)
}
