import type { LocalId } from '../../model/compositeId.ts'
import type { Address } from '../../model/hex.ts'
import type { JsonFragment } from '../../model/recordJson.ts'
import type { AttestationFields, StoredAttestation } from '../indexReader.ts'
import { attestationJson } from './attestationJson.ts'
import type { SqlValue } from './connection.ts'
import type { ReadSession } from './readSession.ts'
import { schemaReference } from './storedSchema.ts'
import { decodeText } from './textColumn.ts'

/** The columns of a `StoredAttestation` with these fields, of the alias `a`. */
export function attestationColumns(fields: AttestationFields): string {
  return (
    'a.chain_id, a.local_id, a.protocol, a.transaction_sender, a.sync_at, a.last_sync_at, a.revoke_timestamp, ' +
    `a.revoke_reason, a.revoke_transaction, a.schema_id, ${attestationJson.summary}, ${fields.detail ? attestationJson.detail : "''"}`
  )
}

export type AttestationRow = [
  chainId: number,
  localId: string,
  protocol: string,
  transactionSender: string | null,
  syncAt: number,
  lastSyncAt: number | null,
  revokeTimestamp: string | null,
  revokeReason: SqlValue,
  revokeTransaction: string | null,
  schemaId: number,
  summaryJson: string,
  detailJson: string,
]

export function storedAttestationOfRow(
  session: ReadSession,
  row: AttestationRow,
  fields: AttestationFields,
): StoredAttestation {
  return {
    key: { chainId: row[0], localId: `0x${row[1]}` as LocalId },
    protocol: row[2],
    summaryJson: row[10] as JsonFragment,
    detailJson: row[11] as JsonFragment,
    revocation:
      row[6] === null
        ? null
        : { timestamp: row[6], reason: decodeText(row[7]), transactionHash: row[8] ?? '' },
    transactionSender: row[3] as Address | null,
    syncAt: row[4],
    lastSyncAt: row[5],
    schema: fields.schema ? schemaReference(session, row[9]) : null,
  }
}
