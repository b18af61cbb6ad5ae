import type { Address, Hash, Hex } from 'viem'

/**
 * The records that an index of a chain must hold: ids, times and hashes as the chain reported them, all other members
 * as literals beside the call. No value passes through a decoder of the program under test. Addresses are checksummed,
 * times Unix seconds, 64-bit values decimal strings.
 */
export interface ExpectedIndex {
  readonly chainId: number
  readonly contract: Address
  readonly startBlock: number
  readonly headNumber: number
  /** In the order in which the chain made them. */
  readonly schemas: readonly ExpectedSchema[]
  /** In the order in which the chain made them. */
  readonly attestations: readonly ExpectedAttestation[]
  /** Events without a record. */
  readonly anchors: { readonly made: number; readonly revoked: number }
}

/** The position and transaction of the event that created a record. */
export interface ExpectedOrigin {
  readonly transactionHash: Hash
  /** The account that sent the transaction; not the registrant or attester where the call was delegated. */
  readonly sender: Address
  readonly blockNumber: number
  readonly logIndex: number
}

export interface ExpectedSchema extends ExpectedOrigin {
  /** The subject of the case; unique. */
  readonly label: string
  /** Composite id. */
  readonly id: string
  readonly localId: string
  readonly registrant: Address
  readonly registerTimestamp: number
  readonly revocable: boolean
  readonly maxValidFor: string
  readonly resolver: Address
  readonly dataLocation: string
  readonly rawText: string
  readonly name: string
  readonly description: string
  readonly fields: readonly { readonly name: string; readonly type: string }[]
}

export interface ExpectedAttestation extends ExpectedOrigin {
  readonly label: string
  readonly id: string
  readonly localId: string
  readonly schemaLabel: string
  readonly schemaLocalId: string
  readonly fullSchemaId: string
  readonly attester: Address
  readonly attestTimestamp: number
  readonly recipients: readonly string[]
  readonly indexingValue: string
  /** Composite id, or empty. */
  readonly linkedAttestation: string
  readonly validUntil: string
  readonly data: Hex
  readonly dataLocation: string
  readonly revoked: boolean
  readonly revokeTimestamp: number | null
  readonly revokeReason: string | null
  /** Empty when not revoked. */
  readonly revokeTransactionHash: string
}
