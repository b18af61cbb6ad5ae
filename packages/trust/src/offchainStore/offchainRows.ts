import type { Address } from '@attestry/core/model/hex.ts'
import type {
  OffchainBody,
  OffchainHead,
  OffchainRevocation,
  StoredOffchain,
  Tombstone,
} from './offchainStore.ts'

/** The columns of an entry, in the order of `EntryRow`. */
export const rowColumns =
  'e.sequence, e.id, e.kind, e.protocol, e.chain_id, e.contract, e.local_id, e.signer, e.schema_id, e.made_at, ' +
  'e.stored_at, e.stored_by, e.content_id, e.body_json, e.revocation_json, e.deleted_at, e.deletion_json'

/**
 * The text from which a head is read. Rows of earlier versions have only the whole body: the JSON functions of
 * PostgreSQL, which could cut it, refuse U+0000.
 */
export const headColumn = 'coalesce(e.head_json, e.body_json)'

/** The columns of a head, in the order of `HeadRow`. */
export const headColumns =
  'e.sequence, e.id, e.kind, e.protocol, e.chain_id, e.contract, e.local_id, e.signer, e.schema_id, e.made_at, ' +
  `e.stored_at, e.stored_by, e.content_id, octet_length(e.body_json), ${headColumn}`

type KeyColumns = readonly [
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
]

export type HeadRow = readonly [...KeyColumns, bytes: number, headJson: string]

export type EntryRow = readonly [
  ...KeyColumns,
  bodyJson: string | null,
  revocationJson: string | null,
  deletedAt: number | null,
  deletionJson: string | null,
]

/** An entry, or what a deletion left of it. */
export function parseRow(row: EntryRow): StoredOffchain | Tombstone {
  const key = parseKey(row)
  const [bodyJson, revocationJson, deletedAt, deletionJson] = row.slice(keyLength) as Columns<EntryRow>
  if (bodyJson === null) {
    const { id, signer, contract } = key
    return {
      id,
      signer,
      contract,
      deletedAt: deletedAt ?? 0,
      reason: JSON.parse(deletionJson ?? '""') as string,
    }
  }
  return {
    ...key,
    body: JSON.parse(bodyJson) as OffchainBody,
    revocation: revocationJson === null ? null : (JSON.parse(revocationJson) as OffchainRevocation),
  }
}

export function parseHead(row: HeadRow): OffchainHead {
  const [bytes, headJson] = row.slice(keyLength) as Columns<HeadRow>
  return { ...parseKey(row), bytes, body: withoutLong(JSON.parse(headJson) as OffchainBody) }
}

/** The text of `head_json`. */
export function headTextOf(body: OffchainBody): string {
  return JSON.stringify(withoutLong(body))
}

function withoutLong({ payload: _payload, text: _text, ...head }: OffchainBody): OffchainHead['body'] {
  return head
}

const keyLength = 13

type Columns<Row extends readonly unknown[]> = Row extends readonly [...KeyColumns, ...infer Rest]
  ? Rest
  : never

function parseKey(row: readonly [...KeyColumns, ...unknown[]]) {
  const [sequence, id, kind, protocol, chainId, contractText, localId, signer, schemaId, ...rest] = row
  const [madeAt, storedAt, storedBy, contentId] = rest
  const contract = contractText === '' ? null : contractText
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
  }
}
