import type { AnchorMade } from '../../model/domainEvent.ts'
import type { Attestation } from '../../model/records.ts'
import { attestationJsonColumns } from '../layout/attestationJson.ts'
import { claimState } from '../layout/bornRevocation.ts'
import { hexBytes, transactionKey } from '../layout/hexColumn.ts'
import type { RowOf } from '../layout/tables.ts'
import { anchorValueKey, type HeldValue, joinValueKeys } from '../layout/valueKey.ts'
import type { Tables } from '../port/tables.ts'

/** The rows that a batch of events adds, gathered event by event and written with one call a table. */
export interface NewRows {
  readonly attestations: NewAttestation[]
  readonly names: RowOf<'schema_name'>[]
  readonly metadata: RowOf<'metadata'>[]
  readonly anchors: { readonly id: bigint; readonly event: AnchorMade }[]
  readonly undecodable: RowOf<'undecodable'>[]
  /** Revocations of attestations that earlier transactions stored. */
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
  /** Whether the record had a claim, which the event overrules. */
  readonly hasClaim: boolean
}

export function createNewRows(): NewRows {
  return { attestations: [], names: [], metadata: [], anchors: [], undecodable: [], revocations: [] }
}

/** Writes the rows, one call a table. */
export async function insertRows(tables: Tables, chainId: number, rows: NewRows): Promise<void> {
  const { attestations, names, metadata, anchors, undecodable, revocations } = rows
  await tables.append('attestation', attestationsOf(chainId, attestations))
  await tables.append('received', receivedOf(chainId, attestations))
  await tables.append('value_posting', valuesOf(chainId, attestations))
  await tables.append('revocation_claim', claimsOf(chainId, attestations))
  await tables.append('schema_name', names)
  await tables.append('metadata', metadata)
  await tables.append('anchor', anchorsOf(chainId, anchors))
  await tables.append('undecodable', undecodable)
  await updateRevoked(tables, revocations)
}

function* attestationsOf(
  chainId: number,
  attestations: readonly NewAttestation[],
): Generator<RowOf<'attestation'>> {
  for (const row of attestations) yield attestationRow(chainId, row)
}

function attestationRow(chainId: number, row: NewAttestation): RowOf<'attestation'> {
  const { attestation, revocation } = row
  const json = attestationJsonColumns(attestation)
  return {
    id: row.id,
    chain_id: chainId,
    local_id: attestation.key.localId.slice(2),
    schema_id: row.schemaId,
    attester_id: row.attesterId,
    attest_timestamp: attestation.attestTimestamp,
    transaction_key: transactionKey(attestation.transactionHash),
    recipient_ids: row.recipientIds,
    value_keys: joinValueKeys(row.values),
    protocol: attestation.protocol,
    valid_until: json.valid_until,
    exact_valid_until: json.exact_valid_until,
    revocable: attestation.revocable,
    portal: attestation.portal === null ? null : hexBytes(attestation.portal),
    data_location: attestation.dataLocation,
    linked_local_id: attestation.linkedAttestation?.slice(2) ?? null,
    transaction_sender: attestation.transactionSender,
    sync_at: row.syncAt,
    last_sync_at: revocation?.lastSyncAt ?? null,
    revoked_id: revocation?.revokedId ?? null,
    revoke_timestamp: revocation?.timestamp ?? null,
    revoke_reason: revocation?.reason ?? null,
    revoke_transaction: revocation?.transactionHash ?? null,
    schema_local_id: json.schema_local_id,
    attester: json.attester,
    recipients_json: json.recipients_json,
    transaction_hash: json.transaction_hash,
    indexing_value_json: json.indexing_value_json,
    data: json.data,
  }
}

function* receivedOf(chainId: number, attestations: readonly NewAttestation[]): Generator<RowOf<'received'>> {
  for (const { id, attestation, schemaId, attesterId, recipientIds } of attestations) {
    for (const recipientId of recipientIds) {
      yield {
        address_id: recipientId,
        chain_id: chainId,
        schema_id: schemaId,
        attest_timestamp: attestation.attestTimestamp,
        id,
        is_self: recipientId === attesterId,
      }
    }
  }
}

function* valuesOf(
  chainId: number,
  attestations: readonly NewAttestation[],
): Generator<RowOf<'value_posting'>> {
  for (const { id, attestation, values } of attestations) {
    for (const { key, holder } of values) {
      yield {
        value_key: key,
        attest_timestamp: attestation.attestTimestamp,
        chain_id: chainId,
        id,
        holder,
      }
    }
  }
}

function* claimsOf(
  chainId: number,
  attestations: readonly NewAttestation[],
): Generator<RowOf<'revocation_claim'>> {
  for (const { id, claim } of attestations) {
    if (claim === null) continue
    const { state, due, timestamp } = claim
    yield { id, chain_id: chainId, state, due, timestamp, settled_block: null }
  }
}

function* anchorsOf(chainId: number, anchors: NewRows['anchors']): Generator<RowOf<'anchor'>> {
  for (const { id, event } of anchors) {
    yield {
      id,
      chain_id: chainId,
      protocol: event.protocol,
      kind: event.anchor,
      account: event.account,
      value: event.value,
      value_key: anchorValueKey(event.value),
      timestamp: event.timestamp,
      transaction_hash: event.transactionHash,
      reason: event.reason,
    }
  }
}

async function updateRevoked(tables: Tables, revocations: readonly StoredRevocation[]): Promise<void> {
  if (revocations.length === 0) return
  await tables.update(
    'attestation',
    ['revoked_id', 'revoke_timestamp', 'revoke_reason', 'revoke_transaction', 'last_sync_at'],
    revocations.map(({ id, revokedId, timestamp, reason, transactionHash, lastSyncAt }) => ({
      id,
      revoked_id: revokedId,
      revoke_timestamp: timestamp,
      revoke_reason: reason,
      revoke_transaction: transactionHash,
      last_sync_at: lastSyncAt,
    })),
  )
  const overruled = revocations.filter(({ hasClaim }) => hasClaim)
  await tables.update(
    'revocation_claim',
    ['state', 'settled_block'],
    overruled.map(({ id }) => ({ id, state: claimState.overruled, settled_block: null })),
  )
}
