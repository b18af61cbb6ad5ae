import { formatCompositeId, type ChainId } from '../../../model/compositeId.ts'
import { attestationDetailJson, attestationSummaryJson } from '../../../model/recordJson.ts'
import type { Attestation } from '../../../model/records.ts'
import type { Difference } from '../../indexAudit.ts'
import { attestationJson } from '../attestationJson.ts'
import type { Connection, SqlValue } from '../connection.ts'
import type { EventRange } from '../../transfer/formatExportLine.ts'
import { eventLines } from '../eventLines.ts'
import { addressOfBytes, transactionKey } from '../../layout/hexColumn.ts'
import { attestationValues, joinValueKeys } from '../../layout/valueKey.ts'
import { eventDifference, shown } from '../../audit/differences.ts'
import { damagedDifference, readStoredEvent, type ReadEvent } from '../../audit/readStoredEvent.ts'
import { findValueContradictions } from './findValueContradictions.ts'

/** Reads the events of a range from their rows. */
export function* readStoredEvents(connection: Connection, range: EventRange): Generator<ReadEvent> {
  for (const { position, line } of eventLines(connection, range, true)) {
    yield readStoredEvent(position, line)
  }
}

/**
 * Holds an event that was read against its own row: what an attestation's JSON says, rendered anew, must be that JSON, every
 * column what the record gives, and it must be found by its values. Which of two that contradict is wrong only the chain can tell.
 */
export function* contradictionsOfEvent(
  connection: Connection,
  range: EventRange,
  read: ReadEvent,
): Generator<Difference> {
  const { position } = read
  if (read.kind === 'damaged') {
    yield damagedDifference(range.chainId, read)
  } else if (read.stored.event.kind === 'attestationMade') {
    const { attestation } = read.stored.event
    yield* contradictionsOfAttestation(connection, range, position, attestation)
    yield* findValueContradictions(connection, range, attestation)
  }
}

type AttestationColumns = [
  chainId: number,
  localId: string,
  schemaChainId: number | null,
  schemaLocalId: string | null,
  attester: Uint8Array | null,
  attestTimestamp: number,
  transactionKey: number,
  recipientIds: string | null,
  valueKeys: Uint8Array | null,
  validUntil: string,
  dataLocation: string,
  linkedLocalId: string | null,
  summaryJson: string,
  detailJson: string,
  revokedOrdinal: number | null,
  revokedLater: number | null,
  revokeTimestamp: string | null,
  revokeReason: SqlValue,
  revokeTransaction: string | null,
  lastSyncAt: number | null,
  claimState: number | null,
  claimTimestamp: string | null,
]

function* contradictionsOfAttestation(
  connection: Connection,
  range: EventRange,
  position: number,
  record: Attestation,
): Generator<Difference> {
  const id = (BigInt(range.ordinal) << 53n) | BigInt(position)
  const row = connection
    .statement<AttestationColumns>(
      'SELECT a.chain_id, a.local_id, s.chain_id, s.local_id, d.bytes, a.attest_timestamp, a.transaction_key, ' +
        'a.recipient_ids, a.value_keys, CAST(a.valid_until AS TEXT), a.data_location, a.linked_local_id, ' +
        `${attestationJson.summary}, ${attestationJson.detail}, ` +
        'a.revoked_id >> 53, a.revoked_id > a.id, a.revoke_timestamp, a.revoke_reason, a.revoke_transaction, ' +
        'a.last_sync_at, c.state, c.timestamp FROM attestation a ' +
        'LEFT JOIN schema s ON s.id = a.schema_id LEFT JOIN address d ON d.id = a.attester_id ' +
        'LEFT JOIN revocation_claim c ON c.id = a.id WHERE a.id = ?',
    )
    .get(id)
  if (row === undefined) return
  const subject = formatCompositeId(record.key)
  for (const [field, stored, expected] of columnsOf(connection, range.chainId, row, record)) {
    if (stored === expected) continue
    const values = { field, stored: shown(stored), expected: shown(expected) }
    yield eventDifference('rendered', range.chainId, position, subject, values, 'reindex')
  }
  const contradiction = contradictionOfRevocation(range, row, record)
  if (contradiction !== null) {
    const values = { field: 'revocation', stored: contradiction, expected: null }
    yield eventDifference('rendered', range.chainId, position, subject, values, 'reindex')
  }
}

/** The columns of a row beside what the record gives for them. */
function columnsOf(
  connection: Connection,
  chainId: ChainId,
  row: AttestationColumns,
  record: Attestation,
): readonly (readonly [field: string, stored: string | null, expected: string | null])[] {
  const recipients = record.recipients.flatMap((each) => (each.kind === 'address' ? [each.address] : []))
  const validUntilMax = 2n ** 63n - 1n
  return [
    ['chainId', String(row[0]), String(chainId)],
    ['attestationId', `0x${row[1]}`, record.key.localId],
    ['chainId', String(record.key.chainId), String(chainId)],
    ['schemaId', `${row[2]} 0x${row[3]}`, `${chainId} ${record.schemaLocalId}`],
    ['attester', row[4] === null ? null : addressOfBytes(row[4]), record.attester],
    ['attestTimestamp', String(row[5]), String(record.attestTimestamp)],
    ['transactionHash', String(row[6]), String(transactionKey(record.transactionHash))],
    ['recipients', recipientsOf(connection, row[7]), [...new Set(recipients)].join(',')],
    ['valueKeys', hexOf(row[8]), hexOf(joinValueKeys(attestationValues(record)))],
    ['validUntil', row[9], String(record.validUntil > validUntilMax ? validUntilMax : record.validUntil)],
    ['dataLocation', row[10], record.dataLocation],
    ['linkedAttestation', row[11] === null ? null : `0x${row[11]}`, record.linkedAttestation],
    ['summaryJson', row[12], attestationSummaryJson(record)],
    ['detailJson', row[13], attestationDetailJson(record)],
  ]
}

function recipientsOf(connection: Connection, ids: string | null): string {
  if (ids === null) return ''
  return ids
    .split(',')
    .map((id) => {
      const row = connection.statement<[Uint8Array]>('SELECT bytes FROM address WHERE id = ?').get(Number(id))
      return row === undefined ? `no address ${id}` : addressOfBytes(row[0])
    })
    .join(',')
}

/** What in the columns of a revocation cannot be together; null where nothing is. */
function contradictionOfRevocation(
  range: EventRange,
  row: AttestationColumns,
  record: Attestation,
): string | null {
  const [revokedOrdinal, revokedLater, timestamp, reason, transaction, lastSyncAt, claimState] = [
    row[14],
    row[15],
    row[16],
    row[17],
    row[18],
    row[19],
    row[20],
  ]
  const byEvent = revokedOrdinal !== null
  const members = [timestamp, reason, transaction, lastSyncAt]
  if (members.some((each) => each === null) !== members.every((each) => each === null)) {
    return 'it is revoked in part'
  }
  if (byEvent && timestamp === null) return 'an event revoked it, but it is not revoked'
  if (byEvent && (revokedOrdinal !== range.ordinal || revokedLater !== 1)) {
    return 'it is revoked by an event that is not behind it'
  }
  if (claimState === 0 && timestamp !== null) return 'its claim is pending, but it is revoked'
  if (claimState === 1 && (timestamp === null || byEvent)) return 'its claim is settled, but does not count'
  if (claimState === 2 && !byEvent) return 'its claim is overruled by no event'
  if (timestamp !== null && !byEvent && transaction !== record.transactionHash) {
    return 'it was born revoked by another transaction'
  }
  return null
}

function hexOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString('hex')
}
