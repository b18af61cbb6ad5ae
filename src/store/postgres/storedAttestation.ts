import type { LocalId } from '../../model/compositeId.ts'
import type { Address } from '../../model/hex.ts'
import type { JsonFragment } from '../../model/recordJson.ts'
import type { AttestationFields, StoredAttestation } from '../indexReader.ts'
import { attestationJson } from './attestationJson.ts'
import { decodeText } from './textColumn.ts'

/** The columns of a `StoredAttestation` with these fields, of the alias `a` and, through `schemaJoin`, `s`. */
export function attestationColumns(fields: AttestationFields): string {
  return (
    'a.chain_id, a.local_id, a.protocol, a.transaction_sender, a.sync_at, a.last_sync_at, a.revoke_timestamp, ' +
    `a.revoke_reason, a.revoke_transaction, ${attestationJson.summary}, ` +
    `${fields.detail ? attestationJson.detail : "''"}, ` +
    (fields.schema ? 's.local_id, s.name, s.description, s.fields_json' : 'NULL, NULL, NULL, NULL')
  )
}

/**
 * What brings the schema of each row where it is wanted: one statement reads both, from one state of the index. Rows are never found by
 * their schema: written so, the index of that cannot be used.
 */
export function schemaJoin(fields: AttestationFields): string {
  return fields.schema ? ' JOIN schema s ON s.id = a.schema_id + 0' : ''
}

export type AttestationRow = [
  chainId: number,
  localId: string,
  protocol: string,
  transactionSender: string | null,
  syncAt: number,
  lastSyncAt: number | null,
  revokeTimestamp: string | null,
  revokeReason: string | null,
  revokeTransaction: string | null,
  summaryJson: string,
  detailJson: string,
  schemaLocalId: string | null,
  schemaName: string | null,
  schemaDescription: string | null,
  schemaFieldsJson: string | null,
]

/** Everything that there is to know of an attestation. */
export const wholeRecord: AttestationFields = { detail: true, schema: true }

export function storedAttestationOfRow(row: AttestationRow): StoredAttestation {
  const chainId = row[0]
  return {
    key: { chainId, localId: `0x${row[1]}` as LocalId },
    protocol: row[2],
    summaryJson: row[9] as JsonFragment,
    detailJson: row[10] as JsonFragment,
    revocation:
      row[6] === null
        ? null
        : { timestamp: row[6], reason: decodeText(row[7]), transactionHash: row[8] ?? '' },
    transactionSender: row[3] as Address | null,
    syncAt: row[4],
    lastSyncAt: row[5],
    // A schema is on the chain of its attestations.
    schema:
      row[11] === null
        ? null
        : {
            key: { chainId, localId: `0x${row[11]}` as LocalId },
            name: decodeText(row[12]),
            description: decodeText(row[13]),
            fieldsJson: row[14] ?? '[]',
          },
  }
}
