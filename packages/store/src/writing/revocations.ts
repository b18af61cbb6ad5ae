import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { AttestationRevoked, DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import type { ProtocolName } from '@attestry/core/model/records.ts'
import { bornRevocation, claimState, settledTimestamp } from '../layout/bornRevocation.ts'
import { type Changes, countRevocation } from '../layout/changes.ts'
import { hashOfBytes } from '../layout/hexColumn.ts'
import { positionMask, rowId, rowIdsAbove } from '../layout/rowId.ts'
import type { Tables } from '../port/tables.ts'
import { revocationColumns, type NewAttestation, type NewRows } from './newRows.ts'
import { anomalyBody, describeAnomaly } from './undecodable.ts'

/**
 * Revocation is a function of the applied blocks:
 * 1. The first event for a record revokes it.
 * 2. Without an event, a record that was born revoked is revoked by its creation.
 * 3. So is a record that a read claimed to be revoked, after the checkpoint's time has reached the claimed time.
 *
 * A claim is never deleted while its record stands. An event that comes later overrules it; if that event is reverted,
 * the claim counts again.
 */

/** An attestation that an event of the batch may revoke, as the events before left it. */
export interface RevocationTarget {
  readonly id: bigint
  readonly protocol: string
  isRevoked: boolean
  byEvent: boolean
  claim: number | null
  /** The row to be written if the batch itself made the attestation; null if it is stored. */
  readonly row: NewAttestation | null
}

/** Attestations of a chain by `targetKey`. */
export type RevocationTargets = Map<string, RevocationTarget>

export function targetKey(protocol: ProtocolName, localId: LocalId): string {
  return `${protocol} ${localId}`
}

/** The stored attestations that have an id which revocations of the batch refer to. */
export async function loadTargets(
  tables: Tables,
  { chain }: Changes,
  events: readonly DomainEvent[],
): Promise<RevocationTargets> {
  const targets: RevocationTargets = new Map()
  const localIds = new Set<string>()
  for (const event of events) if (event.kind === 'attestationRevoked') localIds.add(event.localId.slice(2))
  if (localIds.size === 0) return targets
  const rows = await tables.findBy(
    'attestation',
    ['id', 'local_id', 'revoke_timestamp', 'revoked_id', 'protocol'],
    'local_id',
    [...localIds],
    { chain_id: chain.chainId },
  )
  const claims = await tables.findBy(
    'revocation_claim',
    ['id', 'state'],
    'id',
    rows.map(({ id }) => id),
  )
  const states = new Map(claims.map(({ id, state }) => [id, state]))
  for (const { id, local_id, revoke_timestamp, revoked_id, protocol } of rows) {
    targets.set(targetKey(protocol, `0x${local_id}` as LocalId), {
      id,
      protocol,
      isRevoked: revoke_timestamp !== null,
      byEvent: revoked_id !== null,
      claim: states.get(id) ?? null,
      row: null,
    })
  }
  return targets
}

/** A new attestation as a target of the events that follow it. */
export function targetOf(row: NewAttestation): RevocationTarget {
  const { id, attestation, revocation, claim } = row
  const isRevoked = revocation !== null
  return { id, protocol: attestation.protocol, isRevoked, byEvent: false, claim: claim?.state ?? null, row }
}

/**
 * The revocation of an attestation that was born revoked, and the claim of one that a read said to be revoked, which an
 * event may overrule.
 */
export function revocationAtBirth(
  id: bigint,
  attestation: NewAttestation['attestation'],
  syncAt: number,
): Pick<NewAttestation, 'revocation' | 'claim'> {
  const born = bornRevocation(attestation)
  const { revocationAtRead: read } = attestation
  const revocation = born && {
    revoked_id: null,
    revoke_timestamp: born.timestamp,
    revoke_reason: '',
    revoke_transaction: born.transactionHash,
    last_sync_at: syncAt,
  }
  if (read.kind !== 'claimed' && read.kind !== 'supposed') return { revocation, claim: null }
  const isSettled = read.kind === 'supposed'
  const dueMax = BigInt(Number.MAX_SAFE_INTEGER)
  const claim = {
    id,
    chain_id: attestation.key.chainId,
    state: isSettled ? claimState.settled : claimState.pending,
    due: Number(read.timestamp > dueMax ? dueMax : read.timestamp),
    timestamp: read.timestamp.toString(),
    settled_block: isSettled ? positionBlock(attestation.position) : null,
  }
  return { revocation, claim }
}

/**
 * Applies a revocation event; one that contradicts the index is kept as an anomaly. Returns whether a record was
 * revoked.
 */
export function applyRevocation(
  changes: Changes,
  rows: NewRows,
  targets: ReadonlyMap<string, RevocationTarget>,
  event: AttestationRevoked,
): boolean {
  const { chain } = changes
  const target = targets.get(targetKey(event.protocol, event.localId))
  const id = rowId(chain.ordinal, event.position)
  if (target === undefined || target.byEvent || (target.isRevoked && target.claim !== claimState.settled)) {
    const body = anomalyBody(event, describeAnomaly(event, target !== undefined))
    rows.undecodable.push({ id, body_json: body })
    chain.undecodableCount += 1
    changes.touched = true
    return false
  }
  const revocation = {
    revoked_id: id,
    revoke_timestamp: event.timestamp.toString(),
    revoke_reason: event.reason,
    revoke_transaction: event.transactionHash,
    last_sync_at: changes.storedAt,
  }
  if (target.row === null) {
    rows.revocations.push({ ...revocation, id: target.id, hasClaim: target.claim !== null })
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

/** Undoes the revocations above the block of records below it. Resolves to their number. */
export async function revertRevocations(tables: Tables, changes: Changes, toBlock: number): Promise<number> {
  const { first, last } = rowIdsAbove(changes.chain.ordinal, toBlock)
  const rows = await tables.all<ClearedRow>(
    `${clearSql} WHERE revoked_id BETWEEN ? AND ? AND id < ? RETURNING ${clearedColumns}`,
    first,
    last,
    first,
  )
  await noteCleared(tables, changes, rows)
  return rows.length
}

/**
 * Settles the claims whose time the checkpoint has passed: no later block can bring their event. A block of the same
 * second still could.
 */
export async function settleClaims(tables: Tables, changes: Changes): Promise<void> {
  const { chain, storedAt } = changes
  const { checkpointBlock: block, checkpointTimestamp } = chain
  if (checkpointTimestamp === null || block === null) return
  const due = await tables.all<[number]>(
    `SELECT id & ${positionMask} FROM revocation_claim WHERE chain_id = ? AND state = ${claimState.pending} AND due < ?`,
    chain.chainId,
    checkpointTimestamp,
  )
  await settle(
    tables,
    changes,
    due.map(([position]) => ({ position, block, storedAt })),
  )
}

/** A claim that counts as a revocation from now on. */
export interface SettledClaim {
  readonly position: number
  /** The block whose time has passed the claimed one. */
  readonly block: number
  readonly storedAt: number
}

/** Settles those of these claims that are pending. Resolves to their number. */
export async function settle(
  tables: Tables,
  changes: Changes,
  settled: readonly SettledClaim[],
): Promise<number> {
  if (settled.length === 0) return 0
  const { ordinal } = changes.chain
  const asked = new Map(settled.map((claim) => [rowIdOf(ordinal, claim.position), claim]))
  const ids = [...asked.keys()]
  const claims = await tables.findBy('revocation_claim', ['id', 'state', 'timestamp'], 'id', ids)
  const columns = ['id', 'protocol', 'attest_timestamp', 'transaction_hash'] as const
  const records = await tables.findBy('attestation', columns, 'id', ids)
  const recordsById = new Map(records.map((record) => [record.id, record]))
  const pending = claims.flatMap(({ id, state, timestamp }) => {
    const record = recordsById.get(id)
    const claim = asked.get(id)
    if (state !== claimState.pending || record === undefined || claim === undefined) return []
    return [{ ...claim, id, timestamp: settledTimestamp(BigInt(timestamp), record.attest_timestamp), record }]
  })
  await tables.update(
    'revocation_claim',
    ['state', 'settled_block'],
    pending.map(({ id, block }) => ({ id, state: claimState.settled, settled_block: block })),
  )
  await tables.update(
    'attestation',
    ['revoke_timestamp', 'revoke_reason', 'revoke_transaction', 'last_sync_at'],
    pending.map(({ id, timestamp, storedAt, record }) => ({
      id,
      revoke_timestamp: timestamp,
      revoke_reason: '',
      revoke_transaction: hashOfBytes(record.transaction_hash),
      last_sync_at: storedAt,
    })),
  )
  for (const { position, record } of pending) {
    countRevocation(changes, record.protocol, 1)
    changes.claims.push({ position, isSettled: true })
  }
  await markRenamed(
    tables,
    changes,
    pending.map(({ id }) => id),
  )
  return pending.length
}

/**
 * After a revert: makes claims pending again that the new checkpoint does not settle. If the time of the checkpoint is
 * not known, those are the claims that a later block settled.
 */
export async function unsettleClaims(tables: Tables, changes: Changes): Promise<void> {
  const { chain } = changes
  const rows = await tables.all<ClearedRow>(
    `${clearSql} WHERE id IN (SELECT id FROM revocation_claim WHERE chain_id = ? AND state = ${claimState.settled} ` +
      `AND due >= ? AND settled_block > ?) RETURNING ${clearedColumns}`,
    chain.chainId,
    chain.checkpointTimestamp ?? -1,
    chain.checkpointBlock ?? -1,
  )
  for (const [position] of rows) changes.claims.push({ position, isSettled: false })
  await noteCleared(tables, changes, rows)
}

const clearSql = `UPDATE attestation SET ${revocationColumns.map((column) => `${column} = NULL`).join(', ')}`
const clearedColumns = `id & ${positionMask}, protocol`
type ClearedRow = [position: number, protocol: string]

async function noteCleared(tables: Tables, changes: Changes, rows: readonly ClearedRow[]): Promise<void> {
  if (rows.length === 0) return
  for (const [, protocol] of rows) countRevocation(changes, protocol, -1)
  const ids = rows.map(([position]) => rowIdOf(changes.chain.ordinal, position))
  await markRenamed(tables, changes, ids)
  await tables.update(
    'revocation_claim',
    ['state', 'settled_block'],
    ids.map((id) => ({ id, state: claimState.pending, settled_block: null })),
  )
}

/** A revocation changes the name of a schema if the record is one that names it. */
export async function markRenamed(tables: Tables, changes: Changes, ids: readonly bigint[]): Promise<void> {
  const named = await tables.findBy('schema_name', ['schema_local_id'], 'id', ids)
  for (const { schema_local_id } of named) changes.renamed.add(`0x${schema_local_id}` as LocalId)
}

function rowIdOf(ordinal: number, position: number): bigint {
  return (BigInt(ordinal) << 53n) | BigInt(position)
}
