import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import type { AnchorMade } from '@attestry/core/model/domainEvent.ts'
import { recipientsJson } from '@attestry/core/model/recordJson.ts'
import type { Attestation } from '@attestry/core/model/records.ts'
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
  claim: (Omit<RowOf<'revocation_claim'>, 'state'> & { state: number }) | null
}

/** The columns of an attestation that its revocation fills. */
export const revocationColumns = [
  'revoked_id',
  'revoke_timestamp',
  'revoke_reason',
  'revoke_transaction',
  'last_sync_at',
] as const
type RowRevocation = Pick<RowOf<'attestation'>, (typeof revocationColumns)[number]>

interface StoredRevocation extends RowRevocation {
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
  await tables.append('value_posting', valuesOf(chainId, attestations))
  await tables.append(
    'revocation_claim',
    attestations.flatMap(({ claim }) => claim ?? []),
  )
  await tables.append('schema_name', names)
  await tables.append('metadata', metadata)
  await tables.append('anchor', anchorsOf(chainId, anchors))
  await tables.append('undecodable', undecodable)
  await updateRevoked(tables, revocations)
}

/** Writes the attestations of a batch into the lists of their recipients. */
export function insertReceived(tables: Tables, chainId: number, { attestations }: NewRows): Promise<void> {
  return tables.append('received', receivedOf(chainId, attestations))
}

function* attestationsOf(
  chainId: number,
  attestations: readonly NewAttestation[],
): Generator<RowOf<'attestation'>> {
  for (const row of attestations) yield attestationRow(chainId, row)
}

/** The greatest integer that both databases hold. */
const storedIntegerMax = 2n ** 63n - 1n

function attestationRow(chainId: number, row: NewAttestation): RowOf<'attestation'> {
  const { attestation, revocation } = row
  const isLater = attestation.validUntil > storedIntegerMax
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
    valid_until: isLater ? storedIntegerMax : attestation.validUntil,
    exact_valid_until: isLater ? String(attestation.validUntil) : null,
    revocable: attestation.revocable,
    portal: attestation.portal === null ? null : hexBytes(attestation.portal),
    contract_version: attestation.contractVersion,
    subject: attestation.subject === null ? null : hexBytes(attestation.subject),
    data_location: attestation.dataLocation,
    linked_local_id: attestation.linkedAttestation?.slice(2) ?? null,
    transaction_sender: attestation.transactionSender,
    sync_at: row.syncAt,
    last_sync_at: revocation?.last_sync_at ?? null,
    revoked_id: revocation?.revoked_id ?? null,
    revoke_timestamp: revocation?.revoke_timestamp ?? null,
    revoke_reason: revocation?.revoke_reason ?? null,
    revoke_transaction: revocation?.revoke_transaction ?? null,
    schema_local_id: attestation.schemaLocalId.slice(2),
    // A checksum costs more to make than to keep.
    attester: checksumAddress(attestation.attester).slice(2),
    recipients_json: recipientsJson(attestation.recipients),
    transaction_hash: hexBytes(attestation.transactionHash),
    indexing_value_json: JSON.stringify(attestation.indexingValue),
    data: hexBytes(attestation.data),
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
  await tables.update('attestation', revocationColumns, revocations)
  const overruled = revocations.filter(({ hasClaim }) => hasClaim)
  await tables.update(
    'revocation_claim',
    ['state', 'settled_block'],
    overruled.map(({ id }) => ({ id, state: claimState.overruled, settled_block: null })),
  )
}
