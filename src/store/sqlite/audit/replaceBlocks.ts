import type { AttestationRevoked, DomainEvent } from '../../../model/domainEvent.ts'
import type { ChainId, LocalId } from '../../../model/compositeId.ts'
import type { Hash } from '../../../model/hex.ts'
import { eventPosition, logsPerBlockMax, type Position } from '../../../model/position.ts'
import { unixSeconds } from '../../../model/time.ts'
import type { BlockRange } from '../../indexAudit.ts'
import { readLine } from '../../transfer/lineFields.ts'
import { applyEvent, emptySummary } from '../applyBlocks.ts'
import type { Connection, SqlValue } from '../connection.ts'
import { revertNames } from '../schemaNames.ts'
import { applyRevocation, revertRevocations, unsettleClaims } from '../revocations.ts'
import { decodeText } from '../textColumn.ts'
import type { WriterState } from '../writerState.ts'
import { clearRegistration } from '../writeSchema.ts'
import type { Changes } from '../../layout/changes.ts'
import { positionMask, rowId, rowIdsAbove } from '../../layout/rowId.ts'

/** Row ids of a range of blocks, both ends included, and the positions in them. */
interface Ids {
  readonly first: bigint
  readonly last: bigint
  readonly firstPosition: number
  readonly lastPosition: number
}

/** What deleting left open: to be applied again once the records are there anew. */
export interface Reopened {
  /** Revocations by events outside of the ranges, of records inside. */
  readonly revocations: readonly AttestationRevoked[]
  /** Records outside of the ranges that were revoked inside: another event may count now. */
  readonly unrevoked: readonly LocalId[]
}

/** Takes the rows of the ranges away. */
export function deleteRanges(
  connection: Connection,
  changes: Changes,
  ranges: readonly BlockRange[],
): Reopened {
  const revocations: AttestationRevoked[] = []
  const unrevoked: LocalId[] = []
  for (const range of ranges) {
    const ids = idsOf(changes.chain.ordinal, range)
    const isWithin = (position: number) =>
      ranges.some((each) => {
        const { firstPosition, lastPosition } = idsOf(changes.chain.ordinal, each)
        return position >= firstPosition && position <= lastPosition
      })
    revocations.push(...revocationsOf(connection, ids).filter(({ position }) => !isWithin(position)))
    unrevoked.push(...unrevokedBy(connection, ids))
    clearRevocations(connection, 'revoked_id BETWEEN ? AND ?', ids.first, ids.last)
    for (const table of ['schema_name', 'revocation_claim', 'attestation', 'anchor', 'undecodable']) {
      connection.statement(`DELETE FROM ${table} WHERE id BETWEEN ? AND ?`).run(ids.first, ids.last)
    }
    deleteRegistrations(connection, changes.chain.chainId, ids)
  }
  return { revocations, unrevoked }
}

/** Applies the events of the ranges; what holds one of their ids elsewhere goes. */
export function insertRanges(
  state: WriterState,
  changes: Changes,
  ranges: readonly BlockRange[],
  { revocations, unrevoked }: Reopened,
): void {
  const { connection } = state
  const events = ranges.flatMap((range) => range.events).sort((a, b) => a.position - b.position)
  const again = [...revocations, ...takeAnomalies(connection, changes, events, unrevoked)]
  for (const event of events) {
    deleteHolder(connection, changes.chain.chainId, event)
    if (event.kind === 'attestationRevoked') again.push(event)
    else applyEvent(state, changes, emptySummary(), event)
    // The first event revokes: one that stands behind this one does not count any more.
    if (event.kind === 'attestationRevoked') again.push(...takeLaterRevocation(connection, changes, event))
  }
  const inOrder = again.sort((a, b) => a.position - b.position)
  for (const revocation of inOrder) applyRevocation(connection, changes, revocation)
}

/** Takes everything above a block away, and what the blocks above did to records below. */
export function deleteAbove(connection: Connection, changes: Changes, toBlock: number): void {
  const { chain } = changes
  revertRevocations(connection, changes, toBlock)
  revertNames(connection, changes, toBlock)
  const { first, last } = rowIdsAbove(chain.ordinal, toBlock)
  for (const table of ['revocation_claim', 'attestation', 'anchor', 'undecodable']) {
    connection.statement(`DELETE FROM ${table} WHERE id BETWEEN ? AND ?`).run(first, last)
  }
  const ids = {
    first,
    last,
    firstPosition: Number(rowIdsAbove(0, toBlock).first),
    lastPosition: Number(positionMask),
  }
  deleteRegistrations(connection, chain.chainId, ids)
  connection
    .statement('DELETE FROM recent_block WHERE chain_id = ? AND number > ?')
    .run(chain.chainId, toBlock)
  const tip = connection
    .statement<[number]>('SELECT timestamp FROM recent_block WHERE chain_id = ? AND number = ?')
    .get(chain.chainId, toBlock)
  chain.checkpointBlock = toBlock < 0 ? null : toBlock
  chain.checkpointTimestamp = tip?.[0] ?? null
  if (chain.rewindTo !== null && toBlock <= chain.rewindTo) chain.rewindTo = null
  unsettleClaims(connection, changes)
}

function idsOf(ordinal: number, { fromBlock, toBlock }: BlockRange): Ids {
  const firstPosition = eventPosition(fromBlock, 0)
  const lastPosition = eventPosition(toBlock, logsPerBlockMax - 1)
  return {
    first: rowId(ordinal, firstPosition),
    last: rowId(ordinal, lastPosition),
    firstPosition,
    lastPosition,
  }
}

function revocationsOf(
  connection: Connection,
  { first, last }: Pick<Ids, 'first' | 'last'>,
): AttestationRevoked[] {
  return connection
    .statement<[Position, string, string, string | null, SqlValue, string | null]>(
      `SELECT revoked_id & ${positionMask}, protocol, local_id, revoke_timestamp, revoke_reason, revoke_transaction ` +
        'FROM attestation WHERE id BETWEEN ? AND ? AND revoked_id IS NOT NULL',
    )
    .all(first, last)
    .flatMap(([position, protocol, localId, timestamp, reason, transactionHash]) =>
      timestamp === null || transactionHash === null
        ? []
        : [
            {
              kind: 'attestationRevoked',
              position,
              protocol,
              localId: `0x${localId}` as LocalId,
              reason: decodeText(reason),
              timestamp: unixSeconds(Number(timestamp)),
              transactionHash: transactionHash as Hash,
            },
          ],
    )
}

function deleteRegistrations(connection: Connection, chainId: ChainId, ids: Ids): void {
  const rows = connection
    .statement<[number]>(
      'SELECT id FROM schema WHERE registered = 1 AND chain_id = ? AND position BETWEEN ? AND ?',
    )
    .all(chainId, ids.firstPosition, ids.lastPosition)
  for (const [id] of rows) clearRegistration(connection, id)
}

/** An id belongs to one record: a row that holds it anywhere else is wrong there. */
function deleteHolder(connection: Connection, chainId: ChainId, event: DomainEvent): void {
  if (event.kind === 'attestationMade') {
    connection
      .statement('DELETE FROM attestation WHERE local_id = ? AND chain_id = ?')
      .run(event.attestation.key.localId.slice(2), chainId)
  } else if (event.kind === 'schemaRegistered') {
    const held = connection
      .statement<[number]>('SELECT id FROM schema WHERE registered = 1 AND local_id = ? AND chain_id = ?')
      .get(event.schema.key.localId.slice(2), chainId)
    if (held !== undefined) clearRegistration(connection, held[0])
  }
}

/** Revocations that were kept as contradictions of records that are there anew, or are unrevoked now. */
function takeAnomalies(
  connection: Connection,
  changes: Changes,
  events: readonly DomainEvent[],
  unrevoked: readonly LocalId[],
): AttestationRevoked[] {
  const open = new Set(unrevoked)
  for (const event of events) if (event.kind === 'attestationMade') open.add(event.attestation.key.localId)
  const { first, last } = rowIdsAbove(changes.chain.ordinal, -1)
  const rows = connection
    .statement<[Position, string]>(
      `SELECT id & ${positionMask}, body_json FROM undecodable WHERE id BETWEEN ? AND ? ` +
        `AND body_json LIKE '%"revokeTimestamp":%'`,
    )
    .all(first, last)
  return rows.flatMap(([position, body]): AttestationRevoked[] => {
    const fields = readLine(`{${body}}`, 0)
    if (!fields.has('attestationId') || !open.has(fields.localId('attestationId'))) return []
    changes.chain.undecodableCount -= 1
    connection.statement('DELETE FROM undecodable WHERE id = ?').run(rowId(changes.chain.ordinal, position))
    return [
      {
        kind: 'attestationRevoked',
        position,
        protocol: fields.text('protocol'),
        localId: fields.localId('attestationId'),
        reason: fields.text('revokeReason'),
        timestamp: unixSeconds(Number(fields.digits('revokeTimestamp'))),
        transactionHash: fields.hash('transactionHash'),
      },
    ]
  })
}

/** Takes off the revocation of a record that stands behind an event. */
function takeLaterRevocation(
  connection: Connection,
  changes: Changes,
  event: AttestationRevoked,
): AttestationRevoked[] {
  const { ordinal, chainId } = changes.chain
  const id = rowId(ordinal, event.position)
  const found = connection
    .statement<[number]>(
      `SELECT id & ${positionMask} FROM attestation WHERE local_id = ? AND chain_id = ? AND revoked_id > ?`,
    )
    .get(event.localId.slice(2), chainId, id)
  if (found === undefined) return []
  const record = rowId(ordinal, found[0] as Position)
  const taken = revocationsOf(connection, { first: record, last: record })
  clearRevocations(connection, 'id BETWEEN ? AND ?', record, record)
  return taken
}

function clearRevocations(connection: Connection, where: string, first: bigint, last: bigint): void {
  connection
    .statement(
      'UPDATE revocation_claim SET state = 0, settled_block = NULL WHERE id IN ' +
        `(SELECT id FROM attestation WHERE ${where})`,
    )
    .run(first, last)
  connection
    .statement(
      'UPDATE attestation SET revoked_id = NULL, revoke_timestamp = NULL, revoke_reason = NULL, ' +
        `revoke_transaction = NULL, last_sync_at = NULL WHERE ${where}`,
    )
    .run(first, last)
}

function unrevokedBy(connection: Connection, { first, last }: Ids): LocalId[] {
  return connection
    .statement<[string]>('SELECT local_id FROM attestation WHERE revoked_id BETWEEN ? AND ?')
    .all(first, last)
    .map(([localId]) => `0x${localId}` as LocalId)
}
