import type { LocalId, RecordKey } from './compositeId.ts'
import type { Address, Hash, Hex } from './hex.ts'
import type { Position } from './position.ts'
import type { UnixSeconds } from './time.ts'

/**
 * The records of the index as protocols make them, before any interface's presentation. 64-bit values that a contract's
 * callers choose are `bigint`; times from block headers are numbers.
 */

/** The name under which a protocol is registered and configured: `sign`, `eas`. */
export type ProtocolName = string

export type DataLocation = 'ONCHAIN' | 'ARWEAVE' | 'IPFS' | 'CUSTOM'

/** One field of a schema's definition, the type as the schema writes it. */
export interface SchemaField {
  readonly name: string
  readonly type: string
}

/**
 * The members of a schema's raw on-chain text of the usual form; empty for other text (docs/api.md, "Schemas of unusual
 * form").
 */
export interface SchemaDefinition {
  readonly name: string
  readonly description: string
  readonly fields: readonly SchemaField[]
  /**
   * The fields as payloads encode them, if the types differ from those of `fields`. A payload of Sign holds a pointer of
   * type `string` in place of the value of a field that is stored elsewhere.
   */
  readonly payloadFields?: readonly SchemaField[]
  /**
   * The schema of the same protocol and chain whose fields come before these (`store/writing/extendSchemas.ts`); of an
   * event that the store has not applied yet.
   */
  readonly extends?: LocalId
}

/** The position of a record's event on its chain, and its transaction. */
export interface EventOrigin {
  readonly position: Position
  readonly transactionHash: Hash
  /** The account that sent the transaction; null unless the chain is configured to fetch it. */
  readonly transactionSender: Address | null
}

export interface Schema extends EventOrigin {
  readonly key: RecordKey
  readonly protocol: ProtocolName
  readonly registrant: Address
  readonly registerTimestamp: UnixSeconds
  readonly revocable: boolean
  /** The longest validity of an attestation in seconds, 0 without limit; a uint64. */
  readonly maxValidFor: bigint
  readonly resolver: Address
  readonly dataLocation: DataLocation
  readonly definition: SchemaDefinition
  /** The schema's text on chain, unchanged. */
  readonly rawText: string
  /** The reference for the meaning of the schema's fields, often a URL; null if the protocol has no such reference. */
  readonly context: string | null
}

/**
 * A recipient, which is any byte string on chain. `address` is an address in any encoding, `text` any other string
 * (`did:key:…`, or empty), `bytes` any other bytes.
 */
export type Recipient =
  | { readonly kind: 'address'; readonly address: Address }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Hex }

/**
 * The revocation that the record showed when it was read from the contract, possibly long after its block. `claimed`
 * says only that the record was revoked by then: the record counts as born revoked if no revocation event has turned up
 * once the chain's checkpoint is past `timestamp`. `supposed`: the record counts as born revoked from the beginning, since
 * no event that endpoints gave revoked it; one that they gave too late overrules that. `made` is certain: the record was
 * born revoked (possible on Sign Protocol up to 1.1.2) and no event will follow.
 */
export type RevocationAtRead =
  | { readonly kind: 'none' }
  | { readonly kind: 'claimed'; readonly timestamp: bigint }
  | { readonly kind: 'supposed'; readonly timestamp: bigint }
  | { readonly kind: 'made'; readonly timestamp: bigint }

export interface Attestation extends EventOrigin {
  readonly key: RecordKey
  readonly protocol: ProtocolName
  /** Local id of the schema, on the same chain. */
  readonly schemaLocalId: LocalId
  readonly attester: Address
  readonly attestTimestamp: UnixSeconds
  readonly recipients: readonly Recipient[]
  /** Verbatim; may be empty. */
  readonly indexingValue: string
  readonly linkedAttestation: LocalId | null
  /** Unix seconds, 0 without expiry; a uint64. */
  readonly validUntil: bigint
  /** Whether the attestation can be revoked; null: as its schema says. */
  readonly revocable: boolean | null
  /** The contract of the issuer through which it was made; null if the protocol has no such contracts. */
  readonly portal: Address | null
  /**
   * The version of the contract that made it, as the record has it; null if the protocol has none, or if it was
   * indexed before the version was kept.
   */
  readonly contractVersion: number | null
  /** The bytes of which `recipients` are made; null as `contractVersion`. */
  readonly subject: Hex | null
  readonly data: Hex
  readonly dataLocation: DataLocation
  readonly revocationAtRead: RevocationAtRead
}
