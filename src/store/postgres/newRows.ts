import type { LocalId } from '../../model/compositeId.ts'
import type { Attestation, ProtocolName } from '../../model/records.ts'
import { attestationJsonColumns } from '../layout/attestationJson.ts'
import { transactionKey } from '../layout/hexColumn.ts'
import { takenIdError } from '../layout/takenIdError.ts'
import { type HeldValue, joinValueKeys } from '../layout/valueKey.ts'
import type { Connection } from './connection.ts'
import { copyRows } from './copyRows.ts'
import { copyTarget, type CopyValue } from './encodeCopy.ts'
import { encodeText } from './textColumn.ts'
import { uniqueViolation } from './translatePostgresError.ts'

/** The rows that a batch brings, gathered event by event and written with one `COPY` a table. */
export interface NewRows {
  readonly attestations: NewAttestation[]
  readonly names: (readonly [id: bigint, schemaLocalId: string, name: string])[]
  readonly anchors: (readonly [id: bigint, protocol: string, kind: string, account: string | null])[]
  readonly undecodable: (readonly [id: bigint, bodyJson: string])[]
  /** Revocations of attestations that are stored already. */
  readonly revocations: StoredRevocation[]
}

/** An attestation that is to be written; a later event of the batch may still revoke it. */
export interface NewAttestation {
  readonly id: bigint
  readonly attestation: Attestation
  readonly schemaId: number
  readonly attesterId: number
  readonly recipientIds: readonly number[]
  readonly values: readonly HeldValue[]
  readonly syncAt: number
  revocation: RowRevocation | null
  claim: { state: number; readonly due: number; readonly timestamp: string } | null
}

export interface RowRevocation {
  /** The id of the revocation's event; null when born revoked. */
  readonly revokedId: bigint | null
  readonly timestamp: string
  readonly reason: string
  readonly transactionHash: string
  readonly lastSyncAt: number
}

export interface StoredRevocation extends RowRevocation {
  readonly id: bigint
  readonly protocol: ProtocolName
  readonly localId: LocalId
  /** Whether the record had a claim, which the event overrules. */
  readonly hasClaim: boolean
}

export function createNewRows(): NewRows {
  return { attestations: [], names: [], anchors: [], undecodable: [], revocations: [] }
}

/** Writes the rows, one statement a table. */
export async function insertRows(connection: Connection, chainId: number, rows: NewRows): Promise<void> {
  const { attestations, names, anchors, undecodable, revocations } = rows
  await copyAttestations(connection, chainId, attestations)
  await copyRows(connection, copyTarget('received'), receivedOf(chainId, attestations))
  await copyRows(connection, copyTarget('value_posting'), valuesOf(chainId, attestations))
  await copyRows(connection, copyTarget('revocation_claim'), claimsOf(chainId, attestations))
  await copyRows(connection, copyTarget('schema_name'), names)
  await copyRows(connection, copyTarget('anchor'), anchors)
  await copyRows(connection, copyTarget('undecodable'), undecodable)
  await updateRevoked(connection, revocations)
}

async function copyAttestations(
  connection: Connection,
  chainId: number,
  attestations: readonly NewAttestation[],
): Promise<void> {
  try {
    await copyRows(connection, copyTarget('attestation'), attestationsOf(chainId, attestations))
  } catch (error) {
    const taken = uniqueViolation(error)
    if (taken?.index !== 'attestation_by_local_id') throw error
    throw takenIdError('attestation', `0x${taken.key.split(',')[0] ?? ''}`, error)
  }
}

function* attestationsOf(
  chainId: number,
  attestations: readonly NewAttestation[],
): Generator<readonly CopyValue[]> {
  for (const row of attestations) yield attestationColumns(chainId, row)
}

function attestationColumns(chainId: number, row: NewAttestation): CopyValue[] {
  const { attestation, revocation } = row
  const json = attestationJsonColumns(attestation)
  return [
    row.id,
    chainId,
    attestation.key.localId.slice(2),
    row.schemaId,
    row.attesterId,
    attestation.attestTimestamp,
    transactionKey(attestation.transactionHash),
    row.recipientIds,
    joinValueKeys(row.values),
    attestation.protocol,
    json.valid_until,
    json.exact_valid_until,
    attestation.dataLocation,
    attestation.linkedAttestation?.slice(2) ?? null,
    attestation.transactionSender,
    row.syncAt,
    revocation?.lastSyncAt ?? null,
    revocation?.revokedId ?? null,
    revocation?.timestamp ?? null,
    revocation?.reason ?? null,
    revocation?.transactionHash ?? null,
    json.schema_local_id,
    json.attester,
    json.recipients_json,
    json.transaction_hash,
    json.indexing_value_json,
    json.data,
  ]
}

function* receivedOf(
  chainId: number,
  attestations: readonly NewAttestation[],
): Generator<readonly CopyValue[]> {
  for (const { id, attestation, schemaId, attesterId, recipientIds } of attestations) {
    for (const recipientId of recipientIds) {
      const isSelf = recipientId === attesterId
      yield [recipientId, chainId, schemaId, attestation.attestTimestamp, id, isSelf]
    }
  }
}

function* valuesOf(
  chainId: number,
  attestations: readonly NewAttestation[],
): Generator<readonly CopyValue[]> {
  for (const { id, attestation, values } of attestations) {
    for (const { key, holder } of values) yield [key, attestation.attestTimestamp, chainId, id, holder]
  }
}

function* claimsOf(
  chainId: number,
  attestations: readonly NewAttestation[],
): Generator<readonly CopyValue[]> {
  for (const { id, claim } of attestations) {
    if (claim !== null) yield [id, chainId, claim.state, claim.due, claim.timestamp]
  }
}

async function updateRevoked(
  connection: Connection,
  revocations: readonly StoredRevocation[],
): Promise<void> {
  if (revocations.length === 0) return
  await connection.run(
    'UPDATE attestation a SET revoked_id = u.revoked_id, revoke_timestamp = u.timestamp, revoke_reason = u.reason, ' +
      'revoke_transaction = u.transaction, last_sync_at = u.sync_at FROM unnest(?::bigint[], ?::bigint[], ?::text[], ' +
      '?::text[], ?::text[], ?::bigint[]) AS u (id, revoked_id, timestamp, reason, transaction, sync_at) WHERE a.id = u.id',
    revocations.map(({ id }) => id),
    revocations.map(({ revokedId }) => revokedId),
    revocations.map(({ timestamp }) => timestamp),
    revocations.map(({ reason }) => encodeText(reason)),
    revocations.map(({ transactionHash }) => transactionHash),
    revocations.map(({ lastSyncAt }) => lastSyncAt),
  )
  const overruled = revocations.filter(({ hasClaim }) => hasClaim).map(({ id }) => id)
  if (overruled.length === 0) return
  await connection.run(
    'UPDATE revocation_claim SET state = 2, settled_block = NULL WHERE id = ANY(?::bigint[])',
    overruled,
  )
}
