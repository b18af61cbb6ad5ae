import type { LocalId } from '../../model/compositeId.ts'
import type { Address } from '../../model/hex.ts'
import type { JsonFragment } from '../../model/recordJson.ts'
import type { StoredSchema } from '../indexReader.ts'
import { decodeText } from './textColumn.ts'

/** The columns of a `StoredSchema`, of the table or alias `s`. */
export const schemaColumns =
  's.chain_id, s.local_id, s.protocol, s.summary_json, s.fields_json, s.name, s.description, s.registrant, ' +
  's.register_timestamp, s.revocable, s.max_valid_for, s.resolver, s.raw_text, s.transaction_sender, ' +
  's.attestation_count, s.attester_count, s.sync_at'

export type SchemaRow = [
  chainId: number,
  localId: string,
  protocol: string,
  summaryJson: string,
  fieldsJson: string,
  name: string,
  description: string,
  registrant: string,
  registerTimestamp: number,
  revocable: boolean,
  maxValidFor: string,
  resolver: string,
  rawText: string,
  transactionSender: string | null,
  attestationCount: number,
  attesterCount: number,
  syncAt: number,
]

export function storedSchemaOfRow(row: SchemaRow): StoredSchema {
  return {
    key: { chainId: row[0], localId: `0x${row[1]}` as LocalId },
    protocol: row[2],
    summaryJson: row[3] as JsonFragment,
    fieldsJson: row[4],
    name: decodeText(row[5]),
    description: decodeText(row[6]),
    registrant: row[7] as Address,
    registerTimestamp: row[8],
    revocable: row[9],
    maxValidFor: row[10],
    resolver: row[11] as Address,
    rawText: decodeText(row[12]),
    transactionSender: row[13] as Address | null,
    attestationCount: row[14],
    attesterCount: row[15],
    syncAt: row[16],
  }
}
