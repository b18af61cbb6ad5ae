import type { Address } from '@attestry/core/model/hex.ts'
import type { OffchainBody, OffchainRevocation, StoredOffchain, Tombstone } from './offchainStore.ts'

/** The columns of an entry, in the order of `EntryRow`. */
export const rowColumns =
  'e.sequence, e.id, e.kind, e.protocol, e.chain_id, e.contract, e.local_id, e.signer, e.schema_id, e.made_at, ' +
  'e.stored_at, e.stored_by, e.content_id, e.body_json, e.revocation_json, e.deleted_at, e.deletion_json'

export type EntryRow = readonly [
  sequence: number,
  id: string,
  kind: StoredOffchain['kind'],
  protocol: StoredOffchain['protocol'],
  chainId: number | null,
  contract: Address | '',
  localId: string,
  signer: Address,
  schemaId: string | null,
  madeAt: number,
  storedAt: number,
  storedBy: string,
  contentId: string,
  bodyJson: string | null,
  revocationJson: string | null,
  deletedAt: number | null,
  deletionJson: string | null,
]

/** An entry, or what a deletion left of it. */
export function parseRow(row: EntryRow): StoredOffchain | Tombstone {
  const [sequence, id, kind, protocol, chainId, contractText, localId, signer, schemaId, ...rest] = row
  const [madeAt, storedAt, storedBy, contentId, bodyJson, revocationJson, deletedAt, deletionJson] = rest
  const contract = contractText === '' ? null : contractText
  if (bodyJson === null) {
    return {
      id,
      signer,
      contract,
      deletedAt: deletedAt ?? 0,
      reason: JSON.parse(deletionJson ?? '""') as string,
    }
  }
  return {
    sequence,
    id,
    kind,
    protocol,
    chainId,
    contract,
    localId,
    signer,
    schemaId,
    madeAt,
    storedAt,
    storedBy,
    contentId,
    body: JSON.parse(bodyJson) as OffchainBody,
    revocation: revocationJson === null ? null : (JSON.parse(revocationJson) as OffchainRevocation),
  }
}
