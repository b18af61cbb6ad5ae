import type { Address } from '../../model/hex.ts'
import type { Attestation } from '../../model/records.ts'
import { attestationJsonColumns } from '../layout/attestationJson.ts'
import { bornRevocation } from '../layout/bornRevocation.ts'
import { type Changes, addressChanges, countAttestation, countRevocation } from '../layout/changes.ts'
import type { AddressEntry } from '../layout/entries.ts'
import { transactionKey } from '../layout/hexColumn.ts'
import { rowId } from '../layout/rowId.ts'
import { type HeldValue, attestationValues, joinValueKeys } from '../layout/valueKey.ts'
import { takenIdError } from '../layout/takenIdError.ts'
import type { Connection } from './connection.ts'
import { rememberClaim } from './revocations.ts'
import { isUniqueViolation } from './translateSqliteError.ts'
import { addressEntry, schemaEntry, type WriterState } from './writerState.ts'

/** Inserts an attestation with its postings, and counts it. */
export function writeAttestation(state: WriterState, changes: Changes, attestation: Attestation): void {
  const { connection } = state
  const { chain } = changes
  const id = rowId(chain.ordinal, attestation.position)
  const schema = schemaEntry(state, chain.chainId, attestation.schemaLocalId)
  const attester = addressEntry(state, attestation.attester)
  const recipients = distinctRecipients(state, attestation)
  const values = attestationValues(attestation)
  const revocation = bornRevocation(attestation)
  const json = attestationJsonColumns(attestation)

  addressChanges(changes, attester)
  insertRow(connection, attestation, [
    id,
    chain.chainId,
    attestation.key.localId.slice(2),
    schema.id,
    attester.id,
    attestation.attestTimestamp,
    transactionKey(attestation.transactionHash),
    recipients.length === 0 ? null : recipients.map((recipient) => recipient.id).join(','),
    joinValueKeys(values),
    attestation.protocol,
    json.valid_until,
    json.exact_valid_until,
    attestation.dataLocation,
    attestation.linkedAttestation?.slice(2) ?? null,
    attestation.transactionSender,
    changes.storedAt,
    revocation === null ? null : changes.storedAt,
    revocation?.timestamp ?? null,
    revocation === null ? null : '',
    revocation?.transactionHash ?? null,
    json.schema_local_id,
    json.attester,
    json.recipients_json,
    json.transaction_hash,
    json.indexing_value_json,
    json.data,
  ])
  for (const recipient of recipients) {
    insertReceived(connection, {
      addressId: recipient.id,
      isSelf: recipient === attester,
      chainId: chain.chainId,
      schemaId: schema.id,
      timestamp: attestation.attestTimestamp,
      id,
    })
  }
  insertValues(connection, values, attestation.attestTimestamp, chain.chainId, id)
  countAttestation(changes, {
    protocol: attestation.protocol,
    timestamp: attestation.attestTimestamp,
    chainId: chain.chainId,
    schema,
    attester,
    recipients,
  })
  if (revocation !== null) countRevocation(changes, attestation.protocol, 1)
  if (attestation.revocationAtRead.kind === 'claimed') {
    rememberClaim(connection, chain.chainId, id, attestation.revocationAtRead.timestamp)
  }
}

export interface ReceivedPosting {
  readonly addressId: number
  readonly isSelf: boolean
  readonly chainId: number
  readonly schemaId: number
  readonly timestamp: number
  readonly id: bigint
}

function insertRow(
  connection: Connection,
  attestation: Attestation,
  values: readonly (null | number | bigint | string | Uint8Array)[],
): void {
  try {
    connection.statement(insertSql).run(...values)
  } catch (error) {
    if (isUniqueViolation(error)) throw takenIdError('attestation', attestation.key.localId, error)
    throw error
  }
}

const insertSql =
  'INSERT INTO attestation (id, chain_id, local_id, schema_id, attester_id, attest_timestamp, transaction_key, ' +
  'recipient_ids, value_keys, protocol, valid_until, exact_valid_until, data_location, linked_local_id, ' +
  'transaction_sender, sync_at, last_sync_at, revoke_timestamp, revoke_reason, revoke_transaction, schema_local_id, ' +
  'attester, recipients_json, transaction_hash, indexing_value_json, data) ' +
  `VALUES (${'?, '.repeat(25)}?)`

function insertReceived(connection: Connection, posting: ReceivedPosting): void {
  const { addressId, isSelf, chainId, schemaId, timestamp, id } = posting
  connection
    .statement(
      'INSERT INTO received_by_chain (address_id, is_self, chain_id, attest_timestamp, id) VALUES (?, ?, ?, ?, ?)',
    )
    .run(addressId, isSelf ? 1 : 0, chainId, timestamp, id)
  connection
    .statement(
      'INSERT INTO received_by_schema (address_id, is_self, schema_id, attest_timestamp, id) VALUES (?, ?, ?, ?, ?)',
    )
    .run(addressId, isSelf ? 1 : 0, schemaId, timestamp, id)
}

function insertValues(
  connection: Connection,
  values: readonly HeldValue[],
  timestamp: number,
  chainId: number,
  id: bigint,
): void {
  for (const { key, holder } of values) {
    connection
      .statement(
        'INSERT INTO value_posting (value_key, attest_timestamp, chain_id, id, holder) VALUES (?, ?, ?, ?, ?)',
      )
      .run(key, timestamp, chainId, id, holder)
  }
}

/** An address that is named twice counts once. */
function distinctRecipients(state: WriterState, attestation: Attestation): readonly AddressEntry[] {
  const distinct = new Set<Address>()
  for (const recipient of attestation.recipients) {
    if (recipient.kind === 'address') distinct.add(recipient.address)
  }
  return [...distinct].map((address) => addressEntry(state, address))
}
